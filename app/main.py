"""Assembles the HTTP service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import cache, partial
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from app import problems
from app.answering.parameters import query_errors
from app.description.openapi import describe, operation_id
from app.doors.lti.platform_keys import PlatformKeys
from app.edge.admission import Admission
from app.edge.bodies import MAX_FORM_BYTES, MAX_FORM_FIELDS, MAX_UPLOAD_FILES, Bodies
from app.edge.entrance import Entrance
from app.edge.exchange import Exchange
from app.edge.hosts import Hosts
from app.edge.versions import api_topics
from app.features import FEATURES
from app.forums.desk import Admit
from app.models.chat import log_missing_keys
from app.operation.exposition import is_shared, on_own_address
from app.operation.measures import Measures
from app.operation.metrics import Metrics
from app.people.guard import Guard, RuleTable
from app.people.local import serves_only_itself
from app.people.rules import rules_of
from app.reload import reloading_models
from app.web.errors import error_page
from app.wiring import Services, build_services
from core.settings import Settings, read_settings

DESCRIPTION = """
Answers students' questions from a course's own material. A forum bot posts a question to `POST /answer`; the draft
that comes back waits for a teaching assistant. Errors are `application/problem+json`.
"""
SERVERS = [
    {"url": "/v1", "description": "Changes by addition only."},
    {"url": "/", "description": "The same, as it was before there were versions."},
]


def create_app(
    settings: Settings | None = None, build: Callable[[Settings], Awaitable[Services]] = build_services
) -> FastAPI:
    """The service. Without `settings` they are read from the environment; `build` makes the services."""
    settings = settings or read_settings()
    measures = Measures() if settings.metrics == "off" else Metrics()
    guard = Guard(serves_only_itself(settings.allowed_hosts))
    admission = Admission(settings.max_answers, settings.max_queue, settings.queue_seconds, measures)
    routers = _routers()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = app.state.services = await build(settings)
        services.measure(measures)
        log_missing_keys(services.models)
        services.warming.start(services.assistant)
        services.store.database.follow()
        await services.sweeper.serve()
        await services.warming.let_others_answer()
        services.start_background(Admit(admission.acquire, admission.release))
        try:
            with reloading_models(services), _exposed(settings, measures):
                yield
        finally:
            await services.aclose()

    app = FastAPI(
        title="EduMod",
        version=version("edumod"),
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
        middleware=_edge(settings, routers, measures, guard, admission),
        servers=SERVERS,
        form_limits={"max_fields": MAX_FORM_FIELDS, "max_files": MAX_UPLOAD_FILES, "max_part_size": MAX_FORM_BYTES},
    )
    app.state.measures = measures
    app.state.guard = guard
    app.state.platform_keys = PlatformKeys()
    problems.install(app, error_page, query_errors)
    app.router.routes.extend(_routes())
    app.openapi = partial(describe, app, routers)  # type: ignore[method-assign]
    return app


def _routers() -> list[APIRouter]:
    return [router for feature in FEATURES for router in feature.routers()]


@cache
def _routes() -> Sequence[BaseRoute]:
    """Those of all features, prepared by FastAPI at the first request to any app of the process."""
    together = APIRouter(generate_unique_id_function=operation_id)
    for router in _routers():
        together.include_router(router)
    return together.routes


def _exposed(settings: Settings, measures: Measures) -> AbstractContextManager[None]:
    """The metrics on an address of their own, if they have one and no parent process shows those of all workers."""
    if is_shared() or not isinstance(measures, Metrics):
        return nullcontext()
    return on_own_address(settings, measures.registry)


def _edge(
    settings: Settings, routers: Sequence[APIRouter], measures: Measures, guard: Guard, admission: Admission
) -> list[Middleware]:
    """The middleware around the routes, outermost first."""
    return [
        Middleware(Exchange, topics=api_topics(routers), measures=measures, page=error_page),
        Middleware(
            Entrance,
            hosts=Hosts(settings.allowed_hosts),
            authorise=partial(guard.enforce, rules=RuleTable(rules_of(routers))),
            admission=admission,
            bodies=Bodies(settings.max_request_bytes, settings.max_upload_bytes),
        ),
    ]
