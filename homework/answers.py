"""Reads final answers, official ones and a student's: numbers, sets, ranges, matrices, terms, words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from homework.asides import split_asides
from homework.mathematics.notation import with_lists
from homework.mathematics.parser import Expression
from homework.mathematics.tokens import FUNCTIONS, GREEK
from homework.mathematics.trees import Name, Operation, UnreadableMathematics, brackets_of
from homework.mathematics.units import Dimension, unit_of_word
from homework.mathematics.values import AS_WRITTEN, InconsistentUnits, dimension_of, value_of_tree, values_of
from homework.submission import WorkStep, read_submission

MIN_WORD = 4
"""Letters from which one word alone makes an answer of words."""

_LABEL = re.compile(r"^\s*\(?[a-h][).:]\s+")
_ARROW = re.compile(r"->|[→⟶⇌]|\\(?:to|(?:long)?rightarrow|rightleftharpoons|ce)\b")
"""Of a reaction or a mapping, which is compared as words."""
_UNIT_VECTOR = re.compile(r"(?:hat|vec|mathbf)?([ijk])(?:math)?")
_INFINITE = {"infty": math.inf}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Quantity:
    """A number with the dimension of its unit, both scaled to base units and as written."""

    value: float
    written: float
    dimension: Dimension | None = ()
    unit: str = ""
    half_digit: float = 0.0
    digits: int = 9
    is_decimal: bool = False
    is_percent: bool = False

    @property
    def has_unit(self) -> bool:
        return bool(self.unit)

    @property
    def scale(self) -> float:
        """The factor of the unit to base units."""
        return self.value / self.written if self.written else 1.0


@dataclass(frozen=True)
class Range:
    """An interval; a limit may be infinite. Whether its ends belong to it is in `closed`.

    `scale` is the factor of its unit to base units, if it has one.
    """

    low: float
    high: float
    closed: tuple[bool, bool]
    is_decimal: bool
    scale: float | None = None


Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class FinalAnswer:
    """One final answer: numbers in any order, ranges, rows of numbers, a term, or words. `name` is its variable.

    `term` is a chain's last expression where it has variables, `equation` both sides of `y = 2x + 1`. `is_unsolved`
    tells that the value is one side of an equation that is to be solved, `2x = 4`. `is_result` tells that it stands
    behind an equals sign, `is_computed` that it was computed there.
    """

    text: str
    values: tuple[Quantity, ...] = ()
    ranges: tuple[Range, ...] = ()
    rows: Rows = ()
    term: Expression | None = None
    equation: tuple[Expression, Expression] | None = None
    name: str | None = None
    is_unsolved: bool = False
    is_result: bool = False
    is_computed: bool = False

    @property
    def is_words(self) -> bool:
        """Nothing in it that can be computed."""
        return not (self.values or self.ranges or self.rows or self.term)


def official_answers(text: str) -> list[FinalAnswer]:
    """The answers that an official final answer holds: usually one; several for `t = 2 s, v = 20 m/s`."""
    text = split_asides(with_lists(_LABEL.sub("", text)))[0].strip()
    steps: list[WorkStep] = []
    if not _is_prose(text) and not _ARROW.search(text):
        # "2 km" is text and "mgh" is a formula: the first reading that comes to something counts.
        readings = (read_submission(form).steps for form in (text, f"${text}$"))
        steps = next(([*read] for read in readings if any(answers_of_step(step) for step in read)), [])
    answers = [answer for group in _alternatives(steps) for answer in _joined(text, group)]
    numbers = [answer for answer in answers if not answer.term or answer.name or answer.equation]
    return numbers or answers or [FinalAnswer(text)]


def answers_of_line(line: str, steps: Sequence[WorkStep]) -> list[FinalAnswer]:
    """The answers that a student's line gives: ranges in words, several values together, and what each chain gives."""
    single = [answer for step in steps for answer in answers_of_step(step)]
    together = alternatives_of_line(line, steps)
    values = tuple(dict.fromkeys(value for answer in single for value in answer.values))
    everything = FinalAnswer(line, values, name=single[0].name) if len(single) > 1 and len(values) > 1 else None
    return [*together, *([everything] if everything else []), *reversed(single)]


def alternatives_of_line(line: str, steps: Sequence[WorkStep]) -> list[FinalAnswer]:
    """The values or ranges that a line gives to one variable side by side: `x = 2 or x = 3`."""
    groups = [group for group in _alternatives(list(steps)) if sum(map(_has_answer, group)) > 1]
    return [answer for group in groups for answer in _joined(line, group)]


def _has_answer(step: WorkStep) -> bool:
    return bool(answers_of_step(step))


def _range_between(low: Quantity, high: Quantity, closed: tuple[bool, bool]) -> Range:
    scale = next((end.scale for end in (low, high) if end.has_unit), None)
    return Range(low.written, high.written, closed, low.is_decimal or high.is_decimal, scale)


def range_of(answer: FinalAnswer) -> Range | None:
    """The range of an answer; of two values, as of `50 ± 2`, the one between them."""
    if answer.ranges or len(answer.values) != 2:
        return answer.ranges[0] if len(answer.ranges) == 1 else None
    low, high = sorted(answer.values, key=lambda value: value.written)
    return _range_between(low, high, (True, True))


