"""What a search by a model leaves in an answer's trace and usage, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from retrievers.tasks import IsRelevant, PickSections, ScoreParts
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import calls, request, stored, written
from tests.app.live import live, settings_in
from tests.retrievers.trees import scored

WAY = scored({"Late work": 0.9, "Syllabus": 0.8}, otherwise=0.2)


def answered(home: Path, retriever: str) -> tuple[dict[str, Any], ScriptedLLM]:
    llm = ScriptedLLM(
        {
            ChooseFunctions: [calls("logistics_retrieval", "textbook_retrieval", query="slip days missing values")],
            PickSections: [WAY], ScoreParts: [WAY], IsRelevant: [0.5], WriteAnswer: [written()],
        },
        model="priced",
    )  # fmt: skip
    settings = settings_in(home, llm_prices={"priced": ModelPrice(input=1.0, output=1.0)})
    with live(settings, llm) as client:
        response = client.post(f"/answer?pipeline=fc&retriever={retriever}&seed=5", json=request("slip days?"))
    assert response.status_code == 200, response.text
    return response.json(), llm


def test_the_way_down_the_tree_stands_in_the_stored_trace(home: Path) -> None:
    body, _ = answered(home, "hier_gen")
    steps = stored(home, "trace", body["trace_id"]).steps
    found = next(one for one in steps if one.get("function") == "logistics_retrieval")["passages"]
    late = next(one for one in found if one["heading_path"][-1] == "Late work")
    assert late["path"] == ["Syllabus", "Late work (0.90)"]
    assert next(step for step in body["trace"] if step.get("function") == "logistics_retrieval")["passages"] == found


@pytest.mark.parametrize("retriever", ["hier_gen", "vector_gen"])
def test_the_calls_of_a_search_count_in_its_step_and_in_the_answer(home: Path, retriever: str) -> None:
    body, llm = answered(home, retriever)
    searches = [step for step in body["trace"] if step["kind"] == "search"]
    usages = [step["usage"]["calls"] for step in body["trace"] if step.get("usage")]
    assert all(step["usage"]["calls"] >= 1 for step in searches)
    assert body["usage"]["calls"] == sum(usages) == len(llm.tasks)
    assert {sampling.seed for sampling in llm.samplings} == {5}
    assert {sampling.model for sampling in llm.samplings} == {"priced"}
    if retriever == "hier_gen":
        assert body["usage"]["cost_usd"] == pytest.approx(len(llm.tasks) * 110 / 1e6)


def test_prompts_of_retrievers_stand_in_the_configuration(home: Path) -> None:
    body, _ = answered(home, "hier_gen")
    assert body["configuration"]["prompts"]["ScoreParts"] == ScoreParts.version
