"""Lists inside a problem, whose letters are not those of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingestion.numbering import Number
from ingestion.questions.runs import CHOICE_WORDS, NumberedLine, values
from ingestion.questions.statements import Statements


def without_lists(statements: Statements, inside: Sequence[NumberedLine], end: int) -> list[NumberedLine]:
    """The problem's numbered lines, up to line `end`, without short lists that ask nothing."""
    lists: set[int] = set()
    for start, group in _groups(statements, inside):
        following = inside[start + len(group)].line if start + len(group) < len(inside) else end
        edges = [*(item.line for item in group), min(following, group[-1].line + 1)]
        if _asks_nothing(statements, edges) and _is_list(statements, inside, start, group):
            lists.update(item.line for item in group)
    return [candidate for candidate in inside if candidate.line not in lists]


def _groups(statements: Statements, inside: Sequence[NumberedLine]) -> Iterator[tuple[int, list[NumberedLine]]]:
    index = 0
    while index < len(inside):
        group = [inside[index]]
        if is_first(inside[index].number):
            for before, after in pairwise(inside[index:]):
                if not _goes_on(statements, before, after, len(group) + 1):
                    break
                group.append(after)
            yield index, group
        index += len(group)


def _goes_on(statements: Statements, before: NumberedLine, after: NumberedLine, value: int) -> bool:
    alike = before.number.style == after.number.style and abs(before.indent - after.indent) <= after.tolerance
    follows = value in (meaning for _, meaning in values(after.number))
    return alike and follows and not statements.apart([before.line, after.line, after.line + 1])


def is_first(number: Number) -> bool:
    """True for "a", "i" and "1"."""
    return any(value == 1 for _, value in values(number))


def _asks_nothing(statements: Statements, edges: list[int]) -> bool:
    return statements.asking(edges) == 0 and statements.longer_than(CHOICE_WORDS, edges) == 0


def _is_list(statements: Statements, inside: Sequence[NumberedLine], start: int, group: Sequence[NumberedLine]) -> bool:
    if len(group) > 1 and statements.enumerates(group[0].line):
        return True
    style = group[0].number.style
    alike = [c for c in inside[start + len(group) :] if c.number.style == style]
    if any(is_first(c.number) for c in alike):
        return len(group) > 1 or is_first(alike[0].number)
    before = [c for c in inside[:start] if c.number.style == style]
    return len(group) > 1 and bool(before)
