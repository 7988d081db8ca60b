"""Reads final answers, official ones and a student's: numbers, sets, ranges, matrices, terms, words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from homework.asides import split_asides
from homework.mathematics.expressions import Expression
from homework.mathematics.latex import UnreadableMathematics
from homework.mathematics.tokens import FUNCTIONS, GREEK
from homework.mathematics.units import Dimension, unit_of_text, unit_of_word
from homework.mathematics.values import InconsistentUnits, dimension_of, values_of
from homework.submission import Step, read_submission

MIN_WORD = 4
"""Letters from which one word alone makes an answer of words."""

_RANGE = re.compile(
    r"([(\[\]])\s*([^()\[\],;]+(?:\([^()]*\)[^()\[\],;]*)?)\s*[,;]\s*([^()\[\],;]+(?:\([^()]*\))?)\s*([)\]\[])"
)
_END = r"(\S+(?:\s*%|\s+[A-Za-zµΩ°]{1,3}\b)?)"
_BETWEEN = re.compile(rf"\bbetween\s+{_END}\s+and\s+{_END}|\bfrom\s+{_END}\s+to\s+{_END}", re.IGNORECASE)
_MATRIX = re.compile(r"\\begin\{[pbvBV]?matrix\}(.*?)\\end\{[pbvBV]?matrix\}", re.DOTALL)
_ROWS = re.compile(r"\[\s*\[.*?\]\s*\]", re.DOTALL)
_SPACES = re.compile(r"(?<!\\)\\[,;:! ](?!\d{3}(?!\d))|\\q?quad\b|\\(?:left|right)(?![a-z])")
_BAR = re.compile(r"\(([^()|]+?)\s*(?:\||\\mid\b|∣)\s*([^()|]+?)\)")
"""A point as German schools write it: `(2 | 1)`."""
_NAMED_TUPLE = re.compile(r"\(\s*([A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)+)\s*\)\s*=\s*\(([^()=]+)\)")
_UNIT_VECTOR = r"\s*(?:\\(?:hat|vec|mathbf)\s*\{{?\s*\\?)?{0}(?:math)?\}}?"
_SIGNED = r"([-+−]\s*(?:\d++(?:\.\d++)?)?)"
_COMPONENTS = re.compile(
    r"(?<![\d.])([-+−]?\s*(?:\d++(?:\.\d++)?)?)"
    + _UNIT_VECTOR.format("i") + r"\s*" + _SIGNED + _UNIT_VECTOR.format("j")
    + r"(?:\s*" + _SIGNED + _UNIT_VECTOR.format("k") + r")?(?![A-Za-z])"
)  # fmt: skip
"""A vector by its unit vectors: `1.5i - 2j`."""
_TUPLE = re.compile(r"(?<![\w)])[(\[⟨]([^()\[\]⟨⟩=]+(?:[,;][^()\[\]⟨⟩=]+){2,})[)\]⟩]")
"""A vector: three numbers or more. Two are a range."""
_POINT_NAME = re.compile(r"(?<![A-Za-z\\])[A-Z]$")
_THOUSANDS = re.compile(r"\s*-?\d{1,3}(?:,\d{3})+\b.*")
_SET = re.compile(r"\\?\{((?:[^{}=]|\{[^{}=]*\})*[,;](?:[^{}=]|\{[^{}=]*\})*?)\\?\}")
_CUP = re.compile(r"∪|\\cup\b")
_OR = re.compile(r"\b(?:or|oder|of|ou)\b|∨|\\(?:lor|vee)\b")
_LABEL = re.compile(r"^\s*\(?[a-h][).:]\s+")
_INFINITE = re.compile(r"^([+-]?)\s*(?:\\infty|∞|inf(?:inity)?|oo)$")


@dataclass(frozen=True)
class Value:
    """A number with the dimension of its unit, both scaled to base units and as written."""

    value: float
    written: float
    dimension: Dimension | None
    unit: str
    half_digit: float
    digits: int
    is_decimal: bool
    is_percent: bool

    @property
    def has_unit(self) -> bool:
        return bool(self.unit)


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


@dataclass(frozen=True)
class FinalAnswer:
    """One final answer: numbers in any order, a range, rows of numbers, a term, or words. `name` is its variable.

    `union` are the ranges of `x < 3 or x > 8`; `term` is a chain's last expression where it has variables, `equation`
    both sides of `y = 2x + 1`. `is_unsolved` tells that the value is one side of an equation that is to be solved,
    `2x = 4`. `is_result` tells that it stands behind an equals sign, `is_computed` that it was computed there.
    """

    text: str
    values: tuple[Value, ...] = ()
    range: Range | None = None
    union: tuple[Range, ...] = ()
    rows: tuple[tuple[float, ...], ...] = ()
    ordered: bool = False
    term: Expression | None = None
    equation: tuple[Expression, Expression] | None = None
    name: str | None = None
    is_unsolved: bool = False
    is_result: bool = False
    is_computed: bool = False

    @property
    def is_words(self) -> bool:
        """Nothing in it that can be computed."""
        return not (self.values or self.range or self.union or self.rows or self.term)


def official_answers(text: str) -> list[FinalAnswer]:
    """The answers that an official final answer holds: usually one; several for `t = 2 s, v = 20 m/s`."""
    text = plain(split_asides(_LABEL.sub("", text))[0]).strip()
    if named := _named_tuple(text):
        return named
    if special := _special(text):
        return [special]
    steps: list[Step] = []
    if not _is_prose(text):
        # "2 km" is text and "mgh" is a formula: the first reading that comes to something counts.
        readings = ([step for step in read_submission(form).steps if _answer_of(step)] for form in (text, f"${text}$"))
        steps = next((found for found in readings if found), [])
    answers = [answer for group in _alternatives(steps) if (answer := _joined(text, group))]
    numbers = [answer for answer in answers if not answer.term or answer.name or answer.equation]
    return numbers or answers or [FinalAnswer(text)]


def answers_of_line(line: str, steps: Sequence[Step]) -> list[FinalAnswer]:
    """The answers that a student's line gives: what its chains come to, together as a set, and ranges in it."""
    line = plain(line)
    found = [answer for step in steps if (answer := _answer_of(step))]
    special = _special(line)
    together = alternatives_of_line(line, steps)
    everything = _joined(line, list(steps)) if len(steps) > 1 else None
    whole = [answer for answer in (special, *together, everything) if answer]
    return [*_named_tuple(line), *whole, *reversed(found)]