def rows_of(answer: FinalAnswer) -> Rows:
    """The rows of an answer; `(1, 2)` may be a vector as well as a range."""
    if not answer.rows and len(answer.ranges) == 1 and answer.ranges[0].closed == (False, False):
        return ((answer.ranges[0].low, answer.ranges[0].high),)
    return answer.rows


def _alternatives(steps: list[WorkStep]) -> list[list[WorkStep]]:
    """Steps that belong together: `x = 2 or x = 3`, `x = 2, 3`. Those of another variable stand alone."""
    groups: list[list[WorkStep]] = []
    for step in steps:
        before = groups[-1][-1].name if groups else None
        is_alike = (
            (step.name is None and not step.relations) or base_name(step.name) == base_name(before) or _ranges_of(step)
        )
        if step.joined and groups and is_alike:
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def base_name(name: str | None) -> str | None:
    """`x_1` and `x_2` are both solutions for `x`."""
    return re.sub(r"_?\d$", "", name) if name else None


def _joined(text: str, steps: Sequence[WorkStep]) -> list[FinalAnswer]:
    """What steps side by side come to together."""
    answers = [answer for step in steps for answer in answers_of_step(step)]
    ranges = tuple(sorted((one for answer in answers for one in answer.ranges), key=lambda one: one.low))
    if len(steps) == 1 or len(answers) == 1:
        return answers
    if len(ranges) == len(answers) > 1:
        return [FinalAnswer(text, ranges=ranges)]
    values = tuple(dict.fromkeys(value for answer in answers for value in answer.values))
    return [FinalAnswer(text, values, name=answers[0].name)] if values else []


def answers_of_step(step: WorkStep) -> list[FinalAnswer]:
    """What a chain comes to; several for `(x, y) = (2, 1)`."""
    if ranges := _ranges_of(step):
        return [FinalAnswer(step.texts[-1], ranges=ranges)]
    step = _without_bound(step)
    result = step.result
    if result is None or (step.relations and step.relations[-1] in "<>≤≥≠"):
        return []
    left = step.expressions[0]
    listed = list(_of_list(result, step.name))
    names, array = _names_in(left), _array_of(result) if listed else None
    if array is not None and len(names) == array.size:
        return [
            FinalAnswer(f"{number:g}", (Quantity(number, number, is_decimal=number % 1 != 0),), name=name)
            for name, number in zip(names, map(float, array.ravel()), strict=True)
        ]
    answer = None if listed else _of_number(step, result) if not result.names else _of_term(step, result)
    return listed or ([answer] if answer else [])


def _without_bound(step: WorkStep) -> WorkStep:
    """A chain without what its value is compared with in the end: `NPV = 500 - 122 = 378 > 0`."""
    end = next((at for at, relation in enumerate(step.relations) if relation in "<>≤≥≠"), None)
    if not end:
        return step
    return replace(
        step, expressions=step.expressions[: end + 1], texts=step.texts[: end + 1], relations=step.relations[:end]
    )


def answers_passed(step: WorkStep) -> Iterator[FinalAnswer]:
    """The numbers that a chain comes by on its way: 120 km/h in `150/1.25 = 120 km/h = 33.3 m/s`."""
    for expression in step.expressions[1:-1]:
        if expression is not None and not expression.names and (expression.number or step.result is None):
            values = quantities_of(expression)
            if values:
                yield FinalAnswer(expression.text, values, name=step.name, is_result=True)


def _names_in(left: Expression | None) -> list[str]:
    """The names of a list of variables, `(x, y)`."""
    parts = left.tree.parts if left and left.brackets and isinstance(left.tree, Operation) else ()
    return [part.text for part in parts if isinstance(part, Name)]


def _of_list(result: Expression, name: str | None) -> Iterator[FinalAnswer]:
    """What a list, a sum of lists or a union of intervals comes to."""
    if isinstance(result.tree, Operation) and result.tree.operator == "∪":
        pieces = [(_as_array(value_of_tree(part, _INFINITE)), brackets_of(part)) for part in result.tree.parts]
        ranges = [_interval(array, brackets, result) for array, brackets in pieces if array is not None]
        yield FinalAnswer(result.text, ranges=tuple(sorted(ranges, key=lambda one: one.low)))
        return
    array = _array_of(result)
    if array is None:
        return
    if result.brackets.replace("\\", "") == "{}":
        members = tuple(Quantity(x, x, is_decimal=x % 1 != 0) for x in map(float, array.ravel()))
        yield FinalAnswer(result.text, members, name=name)
    elif array.ndim == 1 and len(array) == 2:
        yield FinalAnswer(result.text, ranges=(_interval(array, result.brackets, result),), name=name)
    elif array.ndim <= 2:
        yield FinalAnswer(result.text, rows=tuple(tuple(map(float, row)) for row in np.atleast_2d(array)), name=name)


