"""The pages' one stylesheet and one script."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from app.people.rules import ANYONE
from app.web.assets import script, stylesheet

router = APIRouter(include_in_schema=False, dependencies=[ANYONE])

CACHED = {"Cache-Control": "public, max-age=86400"}
"""Their addresses on pages change with their content."""


@router.get("/assets/style.css")
async def style() -> Response:
    """The stylesheet."""
    return Response(stylesheet().text, media_type="text/css", headers=CACHED)


@router.get("/assets/app.js")
async def program() -> Response:
    """The script, which every page works without."""
    return Response(script().text, media_type="text/javascript", headers=CACHED)