def alternatives_of_line(line: str, steps: Sequence[Step]) -> list[FinalAnswer]:
    """The values that a line gives to one variable side by side: `x = 2 or x = 3`."""
    groups = [group for group in _alternatives(list(steps)) if len(group) > 1]
    return [answer for group in groups if (answer := _joined(line, group))]


def plain(text: str) -> str:
    """The text without LaTeX's spaces, and with points written with a comma."""
    return _BAR.sub(r"(\1, \2)", _SPACES.sub(" ", text))


def _named_tuple(text: str) -> list[FinalAnswer]:
    """The values of `(x, y) = (2, 1)`, each with its name."""
    found = _NAMED_TUPLE.search(text)
    if found is None:
        return []
    names, cells = found[1].split(","), found[2].split(",")
    values = [_values_in(cell) for cell in cells]
    if len(names) != len(cells) or any(len(one) != 1 for one in values):
        return []
    return [
        FinalAnswer(cell.strip(), values=(one[0],), name=name.strip())
        for name, cell, one in zip(names, cells, values, strict=True)
    ]


def _special(text: str) -> FinalAnswer | None:
    """Matrices, sets and ranges, which are read as a whole."""
    matrices = list(_MATRIX.finditer(text))
    if matrices:
        rows = [re.split(r"&", row) for row in re.split(r"\\\\", matrices[-1][1]) if row.strip()]
        return _rows_answer(text, rows, _factor_before(text[: matrices[-1].start()]))
    listed = list(_ROWS.finditer(text))
    if listed:
        rows = [row.split(",") for row in re.findall(r"\[([^\[\]]+)\]", listed[-1][0])]
        return _rows_answer(text, rows, _factor_before(text[: listed[-1].start()]))
    components = list(_COMPONENTS.finditer(text))
    if components:
        return _rows_answer(text, [[_coefficient(part) for part in components[-1].groups() if part is not None]])
    vectors = [found[1] for found in _TUPLE.finditer(text) if not _THOUSANDS.fullmatch(found[1])]
    if vectors and (vector := _rows_answer(text, [re.split(r"[,;]", vectors[-1])])):
        return vector
    union = _union(text)
    if union:
        return FinalAnswer(text, union=union)
    inequality = _inequality(text)
    if inequality:
        return FinalAnswer(text, range=inequality)
    return _bracketed(text)


def _factor_before(text: str) -> float:
    """The number that multiplies what follows the text, `A = \\frac{1}{2}`; 1 if there is none."""
    number = number_in(re.split(r"=|≈|\\approx", text)[-1].strip(" $*·")) if text.strip() else None
    return number if number is not None else 1.0


