"""Errors that several requests share."""

from __future__ import annotations

import pytest

from core.errors import (
    CannotTell,
    EduModError,
    MissingCapability,
    ModelError,
    ModelUnavailable,
    NotRecorded,
    SetupError,
    UnknownName,
    public_reason,
)
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


def subclasses(kind: type[EduModError]) -> list[type[EduModError]]:
    return [one for direct in kind.__subclasses__() for one in (direct, *subclasses(direct))]


@pytest.mark.parametrize("kind", [ModelError, SetupError, *subclasses(ModelError)])
def test_students_read_a_fixed_sentence_of_errors_that_may_quote_an_endpoint(kind: type[EduModError]) -> None:
    words = "http://10.0.0.7/v1 said: the solution"
    made: dict[type[EduModError], EduModError] = {
        MissingCapability: MissingCapability("tools", words),
        CannotTell: CannotTell(words, "what was seen", 0.5),
        NotRecorded: NotRecorded("Say 1", words),
    }
    error = made.get(kind) or kind(words)
    assert str(error) == words
    assert public_reason(error) == error.public == kind.sentence
    assert "said" not in error.public
    assert "EDUMOD" not in error.public


def test_students_read_what_was_wrong_with_their_own_request() -> None:
    error = UnknownName("course", "ds", ["ds101"])
    assert error.public == str(error)


def test_students_read_the_kind_alone_of_an_unexpected_error() -> None:
    assert public_reason(KeyError("/srv/edumod/secret.db")) == "KeyError"
