"""`GET /metrics`: figures for Prometheus, to operators."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.operation.exposition import MEDIA_TYPE, exposition
from app.operation.metrics import Metrics
from app.people.rules import needs
from app.routes.services import Wired
from core.access import Permission
from core.concurrency import in_thread
from core.errors import NotFound

router = APIRouter(tags=["operation"], dependencies=[needs(Permission.OPERATE)], include_in_schema=False)


@router.get("/metrics")
async def metrics(http: Request, services: Wired) -> Response:
    """The figures of the service, of all its workers together. Raises `NotFound` where they are shown elsewhere."""
    measures = http.app.state.measures
    if services.settings.metrics != "local" or not isinstance(measures, Metrics):
        raise NotFound("Metrics are not served here. EDUMOD_METRICS sets where they are.")
    return Response(await in_thread(exposition, measures.registry), media_type=MEDIA_TYPE)