def _coefficient(text: str) -> str:
    plain = text.replace(" ", "").replace("−", "-")
    return f"{plain}1" if plain in ("", "+", "-") else plain


def _rows_answer(text: str, rows: list[list[str]], factor: float = 1.0) -> FinalAnswer | None:
    numbers = [[number_in(cell) for cell in row] for row in rows]
    if any(number is None for row in numbers for number in row):
        return None
    scaled = tuple(tuple(factor * number for number in row if number is not None) for row in numbers)
    return FinalAnswer(text, rows=scaled)


def _bracketed(text: str) -> FinalAnswer | None:
    for match in reversed(list(_RANGE.finditer(text))):
        low, high = number_in(match[2]), number_in(match[3])
        if low is None or high is None or _is_called(text, match):
            continue
        closed = (match[1] == "[", match[4] == "]")
        scale = _scale_of(match[2], match[3], text[match.end() :])
        return FinalAnswer(text, range=Range(low, high, closed, "." in match[2] + match[3], scale), ordered=True)
    between = _BETWEEN.search(text)
    if between:
        groups = [group.rstrip(".,;") for group in between.groups() if group]
        ends = [number_in(group) for group in groups]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
            scale = _scale_of(*groups)
            return FinalAnswer(text, range=Range(ends[0], ends[1], (True, True), "." in between[0], scale))
    members = _SET.search(text)
    if members:
        pieces = members[1].split(";" if ";" in members[1] else ",")
        values = [value for piece in pieces for value in _values_in(piece)]
        return FinalAnswer(text, values=tuple(values)) if values else None
    return None


def _scale_of(first: str, second: str, behind: str = "") -> float | None:
    """The factor of the unit that the ends of a range have, or that stands behind it; None without a unit."""
    values = [value for end in (first, second) for value in _values_in(end) if value.has_unit and value.written]
    if values:
        return values[0].value / values[0].written
    unit = unit_of_text(behind.strip(" $.,;")) if behind.strip(" $.,;") else None
    return unit.factor if unit else None


def _is_called(text: str, match: re.Match[str]) -> bool:
    """Whether something is called with two arguments, `P(3, 5) = 0.2`; `V(3, -4)` is a point with its name."""
    before, after = text[: match.start()], text[match.end() :].lstrip()
    return before[-1:].isalpha() and (not _POINT_NAME.search(before) or after.startswith("="))


def _union(text: str) -> tuple[Range, ...]:
    """The ranges of `x < 3 or x > 8` and of `(-∞, 3) ∪ (8, ∞)`, from low to high; none where there is one at most."""
    if _CUP.search(text):
        pieces = [answer.range for piece in _CUP.split(text) if (answer := _bracketed(piece))]
        found = [one for one in pieces if one]
    else:
        found = []
        for step in read_submission(text).steps:
            if one := _range_in(step):
                found = [*found, one] if step.joined and found else [one]
        found = found if _OR.search(text) else []
    return tuple(sorted(found, key=lambda one: one.low)) if len(found) > 1 else ()


def _inequality(text: str) -> Range | None:
    """`x > 2`, `-1 ≤ x < 3` as a range; the last in the text."""
    found = [one for step in read_submission(text).steps if (one := _range_in(step))]
    return found[-1] if found else None


def _range_in(step: Step) -> Range | None:
    """The range that an inequality gives to one variable."""
    if not step.relations or any(relation not in "<>≤≥" for relation in step.relations):
        return None
    values = [None if part is None or part.names else _value_of(part) for part in step.expressions]
    variable = [at for at, part in enumerate(step.expressions) if part is not None and part.name]
    if len(variable) != 1 or len(step.expressions) - len([v for v in values if v]) != 1:
        return None
    return _range_of(variable[0], values, step.relations)


def _range_of(variable: int, values: Sequence[Value | None], relations: Sequence[str]) -> Range:
    low, high, closed = -math.inf, math.inf, [False, False]
    for at, value in enumerate(values):
        if value is None or abs(at - variable) != 1:
            continue
        relation = relations[min(at, variable)]
        below = (relation in "<≤") == (at < variable)
        if below:
            low, closed[0] = value.written, relation in "≤≥"
        else:
            high, closed[1] = value.written, relation in "≤≥"
    return Range(low, high, (closed[0], closed[1]), any(value.is_decimal for value in values if value))


def number_in(text: str) -> float | None:
    """The one number that a text comes to, or an infinity; None where it is anything else."""
    infinite = _INFINITE.match(text.strip().strip("$"))
    if infinite:
        return -math.inf if infinite[1] == "-" else math.inf
    values = _values_in(text)
    return values[0].written if len(values) == 1 else None


