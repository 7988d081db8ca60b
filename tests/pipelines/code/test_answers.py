"""What a student with a question about code gets, through a run with its safeguards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from core.code import CodeTest, IssueKind
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.types import FunctionCall, Passage, Question, StepKind
from pipelines.code.inspector import CodeInspector
from pipelines.homework.task import HomeworkTask
from pipelines.offline.extraction import OfflineWriter
from pipelines.running.code import WITHHELD
from pipelines.tasks import WriteAnswer
from tests.pipelines.runs import Material, passage, run_with, written

SOLUTION = "def fact(n):\n    result = 1\n    for k in range(1, n + 1):\n        result *= k\n    return result"
CODE = "def fact(n):\n    r = 1\n    for i in range(1, n):\n        r *= i\n    return r"
EXERCISE = "Return the product of the numbers 1 to n."
ASKED = Question(
    body="Waarom krijg ik altijd een te klein getal?", code=CODE, exercise=EXERCISE,
    tests=(CodeTest(name="fact(3)", accepted=False, expected="6", got="2"),),
)  # fmt: skip
BOOK = passage("range", "The stop value of a range is not included: range(3) gives 0, 1 and 2.")


class Book(Material):
    """Finds the page about ranges for every query."""

    async def search(self, call: FunctionCall, llm: LLM) -> list[Passage]:
        self.searched.append(call)
        return [BOOK]


class NoWords:
    """Material in which no word is rare."""

    async def of(self, course_id: str, tokens: Any) -> dict[str, float]:
        return {}


@pytest.fixture(scope="module")
def inspector() -> Iterator[CodeInspector]:
    inspector = CodeInspector()
    yield inspector
    asyncio.run(inspector.aclose())


def asked(question: Question, llm: Any, inspector: CodeInspector) -> dict[str, Any]:
    task = HomeworkTask(EXERCISE, SOLUTION)
    return {"llm": llm, "question": question, "inspector": inspector, "homework": task, "material": Book()}


async def test_offline_the_answer_has_line_concept_and_next_question_in_the_students_language(
    inspector: CodeInspector,
) -> None:
    offline = OfflineLLM({WriteAnswer: OfflineWriter(NoWords()).write})
    given = asked(ASKED, offline, inspector)
    run = run_with(**given)
    await run.inspect_code()
    answer = await run.write()
    assert answer.issue is not None
    assert (answer.issue.line, answer.issue.kind) == (3, IssueKind.OFF_BY_ONE)
    assert "niet door een model geschreven" in answer.markdown
    assert "regel 3" in answer.markdown
    assert "De test `fact(3)` verwacht `6` en krijgt `2`" in answer.markdown
    assert "The stop value of a range is not included" in answer.markdown
    assert [one.verified for one in answer.citations] == [True]
    assert "needs support" not in answer.markdown
    assert "n + 1" not in answer.markdown
    assert answer.markdown.rstrip().endswith("?")
    assert [one.arguments["query"] for one in given["material"].searched] == [
        "range stop value is not included off by one"
    ]
    assert run.steps[0].kind is StepKind.CHECK


async def test_a_language_that_is_asked_for_counts_more_than_that_of_the_words(inspector: CodeInspector) -> None:
    offline = OfflineLLM({WriteAnswer: OfflineWriter(NoWords()).write})
    run = run_with(**asked(ASKED.model_copy(update={"language": "en-GB"}), offline, inspector))
    await run.inspect_code()
    assert "not written by a model" in (await run.write()).markdown


async def test_a_model_gets_exercise_tests_and_findings_and_its_solving_code_is_withheld(
    inspector: CodeInspector,
) -> None:
    solving = "Look at line 3.\n\n```python\nfor j in range(1, n + 1):\n    r *= j\n```\n"
    llm = ScriptedLLM({WriteAnswer: [written(solving, (0, "for i in range(1, n)"))]})
    run = run_with(**asked(ASKED, llm, inspector))
    await run.inspect_code()
    answer = await run.draft()
    (task,) = llm.tasks
    assert isinstance(task, WriteAnswer)
    assert (task.exercise, task.solution) == (EXERCISE, SOLUTION)
    assert task.findings[0].startswith("line 3, off_by_one")
    assert task.question.tests == ASKED.tests
    assert "Look at line 3." in answer.markdown
    assert "n + 1" not in answer.markdown
    assert WITHHELD in answer.warnings


async def test_code_without_anything_about_it_is_an_ordinary_question(inspector: CodeInspector) -> None:
    llm = ScriptedLLM({WriteAnswer: [written()]})
    run = run_with(**asked(Question(body="Why?", code=CODE), llm, inspector))
    await run.inspect_code()
    assert (await run.draft()).issue is None
    assert run.steps[0].kind is StepKind.WRITE


@pytest.mark.parametrize("code", ["(" * 20_000, "a" + ".b" * 9_000, "-" * 19_000 + "1", "x = " + "[" * 900 + "]" * 900])
async def test_hostile_code_costs_at_most_its_limit(inspector: CodeInspector, code: str) -> None:
    report = await inspector.inspect(ASKED.model_copy(update={"code": code}), SOLUTION)
    assert report.problem or report.findings is not None
    after = await inspector.inspect(ASKED, SOLUTION)
    assert after.findings[0].line == 3


async def test_code_is_never_run(inspector: CodeInspector, tmp_path: Any) -> None:
    code = f"__import__('pathlib').Path({str(tmp_path / 'made')!r}).touch()"
    await inspector.inspect(ASKED.model_copy(update={"code": code}), code)
    assert not (tmp_path / "made").exists()
