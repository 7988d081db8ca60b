"""`/healthz`: the process is alive. `/readyz`: it can answer questions."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.routes.services import Wired
from app.schemas import HealthOut, ReadyOut

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> HealthOut:
    """The process is alive."""
    return HealthOut()


@router.get("/readyz", response_model=ReadyOut, responses={503: {"model": ReadyOut}})
async def readyz(services: Wired) -> JSONResponse:
    """Checks the database, the embedding model, and whether the circuit breaker of the model's endpoint is open.

    Each process has its own circuit breaker; `ready` becomes true again as soon as the endpoint may be probed.
    """
    checks = await services.readiness()
    ready = all(state == "ok" for state in checks.values())
    return JSONResponse(ReadyOut(ready=ready, checks=checks).model_dump(), 200 if ready else 503)
