"""What a student with a question about code gets, through a run with its safeguards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from core.code import CodeIssue, CodeTest, IssueKind
from core.llm.base import LLM
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.types import Audience, Doubt, FunctionCall, Passage, Question, StepKind
from core.work.pool import WorkPool
from homework.task import HomeworkTask
from offline.extraction import OfflineWriter
from student_code.inspector import CodeInspector
from tasks import WriteAnswer
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


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def inspector() -> AsyncIterator[CodeInspector]:
    async with WorkPool() as pool:
        yield CodeInspector(pool)


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


async def test_offline_an_unsure_finding_names_no_line_and_no_concept_and_asks_on(inspector: CodeInspector) -> None:
    offline = OfflineLLM({WriteAnswer: OfflineWriter(NoWords()).write})
    code = "def fact(n):\n    r = 1\n    for i in range(1, n + 1):\n        r *= i\n    return r - n"
    unsure = ASKED.model_copy(update={"code": code, "language": "en"})
    given = asked(unsure, offline, inspector) | {"homework": HomeworkTask(EXERCISE)}
    run = run_with(**given)
    await run.inspect_code()
    answer = await run.write()
    assert answer.issue is not None
    assert answer.issue.waits
    assert answer.issue.summary not in answer.markdown
    assert "line 5" not in answer.markdown
    assert "The test `fact(3)` expects `6` and gets `2`" in answer.markdown
    assert answer.markdown.rstrip().endswith("?")
    assert given["material"].searched == []
    assert run.steps[0].note != answer.issue.summary


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
    assert (task.exercise, task.solution) == (EXERCISE, "")
    assert task.findings[0].startswith("line 3, off_by_one")
    assert task.question.tests == ASKED.tests
    assert "Look at line 3." in answer.markdown
    assert "n + 1" not in answer.markdown
    assert any("were withheld" in warning for warning in answer.warnings)
    assert Doubt.CUT in answer.doubts


async def test_a_model_gets_the_solution_where_staff_reads_the_answer_first(inspector: CodeInspector) -> None:
    llm = ScriptedLLM({WriteAnswer: [written("Look at line 3.")]})
    run = run_with(**asked(ASKED, llm, inspector), audience=Audience.STAFF)
    await run.inspect_code()
    await run.draft()
    (task,) = llm.tasks
    assert isinstance(task, WriteAnswer)
    assert task.solution == SOLUTION


async def issue_of_excerpt(code: str, inspector: CodeInspector) -> CodeIssue | None:
    llm = ScriptedLLM({WriteAnswer: [written()]})
    run = run_with(llm=llm, question=Question(body="Why?", code=code), inspector=inspector, material=Book())
    await run.inspect_code()
    return (await run.draft()).issue


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def fact(n)\n    return n", 1),
        ("for word in words:\n    if word == 'a' or 'b':\n        print(word)", 2),
        ("import re\nnames = ['b', 'a']\nnames = names.sort()\nprint(names[0])", 3),
    ],
)
async def test_code_alone_is_looked_at_for_what_can_be_seen_in_it(
    code: str, line: int, inspector: CodeInspector
) -> None:
    issue = await issue_of_excerpt(code, inspector)
    assert issue is not None
    assert issue.line == line


@pytest.mark.parametrize(
    "code",
    [
        CODE,
        "import pandas as pd\ndf['a'].mean()\nscores == 3",
        "def show(rows):\n    for row in rows:\n        print(table[row])",
        "df.groupby('a').mean()",
        "for (i in 1:10) {\n  print(i)\n}",
        "SELECT name FROM students WHERE grade > 3",
    ],
)
async def test_of_code_alone_nothing_is_said_that_the_rest_of_the_program_could_explain(
    code: str, inspector: CodeInspector
) -> None:
    assert await issue_of_excerpt(code, inspector) is None


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
