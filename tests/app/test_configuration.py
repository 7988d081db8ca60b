"""What a request leaves out, the course decides; what the course leaves out, the installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from app.answering import Answering
from app.schemas import AnswerParameters
from core.course import Course
from core.errors import InvalidInput, UnknownName
from core.llm.scripted import ScriptedLLM
from core.settings import Settings
from pipelines.assistant import Assistant, Configuration

DEFAULTS = {
    "pipeline": "iterative", "retriever": "bm25", "top_k": 7, "model": "large", "temperature": 0.2, "seed": 3,
    "beam": 2, "max_rounds": 4,
}  # fmt: skip


def resolved(defaults: dict[str, Any], **chosen: Any) -> Configuration:
    settings = Settings(
        home=Path("nowhere"), llm_base_url="http://localhost/v1", llm_models=("small", "large"), _env_file=None
    )
    nothing = cast(Any, None)
    answering = Answering(nothing, Assistant(ScriptedLLM([], model="small"), nothing, {}), settings)
    return answering.configuration(Course.model_validate({"id": "c", "defaults": defaults}), AnswerParameters(**chosen))


def test_every_choice_can_be_a_course_default() -> None:
    assert resolved(DEFAULTS).model_dump() == {**DEFAULTS, "pipeline": "fc_iterative"}


def test_a_request_comes_before_the_course() -> None:
    chosen = resolved(DEFAULTS, pipeline="multihop", model="small", top_k=2, temperature=0.0, seed=0)
    assert (chosen.pipeline, chosen.model, chosen.top_k, chosen.temperature, chosen.seed) == (
        "fc_multihop", "small", 2, 0.0, 0,
    )  # fmt: skip


def test_the_installation_decides_what_nobody_chose() -> None:
    assert resolved({}).model == "small"


def test_a_course_default_that_cannot_be_used_is_named() -> None:
    with pytest.raises(UnknownName, match="huge"):
        resolved({"model": "huge"})
    with pytest.raises(InvalidInput, match="fc_iterative"):
        resolved({"pipeline": "iterativ"})
