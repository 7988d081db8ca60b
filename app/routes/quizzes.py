"""`/courses/{course_id}/quizzes`: quizzes of a course, made, reviewed and exported."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Path, Query, Request, Response

from app.edge.accept import accepts
from app.problems import responses
from app.quizzes.formats.formats import FORMATS, Format
from app.quizzes.making import QuizRequest
from app.quizzes.page import quiz_page
from app.quizzes.quiz_questions import read_quiz
from app.quizzes.schemas import KeptOut, QuizIn, QuizOut, QuizQuestionOut, QuizQuestionsOut, QuizVerdict, ReviewIn
from app.routes.parameters import Admin, CourseId, Decider, QuizId, Reader, as_page
from app.routes.quiz_pages import list_page, show
from app.routes.services import Wired
from app.wiring import Services
from core.access import Permission
from core.concurrency import in_thread
from core.store.quizzes import QuestionReview

router = APIRouter(tags=["quizzes"])

Number = Annotated[int, Path(ge=1, le=1_000_000, description="The question's number.")]
AS_PAGE = as_page("As JSON")
FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {spec.media_type.partition(";")[0]: {} for spec in FORMATS.values()},
    }
}


@router.get(
    "/courses/{course_id}/quizzes", response_model=list[QuizOut], responses={**AS_PAGE, **responses(404, 422, 503)}
)
async def quizzes(course_id: CourseId, services: Wired, http: Request, access: Reader) -> list[QuizOut] | Response:
    """The course's quizzes."""
    access.demand(Permission.DRAFTS_READ, course_id)
    if accepts("text/html", http):
        return await list_page(services, course_id, access)
    await services.store.courses.get(course_id)
    return await _list_quizzes(services, course_id)


@router.post("/courses/{course_id}/quizzes", status_code=202, responses=responses(404, 422, 503))
async def make_quiz(course_id: CourseId, quiz: QuizIn, services: Wired, access: Admin) -> QuizOut:
    """Make the quiz about this material in the background, or add questions to sections that have fewer."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    wanted = QuizRequest(quiz.source, quiz.document, quiz.per_section)
    row = await services.quizzes.start(course_id, wanted, access.actor)
    listing = await _list_quizzes(services, course_id)
    return next(one for one in listing if one.id == row.id)


@router.get(
    "/courses/{course_id}/quizzes/{quiz_id}",
    response_model=QuizQuestionsOut,
    responses={**AS_PAGE, **responses(404, 422, 503)},
)
async def quiz(
    course_id: CourseId,
    quiz_id: QuizId,
    services: Wired,
    http: Request,
    access: Reader,
    view: Annotated[str, Query(max_length=20, description="Which questions the page shows.")] = "",
    page: Annotated[int, Query(ge=1, le=100_000, description="Which page of them.")] = 1,
    question: Annotated[int, Query(ge=0, le=1_000_000, description="The page with this question instead.")] = 0,
) -> QuizQuestionsOut | Response:
    """A quiz with all of its questions, in the order of the material."""
    access.demand(Permission.DRAFTS_READ, course_id)
    read = await read_quiz(services.store, await services.store.quizzes.get(course_id, quiz_id))
    if accepts("text/html", http):
        return await show(services, access, quiz_page(read, view, page, question))
    return QuizQuestionsOut.read(read, services.quizzes.progress(quiz_id))


@router.delete("/courses/{course_id}/quizzes/{quiz_id}", status_code=204, responses=responses(404, 422, 503))
async def delete_quiz(course_id: CourseId, quiz_id: QuizId, services: Wired, access: Admin) -> None:
    """Delete a quiz with what was decided about its questions."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.quizzes.delete(await services.store.quizzes.get(course_id, quiz_id), access.actor)


@router.post("/courses/{course_id}/quizzes/{quiz_id}/questions/{number}", responses=responses(404, 412, 413, 422, 503))
async def review_question(
    course_id: CourseId, quiz_id: QuizId, number: Number, review: ReviewIn, services: Wired, access: Decider
) -> QuizQuestionOut:
    """Keep, edit or drop a question."""
    access.demand(Permission.DRAFTS_DECIDE, course_id)
    row = await services.store.quizzes.get(course_id, quiz_id)
    decided = QuestionReview(review.state is QuizVerdict.KEPT, review.question, review.answer, review.version)
    await services.store.quizzes.review(row, number, decided, access.actor)
    read = await read_quiz(services.store, row)
    return next(QuizQuestionOut.of(one) for one in read.questions if one.row.number == number)


@router.post("/courses/{course_id}/quizzes/{quiz_id}/kept", responses=responses(404, 422, 503))
async def keep_open(course_id: CourseId, quiz_id: QuizId, services: Wired, access: Decider) -> KeptOut:
    """Keep all questions that nobody has decided about."""
    access.demand(Permission.DRAFTS_DECIDE, course_id)
    row = await services.store.quizzes.get(course_id, quiz_id)
    return KeptOut(kept=await services.store.quizzes.keep_open(row, access.actor))


@router.get(
    "/courses/{course_id}/quizzes/{quiz_id}/files/{format_name}",
    responses={**FILES, **responses(404, 422, 503)},
    response_class=Response,
)
async def quiz_file(
    course_id: CourseId,
    quiz_id: QuizId,
    format_name: Annotated[Format, Path(description="The format of the file.")],
    services: Wired,
    access: Reader,
) -> Response:
    """The questions that were not dropped, as a file for Moodle (gift), Canvas (qti), paper (md) or programs (json)."""
    access.demand(Permission.DRAFTS_READ, course_id)
    read = await read_quiz(services.store, await services.store.quizzes.get(course_id, quiz_id))
    spec = FORMATS[format_name]
    content = await in_thread(spec, read.export)
    name = f"attachment; filename*=UTF-8''{quoted(course_id, safe='')}-quiz{spec.endings[0]}"
    return Response(content, media_type=spec.media_type, headers={"Content-Disposition": name})


async def _list_quizzes(services: Services, course_id: str) -> list[QuizOut]:
    rows = await services.store.quizzes.of_course(course_id)
    counts = await services.store.quizzes.counts(course_id)
    return [QuizOut.of(row, counts.get(row.id, {}), services.quizzes.progress(row.id)) for row in rows]
