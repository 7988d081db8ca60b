"""What is most likely wrong with a student's code: all that the tools say of it, weighed by how the code fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.code import LintMessage
from core.text.python_code import python_code
from student_code.catalogue import kind_of
from student_code.comparison import differences
from student_code.compilers import compiled
from student_code.confidence import with_confidence
from student_code.faults import from_fault
from student_code.findings import Basis, CodeWork, Finding
from student_code.languages import PYTHON
from student_code.linting import MISTAKES, UNBOUND, UNDEFINED, linted, name_in
from student_code.names import undefined
from student_code.patterns import PATTERNS
from student_code.solution_lines import differing_lines
from student_code.symptoms import Symptoms, symptoms_of
from student_code.syntax import syntax_error
from student_code.tree import CodeTree, is_call

MAX_CHARS = 20_000
"""Longer code is not looked at."""
ASKED_LINE = 0.12
"""What a finding gains on the line that the question is about; half of it beside that line."""
OFF_BY_ONE = 0.12
"""What findings of bounds gain where results are one away."""
SOMEWHERE, ONE_ASPECT = 0.35, 0.4
"""Of an error whose line is not known, and of results that differ in one aspect alone."""
DECISIVE = 0.85
"""Weight from which what a run or compiler names is the mistake itself, and not where it came to light."""
SURE_OF_EXCERPT = 0.6
"""Weight from which a finding counts where nothing but code is known."""
_OF_WHOLE_PROGRAMS = (
    "undefined_name",
    "misspelt_name",
    "comparison_unused",
    "result_unused",
    "unused_variable",
)
"""Mistakes that are none where the rest of the program may stand elsewhere, as in a notebook's other cells."""
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_RESULT = re.compile(r"\b(?:return|printf?|println|console\.log|cout)\b")


def inspected(work: CodeWork) -> tuple[Finding, ...]:
    """The findings on the code, likeliest first; none if it is too long, of no known language, or nothing was found."""
    if not work.code.strip() or len(work.code) > MAX_CHARS or not work.language:
        return ()
    if broken := syntax_error(work.code, work.language):
        return with_confidence([replace(broken, basis="run")])
    symptoms = symptoms_of(work)
    found = list(_found(work, symptoms))
    weighed = _one_per_line(_weighed(found, work, symptoms))
    if work.is_excerpt:
        weighed = [one for one in weighed if one.weight >= SURE_OF_EXCERPT and _can_be_seen(one, symptoms)]
    return with_confidence(sorted(weighed, key=lambda one: (not _decides(one), -one.weight)))


def _decides(finding: Finding) -> bool:
    """Whether a run or a compiler names the line: this counts before anything that is read in the code."""
    return finding.basis == "run" and finding.weight >= DECISIVE


def _can_be_seen(finding: Finding, symptoms: Symptoms) -> bool:
    """Whether an excerpt is enough to see the mistake."""
    return symptoms.fault is not None or finding.mistake not in _OF_WHOLE_PROGRAMS


def _found(work: CodeWork, symptoms: Symptoms) -> Iterator[Finding]:
    tree = CodeTree.of(work.code, _called(work)) if work.language == PYTHON else None
    results = _results(tree) if tree else _result_lines(work)
    if tree and not work.passes:
        messages = linted(work.code)
        if symptoms.fault:
            yield from _based("run", from_fault(symptoms.fault, tree, messages))
        yield from _read(work, tree, messages, symptoms)
    elif work.language != PYTHON and not work.passes:
        yield from _based("run", compiled(work))
        yield from differing_lines(work)
        yield from _given(work, symptoms)
    yield from _based("guess", _last_resort(work, results, symptoms))


def _based(basis: Basis, findings: Iterable[Finding]) -> Iterator[Finding]:
    return (replace(one, basis=basis) for one in findings)


def _read(work: CodeWork, tree: CodeTree, messages: Iterable[LintMessage], symptoms: Symptoms) -> Iterator[Finding]:
    """What can be read in Python code."""
    yield from _linted(messages, tree, work.lines)
    official = "\n\n".join(python_code(work.solution))
    solution = CodeTree.of(official, tree.called) if official else None
    yield from _patterns(tree, solution, symptoms)
    if solution:
        yield from differences(tree, solution)


