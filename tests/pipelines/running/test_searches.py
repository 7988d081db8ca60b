"""What a run keeps of its searches."""

from __future__ import annotations

from core.facts import Fact, FactKind, Moment
from core.llm.scripted import ScriptedLLM
from core.llm.task import CallResult
from pipelines.running.budget import fit_history
from tests.pipelines.runs import Material, call, passage, run_with

DUE = Fact(kind=FactKind.DUE, name="Homework 3", at=Moment(month=3, day=6), quote="Due March 6.")


async def test_what_one_search_knows_of_a_passage_is_kept_though_another_ranked_it_first() -> None:
    material = Material({"task": [passage("sheet")], "deadline": [passage("sheet", facts=(DUE,)), passage("other")]})
    run = run_with(ScriptedLLM([]), material=material)
    await run.searches.run([call("task", "assignment_retrieval"), call("deadline", "logistics_retrieval")])
    assert [(one.block_id, one.facts) for one in run.searches.passages] == [("sheet", (DUE,)), ("other", ())]


def test_a_history_keeps_what_one_of_its_calls_knows_of_a_passage() -> None:
    first = CallResult(call=call("task"), passages=(passage("sheet"),))
    second = CallResult(call=call("deadline"), passages=(passage("other"), passage("sheet", facts=(DUE,))))
    history = fit_history(((first, second),), 10_000)
    assert history[0][0].passages[0].facts == (DUE,)
