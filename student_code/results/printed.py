"""What pytest and unittest print."""

from __future__ import annotations

import re

from core.code import CodeTest
from student_code.results.values import expected_and_got

_VERBOSE = re.compile(r"^(?P<name>\S.*?) (?P<outcome>PASSED|FAILED|ERROR)(?:\s+\[.*)?$", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) (?P<name>\S+)(?: - (?P<message>.*))?$", re.MULTILINE)
_SECTION = re.compile(r"^_{3,} (?P<name>.+?) _{3,}$", re.MULTILINE)
_UNITTEST = re.compile(r"^(?P<name>\w+) \([\w.]+\)(?:\n.*?)?? \.\.\. (?P<outcome>ok|FAIL|ERROR)$", re.MULTILINE)
_UNITTEST_SECTION = re.compile(r"^={10,}\n(?:FAIL|ERROR): (?P<name>\w+)[^\n]*\n", re.MULTILINE)
_RULE = re.compile(r"^(?:-{10,}|={3,}.*)$", re.MULTILINE)


def read(text: str) -> list[CodeTest]:
    """The tests that the output names; those that passed only where it names them too."""
    messages = {**_sections(text, _SECTION), **_sections(text, _UNITTEST_SECTION)}
    failed = dict(messages)
    for found in _SUMMARY.finditer(text):
        failed.setdefault(_short(found["name"]), found["message"] or "")
    passed: list[str] = []
    for found in (*_VERBOSE.finditer(text), *_UNITTEST.finditer(text)):
        if found["outcome"] in ("PASSED", "ok"):
            passed.append(_short(found["name"]))
        else:
            failed.setdefault(_short(found["name"]), "")
    tests = [CodeTest(name=name, accepted=True) for name in dict.fromkeys(passed) if name not in failed]
    return [*(_failed(name, message) for name, message in failed.items()), *tests]


def _failed(name: str, message: str) -> CodeTest:
    expected, got = expected_and_got(message)
    return CodeTest(name=name, accepted=False, expected=expected, got=got, message=message.strip() or None)


def _short(name: str) -> str:
    """`test_total` of `tests/test_a.py::TestA::test_total`."""
    return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1] if "(" not in name else name


def _sections(text: str, heading: re.Pattern[str]) -> dict[str, str]:
    """What stands below each heading, up to the next one or a rule."""
    found = list(heading.finditer(text))
    sections = {}
    for number, one in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        body = text[one.end() : end].removeprefix("\n")
        if heading is _UNITTEST_SECTION:
            body = _RULE.sub("", body, count=1)
        cut = re.search(r"^(?:={3,}.*|-{10,})$", body, re.MULTILINE)
        sections[_short(one["name"].strip())] = body[: cut.start() if cut else len(body)].strip()
    return sections
