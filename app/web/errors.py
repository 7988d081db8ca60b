"""Problems as pages, for browsers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from fastapi import Request

from app.edge.accept import accepts
from app.problems import MEDIA_TYPE
from app.web.render import render


def error_page(request: Request, problem: dict[str, Any]) -> str | None:
    """The problem as a page, where a person opens an address in a browser; None for any other request."""
    wants_html = all(accepts("text/html", request, rather_than=other) for other in (MEDIA_TYPE, "application/json"))
    if request.method not in ("GET", "HEAD") or not wants_html:
        return None
    is_signed_out = problem["status"] == HTTPStatus.UNAUTHORIZED
    sign_in = f"/sign-in?{urlencode({'next': request.url.path})}" if is_signed_out else None
    return render("error.html", title=problem["title"], detail=problem["detail"], sign_in=sign_in)
