"""The expected value and the one that came, from the message of a failed assertion."""

from __future__ import annotations

import re

_FORMS = (
    # unittest: the first argument is most often what came.
    (re.compile(r"AssertionError: (?P<got>.+?) != (?P<expected>.+?)(?: : .*)?$", re.MULTILINE)),
    # pytest: "assert got == expected", after which it explains.
    (re.compile(r"^E?\s*(?:AssertionError: )?assert (?P<got>.+?) == (?P<expected>.+)$", re.MULTILINE)),
    # JUnit: "expected:<3> but was:<2>".
    (re.compile(r"expected:? ?<?(?P<expected>.+?)>? but was:? ?<?(?P<got>.+?)>?$", re.MULTILINE)),
)


def expected_and_got(message: str) -> tuple[str | None, str | None]:
    """Both values as they are shown; None twice if the message does not tell them."""
    for form in _FORMS:
        if found := form.search(message):
            return found["expected"].strip(), found["got"].strip()
    return None, None
