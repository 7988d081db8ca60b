"""What of a line states something, and what only remarks on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homework.asides import split_asides


@pytest.mark.parametrize(
    ("line", "stated", "asides"),
    [
        ("= 2.40 N (attractive)", "= 2.40 N ", ["attractive"]),
        ("x = 4 (so -2 is out)", "x = 4 ", ["so -2 is out"]),
        ("p = 16875 Pa (16.9 kPa)", "p = 16875 Pa ", ["16.9 kPa"]),
        ("m = 50.2 mm ± 0.4 mm (95 %)", "m = 50.2 mm ± 0.4 mm ", ["95 %"]),
        ("x = 2 or x = 3. Check: 2 + 3 = 5", "x = 2 or x = 3.", ["Check: 2 + 3 = 5"]),
    ],
)
def test_remarks_are_set_apart(line: str, stated: str, asides: list[str]) -> None:
    assert split_asides(line) == (stated, asides)


@pytest.mark.parametrize(
    "line",
    [
        "(a) t = 2 s",
        "y = (x+1)(x-2)",
        "p = (number of hits)/(number of throws) = 0.4",
        "P(rain and late) = 0.3",
        "KE = ½ m (2 m/s)^2",
        "v = 5 (m/s)",
        "(check: 2·4 − 7 = 1)",
    ],
)
def test_operands_and_calls_are_no_remarks(line: str) -> None:
    assert split_asides(line) == (line, [])


@given(st.text(alphabet="ab1 ()=.,;+Check$\\n", max_size=80))
def test_nothing_is_lost(line: str) -> None:
    stated, asides = split_asides(line)
    assert sorted(stated + "".join(asides)) <= sorted(line) or len(stated + "".join(asides)) <= len(line)
