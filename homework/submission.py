"""A submission as lines and chains of parsed expressions, each with its line and its part of the task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from homework.asides import split_asides
from homework.limits import MAX_CHARS, MAX_LINES
from homework.mathematics.chains import Chain, chains_of
from homework.mathematics.notation import with_lists
from homework.mathematics.parser import Expression, expression_of, text_of
from homework.mathematics.pieces import Piece, free_names, with_units
from homework.mathematics.tokens import tokens_of
from homework.mathematics.trees import UnreadableMathematics

_ENVIRONMENT = re.compile(
    r"\\(begin|end)\{(align|equation|gather|multline|eqnarray|aligned|split|cases|array)\*?\}(\{[^}]*\})?"
)
_MARKUP = r"\s*(?:[-*>#]+\s+|\\item\s*|\\(?:textbf|section|subsection|paragraph)\*?\s*\{|\*\*|__)*\s*\[?"
_PART = r"(?:(?:part|question|problem|task|teil)\s*)?"
_END = r"(?=\s|\*|\}|$)"


class Labels(StrEnum):
    """How parts are labelled: `(a)`, `2)` or `iii.`."""

    letters = "[a-h]"
    digits = r"\d"
    romans = "iii|ii|iv|i|vi|v"


_LABELS = {
    style: re.compile(rf"^{_MARKUP}{_PART}(?:\(({style})\)|({style})[).:]{_END})", re.IGNORECASE) for style in Labels
}
_SLASH = re.compile(r"(?<=\d)[ ]+/[ ]+(?=\.?\d)")
_RESULTS = re.compile(
    r"\W{0,4}(?:final )?(?:answers|results|solutions)\W{1,4}(?:[\d.]{1,15} / ){2,8}[\d.]{1,15}\s*$", re.IGNORECASE
)
"""Several results in one line, which are no quotient."""
_LABEL_ALONE = re.compile(r"\((?:[a-h]|\d|[iv]{1,3})\)")
"""At the end of a line, apart from it, as the number of an equation."""
MAX_CELLS = 3
"""A table's row with more cells is data rather than results."""
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi")
_INLINE_LABELS = {
    Labels.letters: re.compile(
        r"(?<=[\s.;,])(?=\([b-h]\)\s)|(?<=[.;]\s)(?=[b-h]\)\s)|(?<=[:.*]\s)(?=\(?a\)\s)|(?<=[;,]\s)(?=\(a\)\s)",
        re.IGNORECASE,
    ),
    Labels.digits: re.compile(r"(?<=[.;]\s)(?=\(?[2-9]\)\s)|(?<=[:.*]\s)(?=\(?1\)\s)"),
    Labels.romans: re.compile(r"(?<=[.;]\s)(?=\(?(?:iii|ii|iv|vi|v)\)\s)|(?<=[:.*]\s)(?=\(?i\)\s)"),
}
"""Where a part begins within a line."""
_EQUATION_LABEL = re.compile(r"^\s*\((?:\d|[ivxIVX]{1,4}|\*{1,3})\)\s+(?=\S)")
"""The number that a student gives to an equation."""
_BULLET = re.compile(r"^\s*[-*•–]\s+")
_STRUCK = re.compile(r"~~[^~]+~~")
_QUOTATION = re.compile(r"\s*>(?:\s|$)")
_GOES_ON = re.compile(r"\s*(?:[=≈]|\\approx\b)")
_ALONE = re.compile(r"\s*(?:\w{1,12}|(?![^\n]*[=<>≈≤≥≠:;,|])(?:\\[A-Za-z]+|[^\W\d_](?![^\W\d_])|[\W\d_]){1,60})\s*")
"""A name or a short expression that stands alone in its line, as above a chain that begins with its sign."""
_PROFIT = re.compile(r"(?:π|pi)['′]*\s*(?:\(|$)")
"""A name on the left of a chain, as of a profit: nobody computes the number there."""
_SPACES = re.compile(r"[ \t]{2,}")
_GAP = re.compile(r"(?<=[\w)\]%°€}])(?:[ ]{3,}|[ ]*\t[ \t]*)(?=[A-Za-z0-9√])")
_CELL_GAP = re.compile(r"(?<=[\w)\]%°€}])(?:[ ]{2,}|[ ]*\t[ \t]*)(?=[\w√.]|[-−]\d)")
"""Between what stands side by side in a line: equations, or the cells of a table without bars."""
MIN_GAPS = 2
"""Gaps of a line without a relation from which on it is a table's row."""
_TRAILING_LABEL = re.compile(r"(?<=[\w)\]%°€}$])[ \t]{2,}(?=\([a-h]\)[ \t]*$)")
_TABLE_ROW = re.compile(r"^\s*\|(.*)\|\s*$")
_RULE = re.compile(r"[-:| ]+")
_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?")
_ANSWER = re.compile(
    r"\b(?:final answers?|answers?|ans|result)\b\s*(?:is|are|=|:|\*)|\\boxed|^\W*(?:final )?(?:results?|solutions?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WorkStep:
    """A chain of expressions in a line (from 1) of the submission; an expression that was not understood is None.

    `position` counts the lines that are not blank. `name` is the variable that the chain is about, also where it began
    in an earlier line. `is_aside` tells that it stands in a remark, such as a check or words in parentheses, and states
    no answer.
    """

    line: int
    position: int
    part: int | None
    expressions: tuple[Expression | None, ...]
    texts: tuple[str, ...]
    relations: tuple[str, ...]
    name: str | None = None
    joined: bool = False
    is_marked: bool = False
    is_aside: bool = False

    @property
    def result(self) -> Expression | None:
        """The last expression: what the chain comes to."""
        return self.expressions[-1]


@dataclass(frozen=True)
class Submission:
    """What a student handed in: its lines, and the steps found in them. `parts` are the parts that it labels."""

    lines: tuple[str, ...]
    steps: tuple[WorkStep, ...]
    parts: tuple[int, ...]
    part_of_line: tuple[int | None, ...]

    def line(self, number: int) -> str:
        """The text of a line (from 1), without the space around it."""
        return self.lines[number - 1].strip()


def read_submission(text: str, *, parts: int = 1, labels: Labels = Labels.letters) -> Submission:
    """Read a submission as LaTeX, Markdown or plain text, in which parts are labelled in one way."""
    lines = tuple(_one_spaced(line) for line in text[:MAX_CHARS].splitlines()[:MAX_LINES])
    unquoted = _unquoted(lines)
    steps: list[WorkStep] = []
    part_of_line: list[int | None] = []
    part: int | None = None
    seen: list[int] = []
    environment = display = False
    variables = _variables(unquoted)
    filled = 0
    for number, line in enumerate(_with_left_sides(unquoted), 1):
        filled += bool(line.strip())
        marked = is_marked(line)
        for piece in _pieces(with_lists(line), labels if parts > 1 else None):
            label = _label(piece, labels) if parts > 1 else None
            if label is not None and label < max(parts, 1) + 2:
                part = label
                seen += [label] * (label not in seen)
                piece = _LABELS[labels].sub("", piece, count=1)
            opens = [match[1] == "begin" for match in _ENVIRONMENT.finditer(piece)]
            inside = environment or display or any(opens)
            for text in _ROW.split(_ENVIRONMENT.sub(" ", piece)):
                plain = text if inside else _BULLET.sub("", text)
                row = _Row(_EQUATION_LABEL.sub("", plain), number, filled, part, inside, marked)
                _add_steps(steps, row, variables)
            environment = opens[-1] if opens else environment
            display = display ^ (piece.count("$$") % 2 == 1)
            display = (display or r"\[" in piece) and r"\]" not in piece
        part_of_line.append(part)
    return _with_first_part(Submission(lines, tuple(steps), tuple(seen), tuple(part_of_line)), parts)


def _one_spaced(line: str) -> str:
    """The line with single spaces, and tabs for gaps; of "Answers: 0.1 / 0.2 / 0.3", too."""
    if _RESULTS.match(line):
        line = _SLASH.sub("\t", line)
    if any(relation in line for relation in "=≈<>→"):
        line = _TRAILING_LABEL.sub("\t", _GAP.sub("\t", line))
    elif len(_CELL_GAP.findall(line)) >= MIN_GAPS:
        line = _CELL_GAP.sub("\t", line)
    return _SPACES.sub(" ", line)


def _with_first_part(submission: Submission, parts: int) -> Submission:
    """Where all parts but the first are labelled, what stands above the labels belongs to that one."""
    if {*submission.parts} != {*range(1, parts)} or not any(step.part is None for step in submission.steps):
        return submission
    steps = tuple(replace(step, part=0) if step.part is None else step for step in submission.steps)
    lines = tuple(0 if of is None else of for of in submission.part_of_line)
    return replace(submission, steps=steps, part_of_line=lines, parts=(0, *submission.parts))


def _unquoted(lines: Sequence[str]) -> list[str]:
    """The lines without Markdown's marks of a quotation and what is struck; ">" below an expression is a relation."""
    unquoted: list[str] = []
    is_quoted, above = False, ""
    for line in lines:
        quotation = _QUOTATION.match(line)
        is_quoted = quotation is not None and (is_quoted or not above.strip())
        unquoted.append(_STRUCK.sub("", line[quotation.end() :] if quotation and is_quoted else line))
        above = line
    return unquoted


def _with_left_sides(lines: Sequence[str]) -> Iterator[str]:
    """The lines, where one that begins with a sign has the lone expression above it before the sign."""
    alone = ""
    for line in lines:
        yield f"{alone} {line}" if alone and _GOES_ON.match(line) else line
        if line.strip():
            alone = line.strip() if _ALONE.fullmatch(line) else ""


def labels_in(text: str, task: str, parts: int) -> Labels:
    """How the parts are labelled in a submission: as in the task, or in another way if that labels each part."""
    found = {style: _labelled(text, style, parts) for style in Labels}
    asked = {style: len(_labelled(task, style, parts)) for style in Labels}
    expected = max(Labels, key=lambda style: asked[style])
    if found[expected]:
        return expected
    return next((style for style in Labels if len(found[style]) == parts), expected)


def _labelled(text: str, style: Labels, parts: int) -> set[int]:
    """The parts that lines of a text are labelled with."""
    pieces = (piece for line in text.splitlines() for piece in _pieces(_one_spaced(line), style))
    labels = (_label(piece, style) for piece in pieces)
    return {label for label in labels if label is not None and 0 <= label < parts}


def _label(line: str, style: Labels) -> int | None:
    match = _LABELS[style].match(line)
    if not match:
        return None
    label = next(group for group in match.groups() if group).lower()
    if style is Labels.romans:
        return _ROMANS.index(label)
    return int(label) - 1 if style is Labels.digits else ord(label) - ord("a")


def _pieces(line: str, labels: Labels | None) -> list[str]:
    """What stands in one line: the cells of a table's row, or of several labels, "(a) 2 (b) 3", each with its own."""
    if "\t" in line.strip():
        *cells, last = line.strip().split("\t")
        is_own = labels is not None and _LABEL_ALONE.fullmatch(last) and _label(cells[0], labels) is None
        cells = [f"{last} {cells[0]}", *cells[1:]] if is_own else [*cells, last]
        return [piece for cell in cells for piece in _pieces(cell, labels)] if len(cells) <= MAX_CELLS else []
    row = _TABLE_ROW.match(line)
    if row:
        cells = [] if _RULE.fullmatch(line) else row[1].split("|")
        is_labelled = len(cells) > 1 and labels is not None and _label(cells[0].strip() + " ", labels) is not None
        return [" ".join(cells[:2]), *cells[2:]] if is_labelled else (cells if len(cells) <= MAX_CELLS else [])
    if labels is None:
        return [line]
    borders = [0, *(found.start() for found in _INLINE_LABELS[labels].finditer(line)), len(line)]
    return [line[start:end] for start, end in pairwise(borders)]


def is_marked(line: str) -> bool:
    """Whether a line says that it gives an answer."""
    return bool(_ANSWER.search(line))


def _variables(lines: Sequence[str]) -> frozenset[str]:
    """The letters that stand for quantities anywhere in the submission."""
    return frozenset().union(*(free_names(tokens_of(line)) for line in lines))


@dataclass(frozen=True)
class _Row:
    """A line or a piece of one, with what is known of its place."""

    text: str
    line: int
    position: int
    part: int | None
    is_formula: bool
    is_marked: bool


def _add_steps(steps: list[WorkStep], row: _Row, variables: frozenset[str]) -> None:
    stated, asides = split_asides(row.text)
    for text, is_aside in ((stated, False), *((aside, True) for aside in asides)):
        for chain in _chains(text, row.is_formula, variables):
            before = next((one for one in reversed(steps) if not one.is_aside), None)
            is_above = before is not None and before.part == row.part and before.position >= row.position - 1
            goes_on = is_above and not chain.joined
            steps.append(_step(chain, before if goes_on else None, row, is_aside))


def _chains(text: str, is_formula: bool, variables: frozenset[str]) -> Iterator[Chain]:
    if any(char.isdigit() or char in "=π" for char in text):
        yield from chains_of(with_units(tokens_of(text, math=is_formula), variables))


def _step(chain: Chain, before: WorkStep | None, row: _Row, is_aside: bool) -> WorkStep:
    expressions: list[Expression | None] = [_expression(pieces) for pieces in chain.expressions]
    texts = [text_of(pieces) for pieces in chain.expressions]
    if chain.continued:
        # "= 11 m/s" goes on from what the line before came to.
        expressions = [before.result if before else None, *expressions]
        texts = [before.texts[-1] if before else "", *texts]
    if _PROFIT.match(texts[0]) and len(expressions) > 1:
        expressions[0] = None
    first = expressions[0]
    name = first.name if first is not None and len(expressions) > 1 else None
    if chain.continued and before is not None:
        name = before.name or name
    return WorkStep(
        row.line,
        row.position,
        row.part,
        tuple(expressions),
        tuple(texts),
        chain.relations,
        name,
        chain.joined,
        is_marked=(row.is_marked or chain.boxed) and not is_aside,
        is_aside=is_aside,
    )


def _expression(pieces: tuple[Piece, ...]) -> Expression | None:
    try:
        return expression_of(pieces)
    except UnreadableMathematics:
        return None
