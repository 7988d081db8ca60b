"""Source files as code, each function and class under a heading of its name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import PurePosixPath

from pygments.lexers import get_lexer_by_name
from pygments.token import Name

from core.errors import EmptyDocument
from core.text.lines import tidy
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.decoding import decode

LANGUAGES = {
    ".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".java": "java", ".py": "python", ".r": "r",
}  # fmt: skip
"""Suffix -> the language's name in Pygments."""
MIN_LINES = 40
"""Of a file that is cut at its functions."""
_COMMENTS = ("//", "/*", "*", "#", "@", "--", '"""')
"""With which lines above a definition begin that belong to it."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` for white space."""
    decoded = decode(name, data)
    path = PurePosixPath(name)
    rows = [tidy(row) for row in decoded.text.split("\n")]
    while rows and not rows[-1]:
        rows.pop()
    if not any(rows):
        raise EmptyDocument(f"{name}: there is no text in it.")
    headings = dict(_definitions(path.suffix.lower(), rows)) if len(rows) >= MIN_LINES else {}
    lines = [Line(tidy(path.name), level=1)]
    for number, row in enumerate(rows):
        if number in headings:
            lines.append(Line(headings[number], level=2))
        lines.append(Line(row, LineKind.CODE))
    return LoadedDocument(tidy(path.name), tuple(lines), complete=True, warnings=decoded.warnings)


def _definitions(suffix: str, rows: list[str]) -> Iterator[tuple[int, str]]:
    """The line on which each outermost definition begins, with the comment above it, and its name."""
    starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
    number, last = 0, -1
    tokens = get_lexer_by_name(LANGUAGES[suffix]).get_tokens_unprocessed("\n".join(rows))
    for offset, kind, text in tokens:
        while starts[number + 1] <= offset:
            number += 1
        if kind in (Name.Function, Name.Class) and number > last and not rows[number][:1].isspace():
            yield _with_comment(rows, number, last), text.strip()
            last = number


def _with_comment(rows: list[str], number: int, last: int) -> int:
    while number - 1 > last and rows[number - 1].lstrip().startswith(_COMMENTS):
        number -= 1
    return number
