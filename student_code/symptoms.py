"""What the failing tests and the traceback say about how the code fails."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, Literal

from core.code import CodeTest
from student_code.findings import CodeWork

MAX_VALUE_CHARS = 5_000
ROUNDED = 0.01
"""Share of the expected number by which one that was rounded, or not rounded, is away from it at most."""
_ERROR = re.compile(r"^\s*(?:[\w.]*\.)?([A-Z]\w*(?:Error|Exception|Interrupt|Iteration))\b:? ?(.*)$", re.MULTILINE)
_FRAME = re.compile(r'^\s*File "([^"]*)", line (\d+)(?:, in (\S+))?(?:\n\s+(.*))?', re.MULTILINE)
_LINE = re.compile(r"\b(?:line|regel|lijn) (\d+)\b", re.IGNORECASE)
_UNKNOWN = object()


Aspect = Literal["case", "spaces", "order", "sign", "rounding"]
"""What alone tells a result from the expected one."""


@dataclass(frozen=True)
class RuntimeFault:
    """The error that ended the program: its class, its message, and the student's line if a frame names it."""

    name: str
    message: str
    line: int | None = None


@dataclass(frozen=True)
class Symptoms:
    """How the code fails.

    `nothing`: a value was expected and None, or nothing, came. `off_by`: each failing result is one more or less than
    expected, or one item longer or shorter. `only`: all in which the results differ from those expected.
    """

    fault: RuntimeFault | None = None
    nothing: bool = False
    off_by: bool = False
    only: Aspect | None = None
    fails: bool = False


def symptoms_of(work: CodeWork) -> Symptoms:
    """The symptoms that all failing tests together show."""
    failing = work.failing
    pairs = [(_value(one.expected), _value(one.got)) for one in failing if one.expected is not None]
    told = [one for one in failing if one.got is not None and one.expected is not None]
    fault = next((found for one in failing if (found := _fault(one, work))), None) or _fault_in(work.text, work)
    return Symptoms(
        fault=fault,
        nothing=bool(told) and all(_is_nothing(one) for one in told),
        off_by=bool(pairs) and any(_is_off_by_one(*pair) for pair in pairs)
        and sum(_is_off_by_one(*pair) for pair in pairs) * 2 >= len(pairs),
        only=_only(pairs),
        fails=bool(failing) or fault is not None,
    )  # fmt: skip


def _fault(test: CodeTest, work: CodeWork) -> RuntimeFault | None:
    return _fault_in(test.message or "", work) or _fault_in(test.got or "", work)


def _fault_in(text: str, work: CodeWork) -> RuntimeFault | None:
    errors = [one for one in _ERROR.finditer(text) if one[1] not in ("AssertionError", "SyntaxError")]
    if not errors:
        return None
    last = errors[-1]
    before, after = text[: last.end()], text[last.end() :]
    return RuntimeFault(last[1], last[2].strip(), _line_of_frame(before, work) or _line_of_frame(after, work))


def _line_of_frame(text: str, work: CodeWork) -> int | None:
    """The line of the last frame that is in the student's code: its text stands on that line, or it names no file."""
    lines = work.lines
    frames = list(_FRAME.finditer(text))
    for frame in reversed(frames):
        number, shown = int(frame[2]), (frame[4] or "").strip()
        if 1 <= number <= len(lines) and (lines[number - 1].strip() == shown if shown else _is_students(frame[1])):
            return number
        if shown and (same := [n for n, line in enumerate(lines, 1) if line.strip() == shown]):
            return same[0]
    if not frames and (named := _LINE.search(text)) and 1 <= int(named[1]) <= len(lines):
        return int(named[1])
    return None


def _is_students(file: str) -> bool:
    return not re.search(r"site-packages|lib/python|test", file)


def _value(text: str | None) -> Any:
    """The value that a test shows, if it is a literal; else its text, and a marker for nothing at all."""
    if text is None:
        return _UNKNOWN
    shown = text.strip()
    if len(shown) > MAX_VALUE_CHARS:
        return shown
    try:
        return ast.literal_eval(shown)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return shown


def _is_nothing(test: CodeTest) -> bool:
    got, expected = (test.got or "").strip(), (test.expected or "").strip()
    return not _ERROR.search(test.message or "") and got in ("None", "") and expected not in ("None", "", "''", '""')


def _is_off_by_one(expected: Any, got: Any) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool) or got is _UNKNOWN:
        return False
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return abs(expected - got) == 1
    if isinstance(expected, (list, tuple, str)) and type(expected) is type(got):
        longer, shorter = (expected, got) if len(expected) > len(got) else (got, expected)
        if len(longer) == len(shorter) + 1:
            return longer[:-1] == shorter or longer[1:] == shorter
        # Printed lines: one of them more or less.
        if isinstance(expected, str) and isinstance(got, str):
            first, second = expected.split(), got.split()
            return abs(len(first) - len(second)) == 1 and (
                first[:-1] == second or second[:-1] == first or first[1:] == second or second[1:] == first
            )
    return False


def _only(pairs: list[tuple[Any, Any]]) -> Aspect | None:
    """The one aspect in which each result differs."""
    aspects = {_aspect(*pair) for pair in pairs}
    return aspects.pop() if len(aspects) == 1 else None


def _aspect(expected: Any, got: Any) -> Aspect | None:
    if _is_number(expected) and _is_number(got):
        if expected == -got:
            return "sign"
        return "rounding" if abs(expected - got) <= ROUNDED * abs(expected) and _is_rounded(expected, got) else None
    if isinstance(expected, str) and isinstance(got, str):
        if expected.casefold() == got.casefold():
            return "case"
        return "spaces" if "".join(expected.split()) == "".join(got.split()) else None
    if isinstance(expected, (list, tuple)) and type(expected) is type(got) and len(expected) == len(got):
        if sorted(map(repr, expected)) == sorted(map(repr, got)):
            return "order"
        aspects = {_aspect(*pair) for pair in zip(expected, got, strict=True) if pair[0] != pair[1]}
        return aspects.pop() if len(aspects) == 1 else None
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_rounded(expected: float, got: float) -> bool:
    """Whether one of the two is the other with fewer decimals."""
    first, second = sorted((expected, got), key=_decimals)
    return _decimals(first) < _decimals(second) and abs(first - second) < 10 ** -_decimals(first)


def _decimals(number: float) -> int:
    shown = repr(float(number))
    return 0 if "e" in shown else len(shown.partition(".")[2].rstrip("0"))
