"""Decides which numbered lines are questions: named ones that stand alone, bare ones in runs that ask something."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ingestion.document import LineKind, LoadedDocument
from ingestion.numbering import BARE_NUMBERS, Depth, Number, read_number
from ingestion.questions.lists import without_lists
from ingestion.questions.runs import NumberedLine, NumberRun, number_runs, part_runs
from ingestion.questions.statements import Statements
from ingestion.vocabulary import POINTS, any_of

_POINTS_ALONE = re.compile(rf"^[\s([:–—|.-]*\d+(?:[.,]\d+)?\s*(?:{any_of(POINTS)}|%)[\s)\].|]*$", re.IGNORECASE)
_UNFINISHED = re.compile(
    r"(?:^|\s)(?:in|of|see|from|and|or|to|for|the|by|with|on|as|than|using|per|at|siehe|aus|von|und|zu|de|del|la|voir|et|y)$",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?P<mark>\*\*|__)(?P<words>\w[^*_]*)(?P=mark)")
"""A title of its own at the beginning ("1. **Guinea pigs.** Rough coat and ...")."""
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=[^\s*])(.+?)(?<=[^\s*])\1(?![\w*])")
_IS_PART = re.compile(r"\d[a-z]+$")


@dataclass(frozen=True, slots=True)
class NumberedQuestion:
    """A question at a line; `depth` from 0, `label` the whole number ("3aii")."""

    line: int
    depth: int
    label: str
    title: str


def find_questions(document: LoadedDocument, headings: Mapping[int, str | None]) -> list[NumberedQuestion]:
    """Questions and parts outside headings; `headings` maps heading lines to labels."""
    candidates = list(_candidates(document, headings))
    statements = Statements(document)
    labelled = {line: label for line, label in headings.items() if label}
    borders = sorted(headings)
    named = list(_without_listings(statements, [c for c in candidates if c.number.named]))
    if named or labelled:
        top = [_question(c, c.number.label, 0) for c in named]
    else:
        top = _questions_by_number(statements, candidates, borders)
    questions = [*top, *_all_parts(statements, top, labelled, candidates, borders)]
    return questions or _questions_by_letter(statements, candidates)


def _candidates(document: LoadedDocument, headings: Mapping[int, str | None]) -> Iterator[NumberedLine]:
    before = ""
    for number, line in enumerate(document.lines):
        if line.kind is LineKind.PROSE and number not in headings and not line.closed:
            own_number = read_number(line.text)
            if own_number and not (
                _UNFINISHED.search(before) if own_number.named else BARE_NUMBERS.match(own_number.rest)
            ):
                indent = line.box[0] if line.box else float(len(line.text) - len(line.text.lstrip()))
                yield NumberedLine(number, indent, line.box is not None, own_number)
        before = line.text.rstrip()


def _without_listings(statements: Statements, named: Sequence[NumberedLine]) -> Iterator[NumberedLine]:
    """The named numbers without those of point tables and tables of contents: many in a row, with nothing between."""
    last = {candidate.number.label: candidate.line for candidate in named}
    for group in _adjacent(statements.document, named):
        end = group[-1].line + 1
        following = min(last[c.number.label] for c in group)
        again = following >= end and not statements.solution_within(end, following)
        tight = group[-1].line - group[0].line < len(group)
        points = all(_POINTS_ALONE.match(c.number.rest) for c in group)
        if not (len(group) >= 3 and again) and not (len(group) >= 2 and points and (tight or again)):
            yield from group


def _adjacent(document: LoadedDocument, candidates: Sequence[NumberedLine]) -> Iterator[list[NumberedLine]]:
    group: list[NumberedLine] = []
    labels: set[str] = set()
    for candidate in candidates:
        text_between = group and any(line.text.strip() for line in document.lines[group[-1].line + 1 : candidate.line])
        if text_between or candidate.number.label in labels:
            yield group
            group, labels = [], set()
        group.append(candidate)
        labels.add(candidate.number.label)
    if group:
        yield group


def _questions_by_number(
    statements: Statements, candidates: Sequence[NumberedLine], borders: Sequence[int]
) -> list[NumberedQuestion]:
    plain = [c for c in candidates if c.number.depth is Depth.QUESTION and not c.number.named]
    clusters: list[list[NumberedLine]] = []
    for _, alike in groupby(sorted(plain, key=lambda c: c.number.style), key=lambda c: c.number.style):
        clusters.extend(_by_indent(list(alike)))
    for cluster in sorted(clusters, key=lambda c: (min(item.indent for item in c), c[0].line)):
        items = [item for run in number_runs(statements, cluster, borders) for item in run.items]
        if items:
            return [_question(c, c.number.label, 0) for c in sorted(items, key=lambda c: c.line)]
    return [_question(c, c.number.label, 0) for c in _joint(statements, candidates)]


def _joint(statements: Statements, candidates: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Numbers of question and part in one, without a name: "2b)", and "1.2" where most of them ask for something."""
    joint = [c for c in candidates if c.number.question and c.number.part and not c.number.named]
    decimal = [c for c in joint if not c.number.part.isalpha()]
    # A number that comes again may be that of an answer, which asks for nothing.
    first = {c.number.label: c.line for c in reversed(decimal)}
    edges = [*sorted(first.values()), len(statements.document.lines)]
    if len(decimal) < 2 or statements.asking(edges) < 0.5:
        joint = [c for c in joint if c.number.part.isalpha()]
    return joint if len(joint) > 1 else []


