"""Mends the words of PDF files: accents set as characters of their own, raised characters, breaks at line ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any
from unicodedata import normalize

import Stemmer

from core.text.raised import lowered, raised
from ingestion.document import Line

_ACCENTS = {
    "¨": "\u0308", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307",
    "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c", "ˋ": "\u0300",
}  # fmt: skip
"""Spacing accents, which LaTeX's old fonts draw before their letter."""
_BELOW = {"¸": "\u0327", "˛": "\u0328"}
"""Those that are drawn behind it, or before it."""
_ACCENTED = re.compile(rf"([{''.join(_ACCENTS)}])([^\W\d_])|([^\W\d_]?)([{''.join(_BELOW)}])([^\W\d_]?)")
_DOTLESS = {"ı": "i", "ȷ": "j"}
_SCRIPT_SIZE, _SCRIPT_SHIFT = 0.87, 0.08
"""A raised or lowered character is smaller than the text before it, and higher or lower: shares of that text's size.

PyMuPDF's own mark of superscripts is also on numerators, and on lower characters beside a large sign.
"""
_BEFORE = 20
_Script = Callable[[str, str], str]
_BROKEN = re.compile(r"(?P<first>[^\W\d_][\w'’-]*)[-\u00ad\u2010]$")
_REST = re.compile(r"(?P<rest>[^\W\d_][\w'’]*)(?P<mark>[^\w\s]*(?:-(?=$))?)")
_MIN_PART = 3
"""Letters of a part of a compound that is a word by itself."""
_SAME_SIZE = 0.5
_CAP_RATIO = 1.6
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")


def with_accents(text: str) -> str:
    """The text with each spacing accent and its letter as one character."""
    return text if text.isascii() else _ACCENTED.sub(_accented, text)


def _accented(match: re.Match[str]) -> str:
    accent, letter, before, below, after = match.groups()
    if accent:
        return normalize("NFC", _DOTLESS.get(letter, letter) + _ACCENTS[accent])
    with_before, with_after = (normalize("NFC", side + _BELOW[below]) for side in (before, after))
    if before and len(with_before) == 1:
        return with_before + after
    return before + with_after if after and len(with_after) == 1 else match[0]


def join_spans(spans: Sequence[dict[str, Any]]) -> str:
    """The text of a line's spans, raised and lowered ones written as powers and indices."""
    parts: list[tuple[_Script | None, str]] = []
    base = spans[0]
    for span in spans:
        script = _script_of(span, base)
        if script is None and span["text"].strip():
            base = span
        elif not span["text"].strip() and parts:
            script = parts[-1][0]
        parts.append((script, span["text"]))
    text = ""
    for script, group in groupby(parts, key=lambda part: part[0]):
        words = "".join(part for _, part in group)
        if script is None or not words.strip():
            text += words
        else:
            text += script(text[-_BEFORE:], words) + (" " if words[-1].isspace() else "")
    return text


def _script_of(span: dict[str, Any], base: dict[str, Any]) -> _Script | None:
    if span["size"] >= _SCRIPT_SIZE * base["size"]:
        return None
    depth = (span["origin"][1] - base["origin"][1]) / base["size"]
    if abs(depth) < _SCRIPT_SHIFT:
        return None
    return lowered if depth > 0 else raised


def with_whole_words(lines: Sequence[Line]) -> list[Line]:
    """The lines with words that were broken at a line's end whole on the first line, and drop caps with their word."""
    lines = list(_with_drop_caps(lines))
    words: _Words | None = None
    mended: list[Line] = []
    for line in lines:
        before = mended[-1] if mended else None
        broken = _BROKEN.search(before.text) if before else None
        rest = _REST.match(line.text) if broken and before and _continues(before, line) else None
        if not (before and broken and rest):
            mended.append(line)
            continue
        words = words or _Words.of(lines)
        hyphen = "-" if words.keep_hyphen(broken["first"], rest["rest"]) else ""
        mended[-1] = replace(before, text=before.text[: broken.end("first")] + hyphen + rest[0])
        if below := line.text[rest.end() :].lstrip():
            mended.append(replace(line, text=below))
    return mended


def _continues(before: Line, line: Line) -> bool:
    same_look = abs(before.size - line.size) <= _SAME_SIZE and before.kind is line.kind
    return same_look and line.text[:1].islower() and before.level == line.level


def _with_drop_caps(lines: Sequence[Line]) -> Iterator[Line]:
    cap: Line | None = None
    for line in lines:
        if cap is not None:
            if _is_beside(cap, line):
                line = replace(line, text=cap.text + ("" if line.text[:1].islower() else " ") + line.text)
            else:
                yield cap
            cap = None
        if len(line.text) == 1 and line.text.isupper() and line.box:
            cap = line
        else:
            yield line
    if cap is not None:
        yield cap


def _is_beside(cap: Line, line: Line) -> bool:
    """Whether a large letter stands at the left of a line, and reaches below it."""
    if not cap.box or not line.box or cap.size < _CAP_RATIO * line.size or not line.text[:1].isalpha():
        return False
    return 0 <= line.box[0] - cap.box[2] + line.size < 2 * line.size and cap.box[1] <= line.box[3] <= cap.box[3]


@dataclass(frozen=True)
class _Words:
    """Words that a document has within its lines, with their hyphens."""

    known: frozenset[str]

    @classmethod
    def of(cls, lines: Sequence[Line]) -> _Words:
        known: set[str] = set()
        for line in lines:
            words = _WORD.findall(line.text.casefold())
            known.update(words[1:] if line.text.rstrip().endswith("-") else words)
        return cls(frozenset(known))

    def keep_hyphen(self, first: str, rest: str) -> bool:
        """Whether the hyphen at a line's end is part of the word."""
        first, rest = first.casefold(), rest.casefold()
        if first + rest in self.known:
            return False
        if f"{first}-{rest}" in self.known or "-" in first:
            return True
        if _is_common(first + rest):
            return False
        return all(len(part) >= _MIN_PART and _is_common(part) for part in (first, rest))


def _is_common(word: str) -> bool:
    return word in _common_words()[0] or _stemmer().stemWord(word) in _common_words()[1]


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@cache
def _common_words() -> tuple[frozenset[str], frozenset[str]]:
    """The whole words that the embedding model's tokenizer knows, some 20,000 frequent ones, and their stems."""
    from retrievers.embedding.minilm_files import DATA, TOKENIZER_FILE

    vocabulary = json.loads((DATA / TOKENIZER_FILE).read_bytes())["model"]["vocab"]
    words = [word for word in vocabulary if word.isalpha()]
    return frozenset(words), frozenset(_stemmer().stemWords(words))
