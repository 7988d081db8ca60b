"""`/evaluations`: stored runs, their reports and comparisons, nightly recall and judges."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from app.edge.accept import accepts
from app.people.rules import needs
from app.problems import responses
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import render
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EduModError, InvalidInput
from eval.comparison.compare import ComparisonReport, compared, selected
from eval.stored import SHOWN, ListedEvaluation, comparable, kinds, listed, listed_evaluations, stored_report

router = APIRouter(tags=["evaluations"])

Evaluator = Annotated[Access, needs(Permission.EVAL)]
EvaluationId = Annotated[Text, Path(max_length=64, description="The id, or its first characters.")]
Run = Annotated[Text, Query(max_length=200, description="Id of a run, or ID:ACTOR for one of its actors.")]
AS_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "As JSON; with `Accept: text/html`, as a page.", "content": {"text/html": {}}}
}


@router.get("/evaluations", response_model=list[ListedEvaluation], responses={**AS_PAGE, **responses(422, 503)})
async def evaluations(
    services: Wired,
    http: Request,
    access: Evaluator,
    course: Annotated[Text, Query(max_length=200, description="Only runs on this course's material.")] = "",
    kind: Annotated[Text, Query(max_length=40, description="Only runs of this kind.")] = "",
) -> list[ListedEvaluation] | Response:
    """The latest runs, newest first."""
    if course:
        access.demand(Permission.EVAL, course)
    reach = access.reach(Permission.EVAL)
    if not accepts("text/html", http):
        return await listed_evaluations(services.store, course or None, kind or None, reach, SHOWN)
    # Imported here, since all kinds of evaluations take a while, and serving answers does not need them.
    from app.evaluations.overview import read_overview

    overview = await read_overview(services.store, reach, course or None, kind or None)
    courses = await services.store.courses.all(reach.courses)
    page = await in_thread(
        lambda: render("evaluations.html", found=overview, courses=courses, kinds=kinds(), course=course, kind=kind)
    )
    return HTMLResponse(page)


@router.get(
    "/evaluations/comparison", response_model=ComparisonReport, responses={**AS_PAGE, **responses(404, 422, 503)}
)
async def comparison(
    services: Wired, http: Request, access: Evaluator, base: Run, candidate: Run, force: bool = False
) -> ComparisonReport | Response:
    """The differences of two runs, item by item; `force` compares runs that were measured under other conditions."""
    reach = access.reach(Permission.EVAL)
    try:
        first = await selected(services.store.evaluations, base, reach)
        second = await selected(services.store.evaluations, candidate, reach)
        report = await in_thread(lambda: compared(first, second, force=force))
    except InvalidInput as error:
        if not accepts("text/html", http):
            raise
        refused = error.public
        return HTMLResponse(
            render("comparison.html", found=None, refused=refused, base=base, candidate=candidate), error.status
        )
    if not accepts("text/html", http):
        return report
    page = await in_thread(
        lambda: render("comparison.html", found=report, refused=None, base=base, candidate=candidate)
    )
    return HTMLResponse(page)


@router.get("/evaluations/{evaluation_id}", responses={**AS_PAGE, **responses(404, 422, 503)})
async def evaluation(evaluation_id: EvaluationId, services: Wired, http: Request, access: Evaluator) -> Response:
    """A run's report, as `edumod eval show --json` prints it."""
    reach = access.reach(Permission.EVAL)
    store = services.store.evaluations
    row = await store.find(evaluation_id, reach)
    if not accepts("text/html", http):
        return JSONResponse((await stored_report(store, row.id, reach)).model_dump(mode="json"))
    report, error = None, None
    try:
        report = await stored_report(store, row.id, reach)
    except EduModError as problem:
        error = problem.public
    others = comparable(await store.all(row.course_id, row.kind, reach, SHOWN), row)
    page = await in_thread(
        lambda: render("evaluation.html", run=listed(row), report=report, error=error, others=others)
    )
    return HTMLResponse(page)
