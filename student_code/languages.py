"""The programming language of a piece of code, by the names that courses give it."""

from __future__ import annotations

import re

PYTHON = "python"
_ALIASES = {
    "py": PYTHON, "python3": PYTHON, "python2": PYTHON, "ipython": PYTHON, "js": "javascript", "node": "javascript",
    "ecmascript": "javascript", "c99": "c", "c11": "c",
}  # fmt: skip
_PYTHON = re.compile(r"^[^\S\n]*(?:def \w+\s*\(|elif\b|for \w+ in\b|from \w+ import\b|import \w+\s*$|print\s*\()", re.M)
_PYTHON_ALONE = re.compile(
    r"^[^\S\n]*(?:def \w+\s*\(|elif\b|for \w+ in\b|while\b[^({\n]*:\s*$|from \w+ import\b|import \w+)", re.M
)
"""Without `print`, which other languages have too."""
_CUES = {
    "java": re.compile(
        r"^[^\S\n]*(?:public|private|protected)\s+(?:static\s+)?[\w<>\[\]]+\s+\w+|System\.out\.print", re.M
    ),
    "c": re.compile(r"^[^\S\n]*#include\b|\bprintf\s*\(|\bint\s+main\s*\(", re.M),
    "javascript": re.compile(r"^[^\S\n]*(?:const|let|var)\s+\w+|\bfunction\s+(?:\w+\s*)?\(|=>|console\.log|===", re.M),
}


def programming_language(name: str | None, code: str) -> str:
    """The language in small letters; where none is named, that of the code's cues, and else Python."""
    if name and (plain := name.strip().casefold()):
        return _ALIASES.get(plain, plain)
    if _PYTHON.search(code):
        return PYTHON
    return next((language for language, cue in _CUES.items() if cue.search(code)), PYTHON)


def language_of_excerpt(code: str) -> str:
    """The language of code of which nothing else is known; empty where no cue tells it."""
    if _PYTHON_ALONE.search(code):
        return PYTHON
    return next((language for language, cue in _CUES.items() if cue.search(code)), "")