def _interval(ends: Array, brackets: str, written: Expression) -> Range:
    scale = written.units[0].factor if len(written.units) == 1 else None
    closed = (brackets[:1] == "[", brackets[-1:] == "]")
    return Range(float(ends[0]), float(ends[1]), closed, bool(written.decimals), scale)


def _array_of(result: Expression) -> Array | None:
    try:
        if result.names and (names := [_UNIT_VECTOR.fullmatch(name) for name in sorted(result.names)]):
            letters = {match[1]: match[0] for match in names if match}
            if len(letters) < len(names) or not {"i", "j"} <= letters.keys():
                return (
                    None if result.names - {"infty"} else _as_array(value_of_tree(result.tree, _INFINITE, AS_WRITTEN))
                )
            origin = dict.fromkeys(letters.values(), 0.0)
            return np.array(
                [value_of_tree(result.tree, origin | {letters[key]: 1.0}, AS_WRITTEN) for key in sorted(letters)]
            )
        return _as_array(value_of_tree(result.tree, _INFINITE, AS_WRITTEN))
    except UnreadableMathematics:
        return None


def _as_array(value: object) -> Array | None:
    return value if isinstance(value, np.ndarray) else None


def _of_number(step: WorkStep, result: Expression) -> FinalAnswer | None:
    known = quantities_of(result)
    before = step.expressions[-2] if len(step.expressions) == 2 else None
    equation = (before, result) if before is not None and before.names and before.name is None else None
    evaluated = [part for part in step.expressions if part is not None and not part.names]
    answer = FinalAnswer(
        result.text,
        known,
        equation=equation,
        name=step.name,
        is_unsolved=equation is not None and _is_to_be_solved(equation[0]) and not result.units,
        is_result=bool(step.relations),
        is_computed=len(evaluated) > 1 or any(part.number is None for part in evaluated),
    )
    return answer if known else None


def _of_term(step: WorkStep, result: Expression) -> FinalAnswer | None:
    left = step.expressions[0]
    equation = (left, result) if len(step.expressions) == 2 and left is not None else None
    if equation and result.name and not equation[0].names:
        # "3 = x"
        values = quantities_of(equation[0])
        return FinalAnswer(equation[0].text, values, name=result.name) if values else None
    return FinalAnswer(result.text, term=result, equation=equation, name=step.name)


def _is_to_be_solved(side: Expression) -> bool:
    """Whether a side is a product, sum or power of one variable: `2x`, `v^2`, but not `|z|`."""
    tree = side.tree
    return len(side.names) == 1 and isinstance(tree, Operation) and tree.operator in ("+", "-", "neg", "*", "/", "^")


def _ranges_of(step: WorkStep) -> tuple[Range, ...]:
    """The range that an inequality gives to one variable."""
    if not step.relations or any(relation not in "<>≤≥" for relation in step.relations):
        return ()
    values = [
        None if part is None or part.names else next(iter(quantities_of(part)), None) for part in step.expressions
    ]
    variables = [at for at, part in enumerate(step.expressions) if part is not None and part.name]
    if len(variables) != 1 or len([value for value in values if value]) != len(values) - 1:
        return ()
    (variable,) = variables
    low, high, closed = -math.inf, math.inf, [False, False]
    for at, value in enumerate(values):
        if value is None or abs(at - variable) != 1:
            continue
        relation = step.relations[min(at, variable)]
        if (relation in "<≤") == (at < variable):
            low, closed[0] = value.written, relation in "≤≥"
        else:
            high, closed[1] = value.written, relation in "≤≥"
    return (Range(low, high, (closed[0], closed[1]), any(value.is_decimal for value in values if value)),)


def quantities_of(expression: Expression) -> tuple[Quantity, ...]:
    """The value of an expression without variables, two where it has a ±; none where it cannot be computed."""
    try:
        scaled, written = values_of(expression), values_of(expression, None, AS_WRITTEN)
        dimension = dimension_of(expression)
    except (UnreadableMathematics, InconsistentUnits):
        return ()
    if len(scaled) > 1 and len(expression.units) == 1:
        # Of "120 ± 4.9 mmHg", the unit belongs to both.
        scaled = tuple(value * expression.units[0].factor for value in written)
    number = expression.number
    units = " ".join(unit.text for unit in expression.units)
    return tuple(
        Quantity(
            value,
            shown,
            dimension,
            units,
            number.half_digit if number else 0.0,
            number.digits if number else 9,
            bool(expression.decimals) or abs(shown - round(shown)) > 1e-9,
            "%" in expression.text,
        )
        for value, shown in zip(scaled, written, strict=True)
    )


def _is_prose(text: str) -> bool:
    """Whether an official answer is words: no unit, no function, and it does not begin with its value."""
    words = [word for word in re.findall(r"(?<![\\A-Za-z])[A-Za-z]{3,}", text) if not _is_mathematics(word)]
    said = len(words) >= 2 or any(len(word) >= MIN_WORD for word in words)
    return said and not re.match(r"^[^A-Za-z]*\d", text.strip()) and "=" not in text


def _is_mathematics(word: str) -> bool:
    return word.lower() in FUNCTIONS or word.lower() in ("sqrt", "infinity", *GREEK) or unit_of_word(word) is not None
