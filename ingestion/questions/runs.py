"""Runs of bare numbers at one indent and in one style: 1. 2. 3., (a) (b), (i) (ii)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.text.numerals import roman_value
from ingestion.numbering import MAX_ROMAN_PART, Number
from ingestion.questions.statements import Statements

MAX_OPEN = 3
"""Lists within lists that are told apart at one indent."""
LAST_START = 30
"""Highest number with which a sheet's questions begin, where they go on from another's."""
ASKING, ASKING_IN_PDF = 0.4, 0.3
"""Share of a run's items that must ask for something; lists in prose stand deeper than questions in a PDF alone."""
NO_PARTS = ("1.", "1)", "1、", "1()", ".1")
"""Styles of lists and of questions, not of parts."""
CHOICE_WORDS = 15
"""Most words that a choice has; what is longer is a part though the question asks to choose."""
_POINTS_TOLERANCE, _CHARACTERS_TOLERANCE = 12.0, 1.0


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A numbered line. `indent` is in points where the line is `boxed`, else in characters."""

    line: int
    indent: float
    boxed: bool
    number: Number

    @property
    def tolerance(self) -> float:
        return _POINTS_TOLERANCE if self.boxed else _CHARACTERS_TOLERANCE


@dataclass(slots=True, eq=False)
class NumberRun:
    """Numbers that rise by one. `below` holds the runs inside an item, by the item's line."""

    style: str
    is_roman: bool
    items: list[NumberedLine]
    value: int
    below: dict[int, list[NumberRun]] = field(default_factory=dict)
    starts_anew: bool = False
    """True where the numbering began again without a heading between."""
    in_solution: bool = False

    @property
    def last(self) -> NumberedLine:
        return self.items[-1]


def number_runs(statements: Statements, cluster: Sequence[NumberedLine], borders: Sequence[int]) -> list[NumberRun]:
    """The runs of bare numbers at one indent that are questions. `borders` are lines of headings."""
    runs = _rising(statements, cluster, borders)
    # An item ends at the next number of any run, too.
    stops = sorted({*borders, *(candidate.line for candidate in cluster)})
    asked = (run for run in runs if not run.in_solution and (len(run.items) > 1 or not run.starts_anew))
    return [run for run in asked if _are_asked(statements, run.items, stops)]


def _rising(statements: Statements, cluster: Sequence[NumberedLine], borders: Sequence[int]) -> list[NumberRun]:
    runs: list[NumberRun] = []
    stack: list[NumberRun] = []
    for index, candidate in enumerate(cluster):
        value = int(candidate.number.question)
        after_heading = bool(stack) and _between(borders, stack[-1].last.line, candidate.line)
        if after_heading:
            del stack[1:]
        open_run = _run_to_continue(statements, stack, candidate, value)
        if open_run is not None and not (after_heading and value == 1):
            del stack[stack.index(open_run) + 1 :]
            open_run.items.append(candidate)
            open_run.value = value
        elif value == 1 or (not runs and _goes_on(cluster, index, value)):
            if after_heading:
                stack.clear()
            run = NumberRun(candidate.number.style, False, [candidate], value, starts_anew=bool(stack))
            run.in_solution = bool(stack) and statements.in_solution(stack[0].last.line, candidate.line)
            runs.append(run)
            stack = [*stack[: MAX_OPEN - 1], run]
    return runs


def _between(borders: Sequence[int], first: int, last: int) -> bool:
    index = bisect_right(borders, first)
    return index < len(borders) and borders[index] < last


def _goes_on(cluster: Sequence[NumberedLine], index: int, value: int) -> bool:
    """True for the first number of a sheet whose questions go on from another's: the next one follows."""
    if value > LAST_START or index + 1 == len(cluster):
        return False
    return int(cluster[index + 1].number.question) == value + 1


def _run_to_continue(
    statements: Statements, stack: Sequence[NumberRun], candidate: NumberedLine, value: int
) -> NumberRun | None:
    """The open run that the number continues: the inner one where the two stand close, else the outer one."""
    fitting = [run for run in stack if value == run.value + 1]
    if not fitting:
        return next((run for run in stack if candidate.boxed and value == run.value + 2), None)
    inner = fitting[-1]
    close = not statements.apart([inner.last.line, candidate.line, candidate.line + 1])
    return inner if close and inner is stack[-1] else fitting[0]


def _are_asked(statements: Statements, items: Sequence[NumberedLine], stops: Sequence[int]) -> bool:
    """True where the items are questions: they ask for something, or have text of their own and are no instructions."""
    edges = _edges(statements, items, stops)
    if statements.introduces_list(items[0].line) and statements.questioning(edges) <= 0.5:
        return False
    if statements.boilerplate(edges) > statements.asking(edges):
        return False
    if statements.asking(edges) >= (ASKING_IN_PDF if items[0].boxed else ASKING):
        return True
    enough = 2 if items[0].boxed else 3
    return (
        len(items) > 1
        and statements.apart(edges)
        and statements.content(edges) >= enough
        and (items[0].boxed or statements.sentences(edges) >= 0.5)
    )


