"""Errors that several requests share."""

from __future__ import annotations

import pytest

from core.errors import EduModError, MissingCapability, ModelUnavailable, SetupError, UnknownName
from core.types import Usage


@pytest.mark.parametrize(
    "error",
    [
        SetupError("broken"),
        UnknownName("course", "ds", ["ds101"]),
        MissingCapability("tools", "no tools"),
        ModelUnavailable("busy", retry_after=3.0),
    ],
)
def test_an_error_about_one_draft_leaves_the_one_that_others_got_as_it_is(error: EduModError) -> None:
    own = error.of_draft("d1")
    assert (type(own), str(own), own.draft_id) == (type(error), str(error), "d1")
    assert error.draft_id is None
    assert {**vars(own), "draft_id": None} == {**vars(error), "draft_id": None}


def test_what_a_model_has_cost_stays_with_the_error() -> None:
    error = ModelUnavailable("busy")
    error.usage = Usage(calls=2)
    own = error.of_draft("d1")
    assert isinstance(own, ModelUnavailable)
    assert own.usage.calls == 2
