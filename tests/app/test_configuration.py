"""What a request leaves out, the course decides; what the course leaves out, the installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from app.answering.service import Answering
from app.schemas import AnswerParameters
from core.course import Course
from core.errors import InvalidInput, UnknownName
from core.llm.models import Models
from core.llm.scripted import ScriptedLLM
from core.settings import Settings
from pipelines.assistant import Assistant
from pipelines.configuration import NAMES, PER_FUNCTION, Configuration

DEFAULTS = {
    "pipeline": "iterative", "retriever": "bm25", "retriever.textbook": "tree", "top_k": 7, "model": "large",
    "temperature": 0.2, "seed": 3, "beam": 2, "depth": 5, "max_rounds": 4,
}  # fmt: skip


def resolved(defaults: dict[str, Any], **chosen: Any) -> Configuration:
    settings = Settings(home=Path("nowhere"), _env_file=None)
    nothing = cast(Any, None)
    answering = Answering(
        nothing, Assistant(Models.of(ScriptedLLM([], model="small"), names=("large",)), nothing), settings, nothing
    )
    return answering.configuration(
        Course.model_validate({"id": "c", "defaults": defaults}), AnswerParameters.model_validate(chosen).choices
    )


def test_every_choice_can_be_a_course_default() -> None:
    assert DEFAULTS.keys() | set(PER_FUNCTION) == set(NAMES)
    found = resolved(DEFAULTS)
    assert (found.pipeline, found.model, found.top_k, found.temperature) == ("fc_iterative", "large", 7, 0.2)
    assert (found.seed, found.beam, found.depth, found.parameters) == (3, 2, 5, {"max_rounds": 4})
    assert found.retrievers == {"qa": "bm25", "textbook": "tree", "assignment": "bm25", "logistics": "bm25"}


def test_a_request_comes_before_the_course() -> None:
    chosen = resolved(DEFAULTS, pipeline="multihop", model="small", top_k=2, temperature=0.0, seed=0)
    assert (chosen.pipeline, chosen.model, chosen.top_k, chosen.temperature, chosen.seed) == (
        "fc_multihop", "small", 2, 0.0, 0,
    )  # fmt: skip


def test_the_installation_sets_parameters_that_are_left_out() -> None:
    assert resolved({}).model == "small"


def test_a_course_default_that_cannot_be_used_is_named() -> None:
    with pytest.raises(UnknownName, match="huge"):
        resolved({"model": "huge"})
    with pytest.raises(InvalidInput, match="fc_iterative"):
        resolved({"pipeline": "iterativ"})
    with pytest.raises(InvalidInput, match=r"max_round\b.*max_rounds"):
        resolved({"max_round": 3})


def test_a_retriever_for_one_function_is_chosen_by_its_source() -> None:
    found = resolved({}, **{"retriever": "bm25", "retriever.assignment": "vector"})
    assert found.retrievers == {"qa": "bm25", "textbook": "bm25", "assignment": "vector", "logistics": "bm25"}


def test_a_retriever_that_a_request_names_holds_for_every_function() -> None:
    assert set(resolved({"retriever.qa": "tree"}, retriever="bm25").retrievers.values()) == {"bm25"}


def test_parameters_of_other_pipelines_change_nothing() -> None:
    assert resolved({"max_rounds": 4}, pipeline="fc", max_rounds=2).hash == resolved({}, pipeline="fc").hash


def test_what_stands_for_itself_and_what_is_said_are_equal() -> None:
    assert resolved({}, pipeline="iterative").hash == resolved({}, pipeline="fc_iterative", max_rounds=3, beam=3).hash
    assert resolved({}, pipeline="iterative").hash != resolved({}, pipeline="iterative", max_rounds=2).hash


@pytest.mark.parametrize("chosen", [{"max_rounds": 0}, {"max_rounds": 11}, {"beam": 0}, {"depth": 99}, {"rounds": 1}])
def test_what_no_pipeline_takes_is_no_choice(chosen: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnswerParameters.model_validate(chosen)
