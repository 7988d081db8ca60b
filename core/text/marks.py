"""Marks behind sentences of a draft, for its reviewer: they are never posted.

A course's own mark stands behind statements that nothing supports, `REPEATS_STAFF` behind what repeats a text for
staff.
"""

from __future__ import annotations

from collections.abc import Collection

from core.text.sentences import TextUnit, units

REPEATS_STAFF = "(repeats a text for staff)"


def marked(markdown: str, mark: str) -> str:
    """A sentence with the mark behind it."""
    return f"{markdown} {_markup(mark)}" if markdown else _markup(mark)


def with_marks(markdown: str, numbers: Collection[int], mark: str) -> str:
    """The text with the mark behind its units of those numbers, from 0 as in `units`."""
    numbered = enumerate(units(markdown))
    return "".join(_marked_unit(unit, mark) if number in numbers else unit.text for number, unit in numbered)


def _marked_unit(unit: TextUnit, mark: str) -> str:
    bare = unit.text.rstrip()
    space = unit.text[len(bare) :]
    # Within code, a table's row or a formula it would be part of it.
    is_apart = unit.is_code or bare.startswith("|") or bare.endswith(("$$", "\\]"))
    return f"{bare}\n\n{_markup(mark)}{space or chr(10)}" if is_apart else f"{marked(bare, mark)}{space}"


def without_mark(markdown: str, mark: str) -> str:
    """The text without the mark, and without `REPEATS_STAFF`, wherever they stand."""
    for markup in (_markup(REPEATS_STAFF), *([_markup(mark)] if mark else [])):
        if markup in markdown:
            # Behind code, a table or a formula it is a paragraph of its own.
            text = markdown.replace(f"\n\n{markup}\n", "\n").removesuffix(f"\n\n{markup}")
            markdown = text.replace(f" {markup}", "").replace(markup, "")
    return markdown


def marked_sentences(markdown: str, mark: str) -> tuple[str, ...]:
    """The sentences behind which the mark stands, without it."""
    sentences, before = [], ""
    for unit in units(markdown):
        sentence = without_mark(unit.text, mark).strip()
        if mark and _markup(mark) in unit.text:
            sentences.append(sentence or before)
        before = sentence or before
    return tuple(sentences)


def _markup(mark: str) -> str:
    return f"*{mark}*"
