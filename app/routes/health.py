"""`/healthz`: the process lives. `/readyz`: it can answer questions."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.routes.services import Wired
from app.schemas import HealthOut, ReadyOut

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> HealthOut:
    """The process lives."""
    return HealthOut()


@router.get("/readyz", response_model=ReadyOut, responses={503: {"model": ReadyOut}})
async def readyz(services: Wired) -> JSONResponse:
    """Checks the database, whether the embedding model is loaded, and whether the model's endpoint is left alone.

    Each process knows of the endpoint what it has seen itself; `ready` is true again as soon as it may be tried.
    """
    checks = await services.readiness()
    ready = all(state == "ok" for state in checks.values())
    return JSONResponse(ReadyOut(ready=ready, checks=checks).model_dump(), 200 if ready else 503)
