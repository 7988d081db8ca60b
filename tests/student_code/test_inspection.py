"""The mistakes that are found in code, each by an example of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.code import CodeTest, IssueKind, LintMessage
from student_code.catalogue import LANGUAGES, entries, issue_of, told
from student_code.findings import CodeWork, Finding
from student_code.inspection import inspected


def failing(name: str = "f(1)", expected: str | None = "1", got: str | None = "2", message: str = "") -> CodeTest:
    return CodeTest(name=name, accepted=False, expected=expected, got=got, message=message or None)


def first(code: str, *tests: CodeTest, **fields: object) -> Finding:
    return inspected(CodeWork(code, tests=tests, **fields))[0]  # type: ignore[arg-type]


SYNTAX = {
    "def f(x)\n    return x": ("missing_colon", 1),
    "print((1 + 2)\nx = 3": ("bracket_not_closed", 1),
    "x = 'abc\nprint(x)": ("text_not_closed", 1),
    "if x = 3:\n    pass": ("assignment_in_condition", 1),
    "for i in range(3):\nprint(i)": ("block_not_indented", 2),
    "x = 1\n  y = 2": ("indentation", 2),
    "print 'hello'": ("print_without_parentheses", 1),
    "x = [1 2]": ("missing_comma", 1),
    "x = 1\nreturn x": ("return_outside_function", 2),
    "print(“hi”)": ("strange_character", 1),
    "try:\n    x = 1\ny = 2": ("try_without_except", 3),
    "i = 0\ni++": ("syntax_error", 2),
}


@pytest.mark.parametrize(("code", "expected"), SYNTAX.items())
def test_code_that_cannot_be_parsed(code: str, expected: tuple[str, int]) -> None:
    found = first(code)
    assert (found.mistake, found.line) == expected


@pytest.mark.parametrize(
    ("language", "code", "line"),
    [
        ("java", "class A {\n  int f() {\n    int x = 1\n    return x;\n  }\n}", 3),
        ("javascript", "function f(x) {\n  if (x > 1 {\n    return 2;\n  }\n}", 2),
        ("c", "#include <stdio.h>\nint main() {\n  int x = 3\n  return x;\n}", 3),
    ],
)
def test_other_languages_are_parsed_too(language: str, code: str, line: int) -> None:
    found = first(code, language=language)
    assert (entries()[found.mistake].kind, found.line) == (IssueKind.SYNTAX, line)


def test_code_of_an_unknown_language_is_told_by_its_linter() -> None:
    found = first("fun x", language="kotlin", linting=(LintMessage(line=1, message="odd"),))
    assert (found.mistake, found.line) == ("linted", 1)


SEEN: list[tuple[str, Sequence[CodeTest], tuple[str, int]]] = [
    ("def f(n):\n    total = 1\n    return totl", [failing()], ("misspelt_name", 3)),
    ("def f(n):\n    return quux + n", [failing()], ("undefined_name", 2)),
    ("def f(n):\n    sum = 0\n    return sum([n])", [failing(message="TypeError: 'int' object is not callable")],
     ("shadowed_builtin", 2)),
    ("def f(a):\n    b = []\n    b = b.append(a)\n    return b", [failing()], ("in_place_result", 3)),
    ("def f(s):\n    return s.upper", [failing("f('a')", "'A'", "<built-in method>")], ("not_called", 2)),
    ("def f(a):\n    t = 0\n    for i in range(len(a) - 1):\n        t += a[i]\n    return t",
     [failing("f([1, 2, 3])", "6", "3")], ("range_ends_early", 3)),
    ("def f(a):\n    c = 0\n    for i in range(1, len(a)):\n        c += a[i] > 0\n    return c",
     [failing("f([1, 2])", "2", "1")], ("range_starts_late", 3)),
    ("def f(n):\n    print(n + 1)", [failing("f(1)", "2", "None")], ("prints_not_returns", 2)),
    ("def f(n):\n    m = n + 1", [failing("f(1)", "2", "None")], ("nothing_returned", 2)),
    ("def f(a):\n    for x in a:\n        if x > 3:\n            return True\n        else:\n            return False",
     [failing("f([1, 4])", "True", "False")], ("returns_in_loop", 6)),
    ("def f(a):\n    for x in a:\n        t = 0\n        t += x\n    return t", [failing("f([1, 2])", "3", "2")],
     ("initialised_in_loop", 3)),
    ("def f(c):\n    if c == 'a' or 'e':\n        return True\n    return False",
     [failing("f('b')", "False", "True")], ("bare_value_in_or", 2)),
    ("def f(s):\n    s.upper()\n    return s", [failing("f('a')", "'A'", "'a'")], ("result_unused", 2)),
    ("def f(n):\n    t = 0\n    t == n\n    return t", [failing("f(1)", "1", "0")], ("comparison_unused", 3)),
    ("def f(a):\n    return a['x']", [failing(message="KeyError: 'x'")], ("key_error", 2)),
    ("def f(a):\n    return 1 / a", [failing(message="ZeroDivisionError: division by zero")], ("division_by_zero", 2)),
    ("def f(s):\n    t = []\n    return max(t)", [failing(message="ValueError: max() arg is an empty sequence")],
     ("value_error", 3)),
    ("def f(s):\n    a, b = s\n    return b", [failing(message="ValueError: too many values to unpack (expected 2)")],
     ("value_error", 2)),
    ("def f(a):\n    a.pop()\n    return a[0]", [failing(message="IndexError: pop from empty list")],
     ("index_error", 2)),
    ("def f(s):\n    for w in s.split:\n        return w",
     [failing(message="TypeError: 'builtin_function_or_method' object is not iterable")], ("not_called", 2)),
    ("def f(s):\n    t = open('x.txt')\n    return t", [failing(message="FileNotFoundError: [Errno 2] No: 'x.txt'")],
     ("file_not_found", 2)),
    ("def f(s):\n    t = abs(s)\n    return t", [failing(message="decimal.InvalidOperationError: bad")],
     ("error_somewhere", 3)),
    ("def f(s):\n    t = s[0]\n    return t", [failing("f('ab')", "'A'", "'a'")], ("case_differs", 3)),
    ("def f(s):\n    t = s[0]\n    return t", [failing("f('ab')", "'a b'", "'ab'")], ("spaces_differs", 3)),
    ("def f(s):\n    t = abs(s)\n    return t", [failing("f(1)", "[1, 2, 3]", "[3, 1, 2]")], ("order_differs", 3)),
    ("def f(s):\n    t = abs(s)\n    return t", [failing("f(1)", "4", "-4"), failing("f(2)", "-7", "7")],
     ("sign_differs", 3)),
    ("def f(s):\n    t = abs(s)\n    return t", [failing("f(1)", "3.14", "3.14159")], ("rounding_differs", 3)),
    ("def f(s):\n    t = abs(s)\n    return t", [failing("f(1)", "3.14", "3.99")], ("result_differs", 3)),
    ("def f(s):\n    t = abs(s)\n    return t", [failing("f(1)", "4", "-4"), failing("f(2)", "7", "9")],
     ("result_differs", 3)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "tests", "expected"), SEEN, ids=lambda one: one[0] if isinstance(one, tuple) else "")
def test_a_mistake_is_found_with_its_line(code: str, tests: Sequence[CodeTest], expected: tuple[str, int]) -> None:
    found = first(code, *tests)
    assert (found.mistake, found.line) == expected


COMPARED = [
    ("for i in range(1, n):\n        t *= i", "for k in range(1, n + 1):\n        t *= k", ("one_away", 3)),
    ("for i in range(n):\n        t += i", "for i in range(n):\n        t *= i", ("other_operator", 4)),
    ("while t < n:\n        t += 2", "while t <= n:\n        t += 2", ("bound_in_comparison", 3)),
    ("if n > 3 or n < 1:\n        t = 5", "if n > 3 and n < 1:\n        t = 5", ("and_for_or", 3)),
    ("t = n % 3\n    t += 1", "t = n // 3\n    t += 1", ("other_operator", 3)),
    ("for x in n:\n        t = max(t, x)", "for x in n:\n        t = min(t, x)", ("other_function", 4)),
]


@pytest.mark.parametrize(("mine", "official", "expected"), COMPARED)
def test_where_the_code_differs_from_the_solution(mine: str, official: str, expected: tuple[str, int]) -> None:
    code, solution = (f"def f(n):\n    t = 1\n    {body}\n    return t" for body in (mine, official))
    found = first(code, failing("f(4)", "24", "7"), solution=re.sub(r"\bt\b", "result", solution))
    assert (found.mistake, found.line) == expected


@pytest.mark.parametrize(
    "stored", ["{}", "```python\n{}\n```\n\nNote it.", "```\n>>> f(1)\n2\n```\n\nSolution\n\n{}\n\nNote."]
)
def test_the_solution_may_stand_among_prose_with_or_without_fences(stored: str) -> None:
    code = "def f(n):\n    t = 1\n    for i in range(n):\n        t += i\n    return t"
    found = first(code, failing("f(4)", "24", "7"), solution=stored.format(code.replace("+=", "*=")))
    assert (found.mistake, found.line) == ("other_operator", 4)


def test_a_mistake_that_the_solution_has_too_is_none() -> None:
    code = "def f(n):\n    t = 0\n    for i in range(1, n):\n        t += i\n    return t * 2"
    solution = "def f(n):\n    total = 0\n    for k in range(1, n):\n        total += k\n    return total"
    assert first(code, failing("f(3)", "3", "6"), solution=solution).line == 5


def test_the_last_frame_in_the_students_code_names_the_line() -> None:
    message = (
        'Traceback (most recent call last):\n  File "test.py", line 9, in <module>\n    f(1)\n'
        '  File "main.py", line 3, in f\n    return y + x\nTypeError: unsupported operand type(s) for +'
    )
    found = first("def f(x):\n    y = 'a'\n    return y + x", failing(message=message))
    assert (found.mistake, found.line) == ("types_mixed", 3)


def test_a_frame_below_the_error_names_the_line_too() -> None:
    message = 'ValueError: empty separator\n  File "x.py", line 3, in f'
    found = first("def f(s):\n    t = s.split()\n    return s.split('')", failing(message=message))
    assert (found.mistake, found.line) == ("value_error", 3)


def test_results_in_other_languages_are_found_by_their_lines() -> None:
    code = "function f(s) {\n  let t = s;\n  return t;\n}"
    found = first(code, failing("f('a')", "'A'", "'a'"), language="javascript")
    assert (found.mistake, found.line) == ("case_differs", 3)


def test_a_traceback_in_the_question_counts_as_well() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 2, in <module>\n    print(x[3])\nIndexError: out'
    assert first("x = [1]\nprint(x[3])", text=text).line == 2


def test_the_line_asked_about_decides_between_equals() -> None:
    code = "def f(s):\n    s.upper()\n    s.strip()\n    return s"
    assert {first(code, failing(), line=line).line for line in (2, 3)} == {2, 3}


def test_code_whose_tests_pass_is_asked_about_and_not_wrong() -> None:
    found = first("def f(n):\n    return n", CodeTest(name="f(1)", accepted=True), line=2)
    assert (found.mistake, found.line) == ("line_asked", 2)


def test_code_whose_tests_pass_has_no_mistake_that_could_be_read_in_it() -> None:
    code = "def f(n):\n    total = 0\n    for i in range(len(n) - 1):\n        total += n[i]\n    return total"
    passing = CodeTest(name="f([1, 2])", accepted=True)
    assert inspected(CodeWork(code, tests=(passing,))) == ()
    assert first(code, failing("f([1, 2])", "3", "1")).mistake == "range_ends_early"


def test_the_line_that_a_traceback_names_counts_before_what_is_read() -> None:
    code = "def f(xs):\n    for i in range(len(xs) - 1):\n        x = xs[i]\n    return x + '1'"
    trace = "File \"code.py\", line 4, in f\n    return x + '1'\nTypeError: unsupported operand type(s) for +"
    found = first(code, failing("f([1, 2])", "[1, 2]", "[1]", trace), line=2)
    assert (found.line, found.basis) == (4, "run")


def test_a_function_that_prints_and_gives_nothing_back_is_told_by_its_tests() -> None:
    printed = failing("f(1)", "1", "None", "Printed output:\n1")
    found = first("def f(n):\n    print(n)", printed)
    assert (found.mistake, found.waits) == ("prints_not_returns", False)


def test_a_finding_says_how_sure_it_is_and_waits_where_that_is_too_little() -> None:
    trace = "File \"code.py\", line 2, in f\n    return m\nNameError: name 'm' is not defined"
    sure, unsure = first("def f(n):\n    return m", failing(message=trace)), first("def f(n):\n    return n", failing())
    assert (sure.waits, unsure.waits) == (False, True)
    assert sure.confidence > unsure.confidence
    assert issue_of(unsure).waits


def test_nothing_is_said_of_no_code_or_too_much() -> None:
    assert inspected(CodeWork("")) == ()
    assert inspected(CodeWork("x = 1\n" * 10_000)) == ()


def test_every_mistake_is_told_in_every_language() -> None:
    words = dict.fromkeys(
        ("message", "name", "near", "code", "wanted", "token", "index", "method", "expected", "got", "error"), "x`y"
    )
    for mistake, entry in entries().items():
        for language in LANGUAGES:
            sentences = told(Finding(mistake, 7, 0.5, words), language)
            assert "7" in sentences.summary
            assert sentences.ask
            assert "{" not in sentences.summary + sentences.ask
        assert entry.topic


@given(code=st.text(max_size=200), line=st.one_of(st.none(), st.integers(1, 20)))
@settings(max_examples=50, deadline=None)
def test_any_text_is_looked_at_without_an_error(code: str, line: int | None) -> None:
    for found in inspected(CodeWork(code, tests=(failing(),), line=line, solution="def f(x):\n    return x")):
        assert issue_of(found).line <= max(len(code.splitlines()), 1)
