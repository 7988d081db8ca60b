"""A model writes the quiz of a course; its questions are checked before they are taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.course_teacher import CourseTeacher
from app.quizzes.making import QuizRequest
from app.quizzes.quiz_questions import Place, read_quiz
from app.wiring import build_services
from core.access import LOCAL
from core.errors import InvalidInput, UnknownName
from core.llm.scripted import ScriptedLLM
from core.llm.task import Task
from core.types import Source
from eval.runner import RunLimits
from tasks import Quoted, Statement, WriteAnswer, WrittenAnswer
from teaching.tasks import Skill, WriteQuiz, WrittenQuestion, WrittenQuiz
from tests.app.live import settings_in
from tests.app.quizzes.conftest import ingest, write
from tests.fakes import FakeEmbedder

BOOK = """# Bees

## Dance
**Bees** dance to tell others where nectar is.

## Wax
Bees build cells of wax.
"""


def written(task: Task[Any]) -> WrittenQuiz:
    """A question about the dance, and nothing usable about anything else."""
    assert isinstance(task, WriteQuiz)
    quote = "**Bees** dance to tell others" if "dance" in task.section else "Wasps eat jam"
    one = WrittenQuestion(quote=quote, skill=Skill.EXPLAIN, question="Why do bees dance?", answer="To tell others.")
    return WrittenQuiz(questions=(one,))


def answered(task: Task[Any]) -> WrittenAnswer:
    assert isinstance(task, WriteAnswer)
    statement = Statement(text="To tell.", sources=(Quoted(passage=1, quote="dance to tell others"),))
    return WrittenAnswer(status="answered", statements=(statement,), confidence=0.9)


async def test_a_models_questions_stand_beside_their_sentences_and_are_paid_for_once(tmp_path: Path) -> None:
    write(tmp_path / "material", BOOK)
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    llm = ScriptedLLM({WriteQuiz: [written], WriteAnswer: [answered]})
    services = await build_services(settings_in(tmp_path / "home"), llm=llm, embedder=FakeEmbedder())
    teacher = CourseTeacher(services, services.models.model, "German", RunLimits(), lambda done, total: None)
    wanted = QuizRequest(Source.TEXTBOOK, per_section=1)
    made = await services.quizzes.make("bio", wanted, LOCAL, teach=teacher.teach)
    (one,) = (await read_quiz(services.store, made.quiz)).questions
    asked = [task for task in llm.tasks if isinstance(task, WriteQuiz)]
    again = await services.quizzes.make("bio", wanted, LOCAL, teach=teacher.teach)
    calls = len([task for task in llm.tasks if isinstance(task, WriteQuiz)])
    await services.aclose()
    assert (one.row.question, one.row.kind, one.row.made_by) == ("Why do bees dance?", "explain", teacher.model)
    assert (one.row.quote, one.place) == ("**Bees** dance to tell others", Place.FOUND)
    assert {task.language for task in asked} == {"German"}
    assert not any("xylem" in task.section or "phloem" in task.section for task in asked)
    assert [(section.rpartition(" ")[2], reason[:4]) for section, reason in made.unusable] == [("Wax", "None")]
    assert (made.added, again.added) == (1, 0)
    assert calls - len(asked) <= 1  # Only the section without a question may be asked about again.


async def test_a_model_that_is_unknown_or_offline_is_refused(tmp_path: Path) -> None:
    services = await build_services(settings_in(tmp_path / "home"), embedder=FakeEmbedder())
    for model, error in (("nobody", UnknownName), ("offline", InvalidInput)):
        with pytest.raises(error):
            CourseTeacher(services, model, "English", RunLimits(), lambda done, total: None)
    await services.aclose()
