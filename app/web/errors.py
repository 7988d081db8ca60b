"""Problems as pages, for browsers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi import Request

from app.edge.accept import accepts
from app.problems import MEDIA_TYPE
from app.web.render import render


def error_page(request: Request, problem: dict[str, Any]) -> str | None:
    """The problem as a page for browsers' page loads and forms; None for other requests."""
    wants_html = all(accepts("text/html", request, rather_than=other) for other in (MEDIA_TYPE, "application/json"))
    is_form = request.method == "POST" and "text/html" in request.headers.get("accept", "")
    if not wants_html or not (is_form or request.method in ("GET", "HEAD")):
        return None
    page = urlsplit(request.headers.get("referer", "")).path
    where = f"/{page.lstrip('/')}" if is_form else request.url.path
    is_signed_out = problem["status"] == HTTPStatus.UNAUTHORIZED
    sign_in = f"/sign-in?{urlencode({'next': where})}" if is_signed_out else None
    values = {"title": problem["title"], "detail": problem["detail"], "sign_in": sign_in, "back": where}
    return render("error.html", **values, is_form=is_form)
