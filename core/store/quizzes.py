"""Quizzes of courses in the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, and_, func, select

from core.access import Person
from core.errors import InvalidInput, NotFound, QuestionChanged
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import insert
from core.store.people.audit import Audit, AuditEntry
from core.store.tables import QuestionState, QuizQuestionRow, QuizRow, now, table_of
from core.types import Source

_quizzes = table_of(QuizRow)
_questions = table_of(QuizQuestionRow)

_REVIEWED = {"question", "answer", "state", "version", "reviewed_by", "reviewed_at"}
MAX_QUESTION_CHARS = 1_000
MAX_ANSWER_CHARS = 5_000


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """A question that was made about a section; see `QuizQuestionRow`."""

    document: str
    heading_path: tuple[str, ...]
    block_id: str
    quote: str
    kind: str
    made_by: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class QuestionReview:
    """What somebody decided about a question. None leaves a text as it is; so does dropping.

    `version` is that of the question which was read; None to decide whatever was changed since.
    """

    is_kept: bool
    question: str | None = None
    answer: str | None = None
    version: int | None = None


class Quizzes(Topic):
    async def open(self, course_id: str, source: Source, document: str, by: Person) -> QuizRow:
        """The quiz about this material, made if there is none."""
        row = QuizRow(id=uuid4().hex, course_id=course_id, source=source, document=document, created_by=by.id)
        async with self._database.write() as connection:
            statement = insert(connection.dialect, _quizzes).values(row.model_dump())
            made = await connection.execute(statement.on_conflict_do_nothing())
            if made.rowcount:
                await connection.run_sync(Audit.record, AuditEntry(by, "quiz.create", course_id, row.id))
        quiz = await self.about(course_id, source, document)
        if quiz is None:
            raise NotFound("The quiz was deleted while it was being made.")
        return quiz

    async def about(self, course_id: str, source: Source, document: str) -> QuizRow | None:
        """The quiz about a source of the course, or about one document of it."""
        mine = (_quizzes.c.course_id == course_id, _quizzes.c.source == source, _quizzes.c.document == document)
        return await self._find(QuizRow, select(_quizzes).where(*mine))

    async def get(self, course_id: str, quiz_id: str) -> QuizRow:
        """Raises `NotFound`, also for a quiz of another course."""
        query = select(_quizzes).where(_quizzes.c.course_id == course_id, _quizzes.c.id == quiz_id)
        if (quiz := await self._find(QuizRow, query)) is None:
            raise NotFound(f"The course {course_id} has no quiz {quiz_id!r}.")
        return quiz

    async def of_course(self, course_id: str) -> list[QuizRow]:
        """The course's quizzes, by source and document."""
        query = select(_quizzes).where(_quizzes.c.course_id == course_id)
        return await self._all(QuizRow, query.order_by(_quizzes.c.source, _quizzes.c.document))

    async def counts(self, course_id: str) -> dict[str, dict[QuestionState, int]]:
        """How many questions each quiz of the course has in each state."""
        query = (
            select(_questions.c.quiz_id, _questions.c.state, func.count())
            .where(_questions.c.course_id == course_id)
            .group_by(_questions.c.quiz_id, _questions.c.state)
        )
        counts: defaultdict[str, dict[QuestionState, int]] = defaultdict(dict)
        for quiz_id, state, count in await self._rows(query):
            counts[quiz_id][QuestionState(state)] = count
        return dict(counts)

    async def questions(self, quiz: QuizRow) -> list[QuizQuestionRow]:
        """The questions of a quiz in their order."""
        query = select(_questions).where(_of(quiz)).order_by(_questions.c.number)
        return await self._all(QuizQuestionRow, query)

    async def question(self, quiz: QuizRow, number: int) -> QuizQuestionRow:
        """Raises `NotFound`."""
        query = select(_questions).where(_of(quiz), _questions.c.number == number)
        return _demand(await self._find(QuizQuestionRow, query), number)

    @transaction
    def add(self, connection: Connection, quiz: QuizRow, questions: Sequence[NewQuestion], at_most: int) -> int:
        """Append questions, those left out that the quiz has already; how many were added."""
        is_there = select(_quizzes.c.id).where(_quizzes.c.id == quiz.id).with_for_update()
        if connection.execute(is_there).one_or_none() is None:
            raise NotFound("The quiz was deleted while it was being made.")
        existing = connection.execute(select(_questions.c.number, _questions.c.made_question).where(_of(quiz))).all()
        asked = {row.made_question for row in existing}
        new = {question.question: question for question in questions if question.question not in asked}
        first = max((row.number for row in existing), default=0) + 1
        rows = [_row(quiz, number, question) for number, question in enumerate(list(new.values())[:at_most], first)]
        if rows:
            connection.execute(_questions.insert(), rows)
        return len(rows)

    @transaction
    def review(
        self, connection: Connection, quiz: QuizRow, number: int, review: QuestionReview, by: Person
    ) -> QuizQuestionRow:
        """Store what was decided about a question; the question as it is then.

        Raises `NotFound`, `InvalidInput` for a text that is empty or too long, and `QuestionChanged`.
        """
        mine = and_(_of(quiz), _questions.c.number == number)
        stored = connection.execute(select(_questions).where(mine).with_for_update()).one_or_none()
        row = _demand(QuizQuestionRow(**stored._mapping) if stored else None, number)
        if review.version is not None and review.version != row.version:
            raise QuestionChanged(f"Somebody changed question {number} since you read it. Read it again, then decide.")
        if review.is_kept:
            row.question = _stripped("question", review.question, row.question, MAX_QUESTION_CHARS)
            row.answer = _stripped("answer", review.answer, row.answer, MAX_ANSWER_CHARS)
            is_as_made = (row.question, row.answer) == (row.made_question, row.made_answer)
            row.state = QuestionState.KEPT if is_as_made else QuestionState.EDITED
        else:
            row.state = QuestionState.DROPPED
        row.version, row.reviewed_by, row.reviewed_at = row.version + 1, by.id, now()
        connection.execute(_questions.update().where(mine).values(row.model_dump(include=_REVIEWED)))
        details = {"question": number, "state": row.state.value}
        Audit.record(connection, AuditEntry(by, "quiz.review", quiz.course_id, quiz.id, details=details))
        return row

    @transaction
    def keep_open(self, connection: Connection, quiz: QuizRow, by: Person) -> int:
        """Keep all questions that nobody has decided about; how many there were."""
        values = {"state": QuestionState.KEPT, "reviewed_by": by.id, "reviewed_at": now()}
        is_open = and_(_of(quiz), _questions.c.state == QuestionState.OPEN)
        change = _questions.update().where(is_open).values(**values, version=_questions.c.version + 1)
        count = int(connection.execute(change).rowcount)
        entry = AuditEntry(by, "quiz.keep_open", quiz.course_id, quiz.id, details={"questions": count})
        Audit.record(connection, entry)
        return count

    @transaction
    def delete(self, connection: Connection, quiz: QuizRow, by: Person) -> None:
        """Delete a quiz with its questions."""
        connection.execute(_questions.delete().where(_of(quiz)))
        connection.execute(_quizzes.delete().where(_quizzes.c.id == quiz.id))
        Audit.record(connection, AuditEntry(by, "quiz.delete", quiz.course_id, quiz.id))


def _of(quiz: QuizRow) -> ColumnElement[bool]:
    return and_(_questions.c.course_id == quiz.course_id, _questions.c.quiz_id == quiz.id)


def _row(quiz: QuizRow, number: int, question: NewQuestion) -> dict[str, Any]:
    values = {**asdict(question), "heading_path": list(question.heading_path)}
    values |= {"made_question": question.question, "made_answer": question.answer}
    return QuizQuestionRow(quiz_id=quiz.id, course_id=quiz.course_id, number=number, **values).model_dump()


def _demand(row: QuizQuestionRow | None, number: int) -> QuizQuestionRow:
    if row is None:
        raise NotFound(f"The quiz has no question {number}.")
    return row


def _stripped(name: str, given: str | None, old: str, max_chars: int) -> str:
    """The text without white space around it. Raises `InvalidInput`."""
    if given is None:
        return old
    text = given.replace("\r\n", "\n").strip()
    if not text:
        raise InvalidInput(f"The {name} is empty. Write one, or drop the question.")
    if len(text) > max_chars:
        raise InvalidInput(f"The {name} has {len(text):,} characters. Shorten it to {max_chars:,}.")
    return text
