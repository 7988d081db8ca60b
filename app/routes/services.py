"""Gives routes access to the services."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.wiring import Services


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Wired = Annotated[Services, Depends(_services)]
