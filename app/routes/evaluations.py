"""`/evaluations`: stored runs, their reports and comparisons, nightly recall and judges."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from app import request_id
from app.edge.accept import accepts
from app.problems import responses
from app.routes.parameters import Admin, Evaluator, as_page
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EduModError, InvalidInput
from core.store.people.audit import AuditEntry
from eval.comparison.compare import ComparisonReport, compared, selected
from eval.stored import SHOWN, ListedEvaluation, comparable, kinds, listed, listed_evaluations, stored_report

router = APIRouter(tags=["evaluations"])

EvaluationId = Annotated[Text, Path(max_length=64, description="The id, or its first characters.")]
Run = Annotated[Text, Query(max_length=200, description="Id of a run, or ID:ACTOR for one of its actors.")]
AS_PAGE = as_page("As JSON")


@router.get("/evaluations", response_model=list[ListedEvaluation], responses={**AS_PAGE, **responses(422, 503)})
async def evaluations(
    services: Wired,
    http: Request,
    access: Evaluator,
    course: Annotated[Text, Query(max_length=200, description="Only runs on this course's material.")] = "",
    kind: Annotated[Text, Query(max_length=40, description="Only runs of this kind.")] = "",
    started: Annotated[str, Query(max_length=10, include_in_schema=False)] = "",
) -> list[ListedEvaluation] | Response:
    """The latest runs, newest first."""
    if course:
        access.demand(Permission.EVAL, course)
    reach = access.reach(Permission.EVAL)
    if not accepts("text/html", http):
        return await listed_evaluations(services.store, course or None, kind or None, reach, SHOWN)
    return await _page(services, access, course, kind, started=started)


@router.post("/evaluations", response_class=HTMLResponse, include_in_schema=False)
async def start_evaluation(services: Wired, http: Request, access: Admin) -> Response:
    """Adds a job that measures; it may cost what the form allows, so those who administer the course start one."""
    from app.evaluations.starting import read_start_form, start

    form = await http.form()
    course = str(form.get("of", ""))
    try:
        if not course:
            raise InvalidInput("Choose a course.")
        access.demand(Permission.COURSE_ADMIN, course)
        await services.store.courses.get(course)
        lists = {"pipelines": form.getlist("pipeline"), "retrievers": form.getlist("retriever")}
        texts = {name: str(form.get(name, "")) for name in ("kind", "split", "dollars")}
        wanted = read_start_form({"course": course, **texts, **lists})
        is_new = await start(services.store, services.jobs, wanted)
    except InvalidInput as error:
        return await _page(services, access, "", "", error.status, error=error.public, typed=form)
    entry = AuditEntry(access.actor, "evaluation.start", course, None, request_id.current(), {"kind": wanted.kind})
    await services.store.audit.add(entry)
    return RedirectResponse(f"/evaluations?course={quoted(course)}&started={'new' if is_new else 'same'}", 303)


async def _page(
    services: Wired, access: Access, course: str, kind: str, status: int = 200, **more: Any
) -> HTMLResponse:
    # Imported here, since all kinds of evaluations take a while, and serving answers does not need them.
    from app.evaluations.overview import read_overview
    from app.evaluations.starting import MAX_DOLLARS, PIPELINE_NAMES, RETRIEVER_NAMES, STARTABLE, read_pending

    reach = access.reach(Permission.EVAL)
    overview = await read_overview(services.store, reach, course or None, kind or None)
    courses = await services.store.courses.all(reach.courses)
    values = {
        "found": overview,
        "courses": courses,
        "administered": [one for one in courses if access.may(Permission.COURSE_ADMIN, one.id)],
        "kinds": kinds(),
        "course": course,
        "kind": kind,
        "startable": STARTABLE,
        "pipelines": PIPELINE_NAMES,
        "retrievers": RETRIEVER_NAMES,
        "most_dollars": MAX_DOLLARS,
        "pending": await read_pending(services.store, services.jobs, access),
        "started": "",
        "error": None,
        "typed": None,
        **more,
    }
    return await html_response("evaluations.html", status, **values)


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
        values = {"found": None, "refused": error.public, "base": base, "candidate": candidate}
        return await html_response("comparison.html", error.status, **values)
    if not accepts("text/html", http):
        return report
    return await html_response("comparison.html", found=report, refused=None, base=base, candidate=candidate)


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
    done = (await store.progress([row.id])).get(row.id, 0)
    others = comparable(await store.all(row.course_id, row.kind, reach, SHOWN), row)
    return await html_response("evaluation.html", run=listed(row), done=done, report=report, error=error, others=others)