def _called(work: CodeWork) -> str:
    """The function that the tests call: the first of most of their names that is no word of the language."""
    names = [match[1] for test in work.tests if (match := _CALLED.search(test.name))]
    return max(names, key=names.count, default="")


def _patterns(tree: CodeTree, solution: CodeTree | None, symptoms: Symptoms) -> Iterator[Finding]:
    """The patterns' findings without those that the solution has as well."""
    for pattern in PATTERNS:
        usual = {one.mistake for one in pattern(solution, symptoms)} if solution else set()
        yield from (one for one in pattern(tree, symptoms) if one.mistake not in usual)


def _linted(messages: Iterable[LintMessage], tree: CodeTree, lines: Sequence[str]) -> Iterator[Finding]:
    """What ruff says, in the words of the catalogue."""
    for message in messages:
        name = name_in(message)
        if message.code == UNDEFINED:
            yield undefined(name, message.line, tree, 0.95)
        elif message.code == UNBOUND:
            yield Finding("used_before_assignment", message.line, 0.95, {"name": name})
        elif message.code in MISTAKES:
            mistake, weight = MISTAKES[message.code]
            function = next((one.name for one in tree.functions.values() if one.lineno == message.line), "")
            words = {"name": name or function, "code": lines[message.line - 1].strip()}
            yield Finding(mistake, message.line, weight, words)


def _given(work: CodeWork, symptoms: Symptoms) -> Iterator[Finding]:
    """Of languages that are only parsed: what a linter said, and the line of an error."""
    for one in work.linting:
        yield Finding("linted", one.line, 0.4, {"message": one.message})
    fault = symptoms.fault
    if fault and fault.line:
        words = {"error": fault.name, "message": fault.message}
        yield Finding("error_here", fault.line, 0.7, words, basis="run")


def _last_resort(work: CodeWork, results: Sequence[int], symptoms: Symptoms) -> Iterator[Finding]:
    """Where nothing says what is wrong: the line asked about, or the last one that makes a result."""
    fault, result = symptoms.fault, work.line or max(results, default=0)
    if fault and not fault.line:
        words = {"error": fault.name, "message": fault.message}
        yield Finding("error_somewhere", result or len(work.lines), SOMEWHERE, words)
    elif symptoms.fails and result and symptoms.only:
        yield Finding(f"{symptoms.only}_differs", result, ONE_ASPECT)
    elif symptoms.fails and result:
        yield Finding("result_differs", result, 0.2)
    elif not symptoms.fails and (work.line or work.linting):
        line = work.line or work.linting[0].line
        about = next((one.message for one in work.linting if one.line == line), "")
        yield Finding("linted" if about else "line_asked", line, 0.25, {"message": about})


def _result_lines(work: CodeWork) -> list[int]:
    """The lines of other languages that seem to return or print something."""
    return [number for number, line in enumerate(work.lines, 1) if _RESULT.search(line)]


def _results(tree: CodeTree) -> list[int]:
    """The lines that return or print something, in order."""
    returns = [one.lineno for one in tree.all(ast.Return)]
    return returns or [one.lineno for one in tree.all(ast.Expr) if is_call(one.value, "print")]


def _weighed(findings: Iterable[Finding], work: CodeWork, symptoms: Symptoms) -> Iterator[Finding]:
    lines = max(len(work.lines), 1)
    for finding in findings:
        weight = finding.weight
        if symptoms.off_by and kind_of(finding.mistake) == "off_by_one":
            weight += OFF_BY_ONE
        if work.line:
            weight += max(0.0, ASKED_LINE * (1 - abs(finding.line - work.line) / 2))
        yield replace(finding, weight=min(weight, 1.2), line=min(max(finding.line, 1), lines))


def _one_per_line(found: Iterable[Finding]) -> list[Finding]:
    """The best finding of each line."""
    best: dict[int, Finding] = {}
    for one in found:
        if one.line not in best or one.weight > best[one.line].weight:
            best[one.line] = one
    return list(best.values())
