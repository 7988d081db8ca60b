"""JUnit XML, as pytest, unittest, Maven and many others write it."""

from __future__ import annotations

import re

from junitparser import Error, Failure, JUnitXml, JUnitXmlError, Skipped, TestSuite

from core.code import CodeTest
from core.errors import InvalidInput
from student_code.results.values import expected_and_got

_ENTITIES = re.compile(r"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def read(xml: str) -> list[CodeTest]:
    """The test cases that were not skipped. Raises `InvalidInput` for what is no JUnit XML."""
    if _ENTITIES.search(xml):
        raise InvalidInput("tests: the XML has a document type. Send it without one.")
    try:
        report = JUnitXml.fromstring(xml.strip().encode())
        cases = [case for suite in ([report] if isinstance(report, TestSuite) else report) for case in suite]
        return [_test(case) for case in cases if not any(isinstance(one, Skipped) for one in case.result)]
    except (JUnitXmlError, SyntaxError, TypeError, ValueError) as error:
        raise InvalidInput(f"tests: this is no JUnit XML ({error}).") from error


def _test(case: object) -> CodeTest:
    name, result = getattr(case, "name", "") or "test", getattr(case, "result", [])
    failed = next((one for one in result if isinstance(one, (Failure, Error))), None)
    if failed is None:
        return CodeTest(name=name, accepted=True)
    message = "\n".join(dict.fromkeys(filter(None, (failed.message, failed.text))))
    expected, got = expected_and_got(message)
    return CodeTest(name=name, accepted=False, expected=expected, got=got, message=message or failed.type)
