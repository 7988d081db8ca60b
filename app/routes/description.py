"""`/docs`: the API's description, and the pages' icon."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from app.edge.headers import nonce
from app.people.rules import ANYONE
from app.web.render import render

router = APIRouter(include_in_schema=False, dependencies=[ANYONE])

CACHED = {"Cache-Control": "public, max-age=86400"}
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6f5c"/>'
    '<path d="M9 8h14v3.4H13v3h8.5v3.3H13v3h10V24H9z" fill="#fff"/></svg>'
)
_VENDORED = files("fastapi_offline") / "static"


@router.get("/docs", response_class=HTMLResponse)
async def docs() -> HTMLResponse:
    """Swagger UI, which needs scripts, unlike our own pages."""
    allowed = f"script-src 'nonce-{nonce()}'; style-src 'nonce-{nonce()}'; connect-src 'self'; img-src 'self' data:"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return HTMLResponse(render("docs.html"), headers={"Content-Security-Policy": policy})


@router.get("/docs/swagger-ui-bundle.js")
async def script() -> FileResponse:
    """Swagger UI's program."""
    return FileResponse(str(_VENDORED / "swagger-ui-bundle.js"), media_type="text/javascript", headers=CACHED)


@router.get("/docs/swagger-ui.css")
async def stylesheet() -> FileResponse:
    """Swagger UI's stylesheet."""
    return FileResponse(str(_VENDORED / "swagger-ui.css"), media_type="text/css", headers=CACHED)


@router.get("/redoc")
async def redoc() -> RedirectResponse:
    """Where a second form of the description was once."""
    return RedirectResponse("/docs", 308)


@router.get("/favicon.svg")
@router.get("/favicon.ico")
async def icon() -> Response:
    """The pages' icon, also where a browser asks for it by itself."""
    return Response(ICON, media_type="image/svg+xml", headers=CACHED)
