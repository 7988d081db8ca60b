"""Problems as pages, for browsers."""

from __future__ import annotations

from fastapi import Request

from app.edge.accept import accepts
from app.problems import MEDIA_TYPE
from app.web.render import render


def error_page(request: Request, title: str, detail: str) -> str | None:
    """The problem as a page, where a person opens an address in a browser; None for any other request."""
    wants_html = all(accepts("text/html", request, rather_than=other) for other in (MEDIA_TYPE, "application/json"))
    if request.method not in ("GET", "HEAD") or not wants_html:
        return None
    return render("error.html", title=title, detail=detail)