def _edges(statements: Statements, items: Sequence[NumberedLine], stops: Sequence[int]) -> list[int]:
    index = bisect_right(stops, items[-1].line)
    end = stops[index] if index < len(stops) else len(statements.document.lines)
    return [*(item.line for item in items), end]


def part_runs(statements: Statements, inside: Sequence[NumberedLine], start: int, end: int) -> list[NumberRun]:
    """The runs of parts of the question at line `start`, each with its sub-parts in `below`."""
    top: list[NumberRun] = []
    stack: list[NumberRun] = []
    previous = start
    for index, candidate in enumerate(inside):
        in_solution = statements.in_solution(previous, candidate.line)
        if match := _next_of(statements, stack, candidate) or _next_but_one(stack, candidate, inside[index + 1 :]):
            run, value = match
            del stack[stack.index(run) + 1 :]
            run.items.append(candidate)
            run.value = value
        elif opened := _open_run(stack, candidate, in_solution):
            run = opened
            if not in_solution:
                (stack[-1].below.setdefault(stack[-1].last.line, []) if stack else top).append(run)
            stack.append(run)
        else:
            continue
        if not run.in_solution:
            previous = candidate.line
    return list(_accept(statements, top, start, end))


def values(number: Number) -> Iterator[tuple[bool, int]]:
    """What a part's number can mean: (is Roman, value). "(i)" is a letter and a Roman number."""
    part = number.part
    if number.question:
        yield False, int(number.question)
    elif part.startswith("."):
        yield False, int(part[1:])
    else:
        if len(part) == 1:
            yield False, ord(part) - ord("a") + 1
        if value := roman_value(part, MAX_ROMAN_PART):
            yield True, value


def _next_of(
    statements: Statements, stack: Sequence[NumberRun], candidate: NumberedLine
) -> tuple[NumberRun, int] | None:
    """The innermost open run that the candidate is the next item of, and its value there.

    A list in a solution goes on where it is close.
    """
    number = candidate.number
    for run in reversed(stack):
        alike = run.style == number.style and abs(candidate.indent - run.items[0].indent) <= candidate.tolerance
        loose = run.in_solution and statements.apart([run.last.line, candidate.line, candidate.line + 1])
        if alike and not loose and (run.is_roman, run.value + 1) in values(number):
            return run, run.value + 1
    return None


def _next_but_one(
    stack: Sequence[NumberRun], candidate: NumberedLine, behind: Sequence[NumberedLine]
) -> tuple[NumberRun, int] | None:
    """The run that goes on with the candidate although one item is missing, as one whose letter stands in a figure."""
    for run in reversed(stack if candidate.boxed else ()):
        alike = run.style == candidate.number.style and abs(candidate.indent - run.items[0].indent) <= 1
        fits = (run.is_roman, run.value + 2) in values(candidate.number)
        missing = all((run.is_roman, run.value + 1) not in values(c.number) for c in behind)
        if alike and fits and missing and not run.in_solution:
            return run, run.value + 2
    return None


def _open_run(stack: Sequence[NumberRun], candidate: NumberedLine, in_solution: bool) -> NumberRun | None:
    number = candidate.number
    if len(stack) == MAX_OPEN or number.style in NO_PARTS or (number.question and number.part):
        return None
    roman = (True, 1) in values(number)
    first = roman or (False, 1) in values(number)
    alike = any((run.style, run.is_roman) == (number.style, roman) for run in stack)
    if not first or (alike and not in_solution) or (stack and stack[-1].in_solution):
        return None
    if stack and candidate.indent < stack[-1].items[0].indent - candidate.tolerance:
        return None
    return NumberRun(number.style, roman, [candidate], 1, in_solution=in_solution)


def _accept(statements: Statements, runs: Sequence[NumberRun], start: int, end: int) -> Iterator[NumberRun]:
    for index, run in enumerate(runs):
        following = runs[index + 1].items[0].line if index + 1 < len(runs) else end
        if len(run.items) > 1 and _are_parts(statements, run, start, following):
            ends = [*(item.line for item in run.items[1:]), following]
            for item, item_end in zip(run.items, ends, strict=True):
                run.below[item.line] = list(_accept(statements, run.below.get(item.line, []), item.line, item_end))
            yield run


def _are_parts(statements: Statements, run: NumberRun, start: int, end: int) -> bool:
    edges = [*(item.line for item in run.items), end]
    if run.style == "part" or statements.questioning(edges) > 0.5:
        return True
    short = statements.longer_than(CHOICE_WORDS, edges) < 0.5
    if short and statements.offers_choice(start, run.items[0].line):
        return False
    if short and statements.asking(edges) == 0 and statements.asks_to_complete(start, run.items[0].line):
        return False
    apart = statements.apart(edges)
    if run.style.startswith("A"):
        return apart and statements.content(edges) >= 2
    boxed = run.items[0].boxed
    if statements.poses(start, run.items[0].line, needs_verb=not boxed):
        return True
    wordy = max(statements.sentences(edges), statements.longer_than(2, edges) if boxed else 0)
    return apart or wordy > 0.5 or statements.asking(edges) > 0.5
