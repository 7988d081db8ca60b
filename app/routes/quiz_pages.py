"""The pages of quizzes and their forms. Work without JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import APIRouter, Form, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.people.rules import needs
from app.quizzes.formats.formats import FORMATS
from app.quizzes.making import MAX_PER_SECTION, PER_SECTION, QuizRequest
from app.quizzes.page import QuizPage, quiz_page
from app.quizzes.quiz_questions import read_quiz
from app.routes.reviewing import Decider, Reader
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import render
from app.wiring import Services
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EduModError, InvalidInput, QuestionChanged
from core.store.quizzes import QuestionReview
from core.store.tables import QuestionState, QuizRow
from core.types import Source

router = APIRouter(include_in_schema=False)

CourseId = Annotated[Text, Path(max_length=200)]
QuizId = Annotated[Text, Path(max_length=64)]
Admin = Annotated[Access, needs(Permission.COURSE_ADMIN)]


@dataclass(frozen=True)
class Typed:
    """A change that was refused: what was typed for a question, and why. `is_late` if somebody else changed it."""

    number: int
    question: str
    answer: str
    error: str
    is_late: bool


SOURCES = [one for one in Source if one is not Source.QA]


@router.post("/courses/{course_id}/quizzes/page", response_class=HTMLResponse)
async def make(
    course_id: CourseId,
    services: Wired,
    access: Admin,
    source: Annotated[Source, Form()] = Source.TEXTBOOK,
    document: Annotated[Text, Form(max_length=500)] = "",
    per_section: Annotated[int, Form(ge=1, le=MAX_PER_SECTION)] = PER_SECTION,
) -> Response:
    """Make a quiz in the background, or add questions to it."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    try:
        quiz = await services.quizzes.start(course_id, QuizRequest(source, document, per_section), access.actor)
    except EduModError as error:
        return await list_page(services, course_id, access, error, document)
    return RedirectResponse(_address(quiz), 303)


@router.post("/courses/{course_id}/quizzes/{quiz_id}/page", response_class=HTMLResponse)
async def keep_open(course_id: CourseId, quiz_id: QuizId, services: Wired, access: Decider) -> Response:
    """Keep all questions that nobody has decided about."""
    access.demand(Permission.DRAFTS_DECIDE, course_id)
    quiz = await services.store.quizzes.get(course_id, quiz_id)
    await services.store.quizzes.keep_open(quiz, access.actor)
    return RedirectResponse(_address(quiz), 303)


@router.post("/courses/{course_id}/quizzes/{quiz_id}/deletion", response_class=HTMLResponse)
async def delete(course_id: CourseId, quiz_id: QuizId, services: Wired, access: Admin) -> Response:
    """Delete a quiz."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.quizzes.delete(await services.store.quizzes.get(course_id, quiz_id), access.actor)
    return RedirectResponse(f"/courses/{quoted(course_id)}/quizzes", 303)


@router.post("/courses/{course_id}/quizzes/{quiz_id}/questions/{number}/page", response_class=HTMLResponse)
async def review(
    course_id: CourseId,
    quiz_id: QuizId,
    number: Annotated[int, Path(ge=1, le=1_000_000)],
    services: Wired,
    access: Decider,
    do: Annotated[str, Form(pattern="^(keep|drop|reset)$")],
    version: Annotated[int, Form(ge=1, le=1_000_000_000)],
    question: Annotated[Text, Form()] = "",
    answer: Annotated[Text, Form()] = "",
    view: Annotated[str, Form(max_length=20)] = "",
    page: Annotated[int, Form(ge=1, le=100_000)] = 1,
    following: Annotated[int, Form(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Keep a question with the words that were typed, drop it, or give it back the words that were made."""
    access.demand(Permission.DRAFTS_DECIDE, course_id)
    quiz = await services.store.quizzes.get(course_id, quiz_id)
    decided = (
        QuestionReview(True, question, answer, version)
        if do == "keep"
        else QuestionReview(do == "reset", version=version)
    )
    try:
        if do == "reset":
            row = await services.store.quizzes.question(quiz, number)
            decided = QuestionReview(True, row.made_question, row.made_answer, version)
        await services.store.quizzes.review(quiz, number, decided, access.actor)
    except InvalidInput as error:
        typed = Typed(number, question, answer, error.public, isinstance(error, QuestionChanged))
        refused = quiz_page(await read_quiz(services.store, quiz), view, page, number)
        return await show(services, access, refused, typed, error.status)
    anchor = f"q-{following or number}"
    return RedirectResponse(f"{_address(quiz)}?view={quoted(view)}&page={page}#{anchor}", 303)


@router.get("/courses/{course_id}/quizzes/{quiz_id}/questions/{number}/page", response_class=RedirectResponse)
async def open_question(
    course_id: CourseId,
    quiz_id: QuizId,
    number: Annotated[int, Path(ge=1, le=1_000_000)],
    services: Wired,
    access: Reader,
) -> Response:
    """To the question, for who opens the address that a refused change was shown at."""
    access.demand(Permission.DRAFTS_READ, course_id)
    quiz = await services.store.quizzes.get(course_id, quiz_id)
    return RedirectResponse(f"{_address(quiz)}?question={number}#q-{number}", 303)


async def list_page(
    services: Services, course_id: str, access: Access, error: EduModError | None = None, document: str = ""
) -> HTMLResponse:
    """The course's quizzes, and the form for a new one."""
    course = await services.store.courses.read(course_id)
    quizzes = await services.store.quizzes.of_course(course_id)
    counts = await services.store.quizzes.counts(course_id)
    page = await in_thread(
        lambda: render(
            "quizzes.html",
            course=course,
            quizzes=quizzes,
            counts=counts,
            progress={one.id: services.quizzes.progress(one.id) for one in quizzes},
            states=QuestionState,
            sources=SOURCES,
            document=document,
            per_section=PER_SECTION,
            max_per_section=MAX_PER_SECTION,
            may_correct=access.may(Permission.COURSE_ADMIN, course_id),
            error=error.public if error else None,
        )
    )
    return HTMLResponse(page, error.status if error else 200)


async def show(
    services: Services, access: Access, view: QuizPage, typed: Typed | None = None, status: int = 200
) -> HTMLResponse:
    """The page of a quiz; `typed` is shown in place of what is stored."""
    course_id = view.read.course.id
    page = await in_thread(
        lambda: render(
            "quiz.html",
            found=view,
            read=view.read,
            typed=typed,
            progress=services.quizzes.progress(view.read.quiz.id),
            formats=FORMATS,
            may_correct=access.may(Permission.COURSE_ADMIN, course_id),
            may_decide=access.may(Permission.DRAFTS_DECIDE, course_id),
        )
    )
    return HTMLResponse(page, status)


def _address(quiz: QuizRow) -> str:
    return f"/courses/{quoted(quiz.course_id)}/quizzes/{quiz.id}"