def _by_indent(candidates: list[NumberedLine]) -> Iterator[list[NumberedLine]]:
    """Groups at about one indent. Right-aligned numbers hang a digit to the left from 10 on."""
    cluster: list[NumberedLine] = []
    for candidate in sorted(candidates, key=lambda c: (c.indent, c.line)):
        if cluster and candidate.indent > cluster[-1].indent + candidate.tolerance:
            yield sorted(cluster, key=lambda c: c.line)
            cluster = []
        cluster.append(candidate)
    if cluster:
        yield sorted(cluster, key=lambda c: c.line)


def _all_parts(
    statements: Statements,
    top: Sequence[NumberedQuestion],
    labelled: Mapping[int, str],
    candidates: Sequence[NumberedLine],
    borders: Sequence[int],
) -> Iterator[NumberedQuestion]:
    parents = sorted([*((f.line, f.label) for f in top), *labelled.items()])
    rests = {candidate.line: candidate.number.rest for candidate in candidates}
    ends = [*sorted({line for line, _ in parents} | set(borders)), len(statements.document.lines)]
    taken = {found.line for found in top}
    unnamed = [c for c in candidates if c.line not in taken and not c.number.named]
    lines = [candidate.line for candidate in unnamed]
    joint = _joint(statements, unnamed)
    joint_lines = [candidate.line for candidate in joint]
    for line, label in parents:
        end = ends[bisect_right(ends, line)]
        inside = unnamed[bisect_right(lines, line) : bisect_left(lines, end)]
        for candidate in joint[bisect_right(joint_lines, line) : bisect_left(joint_lines, end)]:
            if candidate.number.question == label:
                yield _question(candidate, candidate.number.label, 1)
        inside = without_lists(statements, [*_on_the_same_line(line, rests.get(line, ""), inside), *inside], end)
        for run in part_runs(statements, inside, line, end):
            yield from _run_questions(run, label, 2 if _IS_PART.search(label) else 1, line)


def _on_the_same_line(line: int, rest: str, inside: Sequence[NumberedLine]) -> Iterator[NumberedLine]:
    """The part that begins behind the question's own number ("1. (a) ..."), where another follows it."""
    number = read_number(rest)
    if number and not number.named and not number.question:
        second = next((c for c in inside if c.number.style == number.style), None)
        if second:
            yield NumberedLine(line, second.indent, second.boxed, number)


def _run_questions(run: NumberRun, label: str, depth: int, question_line: int) -> Iterator[NumberedQuestion]:
    for item in run.items:
        full = f"{label}{item.number.part or '.' + item.number.question}"
        if item.line != question_line:
            yield _question(item, full, depth)
        for inner in run.below.get(item.line, ()):
            yield from _run_questions(inner, full, min(depth + 1, 2), question_line)


def _questions_by_letter(statements: Statements, candidates: Sequence[NumberedLine]) -> list[NumberedQuestion]:
    parts = [c for c in candidates if c.number.style == "part" and c.number.part.isalpha()]
    runs = part_runs(statements, parts, -1, len(statements.document.lines))
    return [_question(item, item.number.part, 0) for run in runs for item in run.items]


def _question(candidate: NumberedLine, label: str, depth: int) -> NumberedQuestion:
    number = candidate.number
    return NumberedQuestion(candidate.line, max(depth, int(number.depth) if number.named else 0), label, title(number))


def title(number: Number) -> str:
    """A short title: the printed number and its lead, else the first words."""
    lead = _LEAD.match(number.rest)
    rest = lead["words"].rstrip(" .:") if lead else _EMPHASIS.sub(r"\2", number.rest).strip(" *_:")
    words = rest if len(rest) <= 80 else rest[:80].rsplit(" ", 1)[0] + " …"
    if number.named:
        return f"Question {number.label}: {words}" if words else f"Question {number.label}"
    return f"{_print_number(number)} {words}".strip()


def _print_number(number: Number) -> str:
    if number.style == "part":
        return f"Part {number.part.lstrip('.').upper()}"
    if number.style in ("(1)", "1()"):
        return f"({number.question}{number.part})"
    return f"{number.label}." if number.question else f"({number.part})"
