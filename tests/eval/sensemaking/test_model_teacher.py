"""A Teacher that is a model: its questions are checked against the section, against each other, and by a Student."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.sections import sections_as_courses
from app.wiring import Services, build_services
from core.dataset import Dataset
from core.errors import BadReply, InvalidInput
from core.llm.scripted import ScriptedLLM
from core.llm.task import Task
from eval.runner import RunLimits
from eval.sensemaking.formats.sections import Section
from eval.sensemaking.grading import Grader, grade
from eval.sensemaking.model_teacher import (
    ModelTeacher,
    SectionItem,
    Wanted,
    questions_of,
    quoted,
    skills_in,
    teach_by_model,
)
from eval.sensemaking.student import SectionQuestion
from tasks import Quoted, Statement, WriteAnswer, WrittenAnswer
from teaching.tasks import (
    GradeQuestion,
    QuestionGrades,
    Skill,
    WriteQuiz,
    WrittenQuestion,
    WrittenQuiz,
)
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder

TEXT = "Bees dance to tell others where nectar is. Their dance has the form of an eight."
SECTION = Section(path="book/bees/dance", text=TEXT, questions={})


def asked(question: str, quote: str = "Bees dance to tell others") -> WrittenQuestion:
    return WrittenQuestion(quote=quote, skill=Skill.EXPLAIN, question=question, answer="To tell where nectar is.")


QUIZ = WrittenQuiz(
    questions=(
        asked("Why do bees dance?"),
        asked("Why do bees dance?"),
        asked("What do wasps eat?", quote="Wasps eat jam"),
        asked("How many bees are there in the world?"),
    )
)


def answered(task: Task[Any]) -> WrittenAnswer:
    """A Student who knows why bees dance, and no more."""
    assert isinstance(task, WriteAnswer)
    if "dance" not in task.question.body:
        return WrittenAnswer(status="abstained", statements=(), confidence=0.1)
    statement = Statement(text="To tell.", sources=(Quoted(passage=1, quote="Bees dance to tell others"),))
    return WrittenAnswer(status="answered", statements=(statement,), confidence=0.9)


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[tuple[Services, ScriptedLLM]]:
    grades = QuestionGrades(reasons="It says so.", answerability=5, complexity=2)
    llm = ScriptedLLM({WriteQuiz: [QUIZ], WriteAnswer: [answered], GradeQuestion: [grades]})
    built = await build_services(settings_in(tmp_path), llm=llm, embedder=FakeEmbedder())
    yield built, llm
    await built.aclose()


async def test_only_questions_that_the_section_answers_are_taken(services: tuple[Services, ScriptedLLM]) -> None:
    built, llm = services
    async with sections_as_courses(built, [SECTION], lambda done, total: None) as (aside, courses, _):
        configuration = aside.answering.configuration(courses[SECTION.path], {"pipeline": "edison"})
        teacher = ModelTeacher(configuration, Wanted(3), aside.assistant, courses, FakeEmbedder())
        outcome = await teach_by_model(built.runner(), teacher, [SECTION], RunLimits(), lambda done, total: None)
    taught = questions_of(outcome)
    assert taught.lists == {"book/bees/dance/questions.json": (("Why do bees dance?", "To tell where nectar is."),)}
    written = next(task for task in llm.tasks if isinstance(task, WriteQuiz))
    assert (written.title, written.section, written.count) == (SECTION.path, TEXT, 3)


async def test_a_section_without_a_usable_question_is_named(services: tuple[Services, ScriptedLLM]) -> None:
    built, _ = services
    other = Section(path="book/ants/walk", text="Ants walk.", questions={})
    async with sections_as_courses(built, [other], lambda done, total: None) as (aside, courses, _):
        configuration = aside.answering.configuration(courses[other.path], {"pipeline": "edison"})
        teacher = ModelTeacher(configuration, Wanted(3), aside.assistant, courses, FakeEmbedder())
        with pytest.raises(BadReply, match="None of 4 questions"):
            await teacher.act(SectionItem(id=other.path, text=other.text), 0, built.models)


async def test_a_model_grades_answerability_and_complexity(services: tuple[Services, ScriptedLLM]) -> None:
    built, _ = services
    items = (SectionQuestion(id="1", section=SECTION.path, question="Why do bees dance?"),)
    grader = Grader("scripted", "x", {SECTION.path: TEXT})
    grades = await grade(built.runner(), grader, Dataset("questions", items), RunLimits(), lambda done, total: None)
    assert (grades.graded, grades.answerability.mean, grades.complexity.mean) == (1, 5.0, 2.0)


def test_a_quote_must_stand_in_the_section() -> None:
    assert [one.question for one in quoted(QUIZ.questions, TEXT)].count("What do wasps eat?") == 0


def test_an_unknown_skill_is_named() -> None:
    assert skills_in("recall, apply") == (Skill.RECALL, Skill.APPLY)
    with pytest.raises(InvalidInput, match="no skill 'guess'"):
        skills_in("guess")