def _values_in(text: str) -> list[Value]:
    steps = read_submission(text.strip().strip("$")).steps
    return [value for step in steps for value in (_answer_of(step) or FinalAnswer("")).values]


def _alternatives(steps: list[Step]) -> list[list[Step]]:
    """Steps that belong together: `x = 2 or x = 3`, `x = 2, 3`. Those of another variable stand alone."""
    groups: list[list[Step]] = []
    for step in steps:
        if (step.joined and groups and step.name in (None, groups[-1][-1].name, base_name(groups[-1][-1].name))) or (
            step.joined and groups and base_name(step.name) == base_name(groups[-1][-1].name) is not None
        ):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def base_name(name: str | None) -> str | None:
    """`x_1` and `x_2` are both solutions for `x`."""
    return re.sub(r"_?\d$", "", name) if name else None


def _joined(text: str, steps: Sequence[Step]) -> FinalAnswer | None:
    answers = [answer for step in steps if (answer := _answer_of(step))]
    if len(answers) == 1:
        return answers[0]
    values = tuple(_distinct(value for answer in answers for value in answer.values))
    return FinalAnswer(text, values=values, name=answers[0].name) if values else None


def _distinct(values: Iterable[Value]) -> list[Value]:
    kept: list[Value] = []
    for value in values:
        if all(value != other for other in kept):
            kept.append(value)
    return kept


def _answer_of(step: Step) -> FinalAnswer | None:
    """What a chain comes to: its last expression that can be computed, or its last term."""
    result = step.result
    if result is None or (step.relations and step.relations[-1] in "<>≤≥≠"):
        return None
    name = step.name
    left = step.expressions[0]
    if not result.names:
        try:
            values = [_value_of(result, at) for at in range(len(result.trees))]
        except UnreadableMathematics:
            return None
        known = tuple(value for value in values if value)
        before = step.expressions[-2] if len(step.expressions) == 2 else None
        equation = (before, result) if before is not None and before.names and before.name is None else None
        is_unsolved = equation is not None and _is_to_be_solved(equation[0]) and not result.units
        evaluated = [part for part in step.expressions if part is not None and not part.names]
        is_computed = len(evaluated) > 1 or any(part.number is None for part in evaluated)
        answer = FinalAnswer(result.text, known, equation=equation, name=name, is_unsolved=is_unsolved)
        return replace(answer, is_computed=is_computed, is_result=bool(step.relations)) if known else None
    if left is not None and result.name and not left.names and len(step.expressions) == 2:
        # "3 = x"
        value = _value_of(left)
        return FinalAnswer(left.text, values=(value,), name=result.name) if value else None
    equation = (left, result) if len(step.expressions) == 2 and left is not None else None
    return FinalAnswer(result.text, term=result, equation=equation, name=name)


def _is_to_be_solved(side: Expression) -> bool:
    """Whether a side is a product, sum or power of one variable: `2x`, `v^2`, but not `|z|`."""
    tree = side.trees[0]
    return len(side.names) == 1 and bool(tree.is_Add or tree.is_Mul or tree.is_Pow)


def _value_of(expression: Expression, at: int = 0) -> Value | None:
    try:
        value, written = values_of(expression)[at], values_of(expression, scaled=False)[at]
        dimension = dimension_of(expression)
    except (UnreadableMathematics, InconsistentUnits, IndexError):
        return None
    number = expression.number
    units = " ".join(unit.text for unit in expression.units.values())
    percent = "%" in expression.text
    decimal = "." in expression.text or "e" in expression.text or not _is_simple(written)
    return Value(
        value,
        written,
        dimension,
        units,
        number.half_digit if number else 0.0,
        number.digits if number else 9,
        decimal,
        percent,
    )


def _is_simple(value: float) -> bool:
    """Whether a number is whole, so that a student's own must be the same and not near."""
    return abs(value - round(value)) < 1e-9


def _is_prose(text: str) -> bool:
    """Whether an official answer is words: no unit, no function, and it does not begin with its value."""
    words = [word for word in re.findall(r"(?<![\\A-Za-z])[A-Za-z]{3,}", text) if not _is_mathematics(word)]
    said = len(words) >= 2 or any(len(word) >= MIN_WORD for word in words)
    return said and not re.match(r"^[^A-Za-z]*\d", text.strip()) and "=" not in text


def _is_mathematics(word: str) -> bool:
    return word.lower() in FUNCTIONS or word.lower() in ("sqrt", "infinity", *GREEK) or unit_of_word(word) is not None
