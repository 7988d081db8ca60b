"""One log line and one measurement for each request."""

from __future__ import annotations

import logging

from starlette.types import Scope

from app.operation.logs import ACCESS, access_line
from app.operation.measures import Measures

NO_RESPONSE = 499
"""Status of a request whose client left before its response began, as nginx has it."""
REFUSED = "refused"
"""In the state of a request: the status that the server sent in place of the app."""
log = logging.getLogger(ACCESS)


def record_request(measures: Measures, method: str, scope: Scope, status: int, seconds: float, sent: int) -> None:
    """Log and measure a request whose response of `sent` bytes, streamed or not, has ended.

    Only the template of an address is recorded: an address may hold what a student wrote.
    """
    if status == NO_RESPONSE:
        status = scope.get("state", {}).get(REFUSED, NO_RESPONSE)
    route: str | None = getattr(scope.get("route"), "path", None)
    measures.requested(method, route, status, seconds)
    access_line(log, method=method, route=route, status=status, ms=1000 * seconds, sent=sent)
