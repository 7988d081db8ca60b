"""Raised and lowered characters in plain text: powers, indices, ordinals and the marks of footnotes."""

from __future__ import annotations

import re

_INDICES = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_INDEX = re.compile(r"[\d+\-=()]+$")
_ATOM = re.compile(r"(?:[^\s(){}\[\]]|\d+|[^\W\d_]+)$")
_SIGNS = re.compile(r"[′″‴'’°∘º®™©ª]+$")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|ère|ème|eme|e|o|a|os|as|de|ste|tm|sm)$", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+$")
_MARK = re.compile(r"\[?(?:\d{1,3}(?:\s*[,–-]\s*\d{1,3})*|[*†‡§¶]+)\]?$")
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]{4,}[.,;:!?\"'”’)\]]{0,2}|[.,;:!?\"'”’])$")


def raised(before: str, text: str) -> str:
    """Superscript `text` behind `before`: "^6", "^(-3)", "th", or " [2]" for a footnote's mark behind a word."""
    text = text.strip()
    if not text or not before or before[-1].isspace():
        return text
    if _SIGNS.match(text):
        return text.replace("∘", "°")
    if _MARK.match(text) and (_WORD_BEFORE.search(before) or not text[0].isalnum()):
        return text if text.startswith("[") or not text[0].isdigit() else f" [{text}]"
    if (_ORDINAL.match(text) and before[-1].isdigit()) or (len(text) > 1 and _LETTERS.match(text)):
        # "2nd", "M. le Dr" and trademarks; e, o and a are ordinals of other languages.
        return text
    return f"^{text}" if _ATOM.match(text) else f"^({text})"


def lowered(before: str, text: str) -> str:
    """Subscript `text` behind `before`: "₂", "_i", "_(n+1)"."""
    text = text.strip()
    if not text or not before or before[-1].isspace():
        return text
    if _INDEX.match(text):
        return text.translate(_INDICES)
    return f"_{text}" if _ATOM.match(text) else f"_({text})"
