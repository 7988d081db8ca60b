"""Results of a solution are noticed in whatever words they are told."""

from __future__ import annotations

import pytest

from safeguards.solution_numbers import parts_with_results

TASK = "A test is positive for 95 percent of 10,000 residents. Compute P(D | +)."
SOLUTION = "P(D | +) = 0.0095 / 0.1085 ≈ 0.0876: 95 of 1,085 positive results belong to 100 ill people, 990 to others."


def told(*parts: str, known: str = TASK) -> set[int]:
    return parts_with_results(parts, [SOLUTION], [known])


@pytest.mark.parametrize(
    "text",
    [
        "You should come out at 0.0876 in the end.",
        "That is about 8.76 percent.",
        "Of all who test positive, 1,085 in number, few are ill.",
        "Set the 95 against 1085.",
    ],
)
def test_a_result_is_noticed_exact_or_rounded_or_in_per_cent(text: str) -> None:
    assert told("Nearly there.", text) == {1}


@pytest.mark.parametrize(
    "text",
    [
        "How many of the 10,000 residents are ill, and positive for 95 percent?",
        "Section 6.3 has the rule, and Section 8.7 another.",
        "There are 9 steps.",
        "One hundred of them, about 100, are ill.",
    ],
)
def test_numbers_of_the_task_and_of_places_are_no_results(text: str) -> None:
    assert told(text) == set()


def test_a_short_number_is_a_result_only_beside_another() -> None:
    solution = "The slope is 3 and the intercept 54; at nine hours the line predicts 81."
    assert parts_with_results(["It is 54."], [solution], []) == set()
    assert parts_with_results(["It is 54.", "Then 81 follows."], [solution], []) == {0, 1}


def test_what_the_asker_computed_is_no_secret() -> None:
    assert told("Yes, 0.0876 it is.", known="I get 0.0876, is that right?") == set()
