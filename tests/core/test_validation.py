"""Validation errors as one line."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from core.validation import messages_in, problems_in


class Part(BaseModel):
    weight: int


class Whole(BaseModel):
    parts: list[Part]
    label: int


@pytest.fixture
def error() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate({"parts": [{"weight": "secret"}], "label": "secret"})
    return caught.value


def test_each_problem_names_its_location_and_no_value(error: ValidationError) -> None:
    message = "Input should be a valid integer, unable to parse string as an integer"
    assert problems_in(error) == f"parts.0.weight: {message}; label: {message}"
    assert problems_in(error, 1) == f"parts.0.weight: {message}"


def test_equal_messages_are_given_once(error: ValidationError) -> None:
    assert messages_in(error) == "Input should be a valid integer, unable to parse string as an integer"


def test_a_problem_of_the_whole_has_no_location() -> None:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate([])
    assert problems_in(caught.value).startswith("Input should be a valid dictionary")
