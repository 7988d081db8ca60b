"""`/healthz`: the process is alive. `/readyz`: it can answer questions."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.people.rules import ANYONE
from app.routes.services import Wired
from app.schemas import HealthOut, ReadyOut

router = APIRouter(tags=["health"], dependencies=[ANYONE])


@router.get("/healthz")
async def healthz() -> HealthOut:
    """The process is alive."""
    return HealthOut()


@router.get("/readyz", response_model=ReadyOut, responses={503: {"model": ReadyOut}})
async def readyz(services: Wired) -> JSONResponse:
    """Checks the database, the embedding model, and whether the circuit breaker of a model's endpoint is open.

    Only the default model counts for `ready`; other aliases are listed. Each process has its own circuit breakers;
    `ready` becomes true again as soon as the endpoint may be probed.
    """
    readiness = await services.readiness()
    return JSONResponse(
        ReadyOut(ready=readiness.ready, checks=readiness.checks).model_dump(), 200 if readiness.ready else 503
    )
