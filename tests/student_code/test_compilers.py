"""What compilers and the Java runtime say names the line and the kind of a mistake."""

from __future__ import annotations

import pytest

from core.code import CodeTest
from student_code.catalogue import kind_of
from student_code.compilers import compiled
from student_code.findings import CodeWork

CODE = "int f(int n) {\n    int total = 0;\n    totl += n;\n    return total;\n}\n"


def findings(message: str, language: str) -> list[tuple[int, str]]:
    work = CodeWork(CODE, language, tests=(CodeTest(name="f(1)", accepted=False, message=message),))
    return [(finding.line, kind_of(finding.mistake)) for finding in compiled(work)]


@pytest.mark.parametrize(
    ("language", "message", "finding"),
    [
        ("c", "a.c:3:5: error: ‘totl’ undeclared (first use in this function)", (3, "name")),
        ("c", "a.c:4:12: warning: ‘total’ is used uninitialized [-Wuninitialized]", (4, "name")),
        ("c", "a.c:2:18: error: expected ‘;’ before ‘totl’", (2, "syntax")),
        ("java", "A.java:3: error: cannot find symbol\n    totl += n;\n    ^\n  symbol:   variable totl", (3, "name")),
        ("java", "A.java:2: error: incompatible types: String cannot be converted to int", (2, "type")),
        ("java", "A.java:5: error: missing return statement", (5, "logic")),
    ],
)
def test_a_message_of_the_compiler_is_a_finding(language: str, message: str, finding: tuple[int, str]) -> None:
    assert findings(message, language) == [finding]


def test_a_java_trace_names_the_first_line_of_the_student() -> None:
    trace = (
        'Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 4 out of bounds for length 4\n'
        "\tat java.base/java.util.Objects.checkIndex(Objects.java:365)\n"
        "\tat Submission.f(Submission.java:3)\n\tat Test.main(Test.java:1)"
    )
    assert findings(trace, "java") == [(3, "off_by_one")]


def test_a_remark_that_says_nothing_of_a_mistake_is_none() -> None:
    assert findings("a.c:3:5: warning: unused variable ‘n’ [-Wunused-variable]", "c") == []
