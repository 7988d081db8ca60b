"""The HTTP edge of error handling: every error becomes application/problem+json (RFC 9457)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import Response

from app import request_id
from app.schemas import Problem
from core.errors import (
    AlreadyDecided,
    EduModError,
    ModelUnavailable,
    Overloaded,
    Stopping,
    Unauthenticated,
    UnknownName,
)
from pipelines.configuration import NAMES

MEDIA_TYPE = "application/problem+json"
UNEXPECTED = "An unexpected error happened. It is in the server's log."
OPENAI_DOOR = "/openai/"
"""Where clients expect the errors of OpenAI's API, see `with_openai_error`."""
MAX_ERRORS = 20
MAX_SHOWN_CHARS = 100
"""Characters of a name in the request that a message repeats; the name may be a whole text."""
MAY_SUCCEED_LATER = (409, 429, 503)
RETRY_AFTER = {
    "description": "Seconds after which the request may succeed; absent where it will not.",
    "schema": {"type": "integer", "minimum": 1},
}
EXAMPLES = {
    400: ("not-json", "The request body is not valid JSON: Expecting value."),
    401: ("unauthenticated", "The key edm_3f9a1c5e7b2d_… was revoked. Ask an operator for a new one."),
    403: ("forbidden", "forum bot has the permission `answer` for ds101 alone."),
    404: ("not-found", "There is no trace 'abc'."),
    409: ("idempotency-key-in-progress", "The request with Idempotency-Key 'bot-1' is still being answered."),
    412: ("draft-changed", "The draft 3f9a has changed since you read it. Read it again, then decide."),
    413: ("too-large", "question.body has 21,000 characters; at most 20,000 are allowed."),
    422: ("unknown-name", "There is no course 'ds102'. Did you mean 'ds101'? Allowed: ds101, gen110."),
    429: ("quota-exceeded", "forum bot has asked 500 of 500 questions today. Ask again after 00:00 UTC."),
    502: ("bad-reply", "The language model did not do its task. Ask again in a few minutes."),
    503: ("model-unavailable", "The language model could not be reached. Ask again in a few minutes."),
    504: ("run-timeout", "The language model took too long. Ask again in a few minutes."),
}
"""Of each status, the code and detail of a problem that has it."""
Handler = Callable[[Request, Exception], JSONResponse]
Page = Callable[[Request, dict[str, Any]], str | None]
"""A problem as a page; None where the request is not a browser's."""
QueryErrors = Callable[[Request], list[dict[str, Any]]]
_SCHEMA = {"$ref": "#/components/schemas/Problem"}
log = logging.getLogger("edumod")


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` argument of a route with these problem statuses."""
    return {status: _describe(status) for status in statuses}


def default_response() -> dict[str, Any]:
    """How OpenAPI describes a response of any status that a route does not name."""
    return {"description": "Any other problem", "content": {MEDIA_TYPE: {"schema": _SCHEMA}}}


def _describe(status: int) -> dict[str, Any]:
    phrase = HTTPStatus(status).phrase
    content = {MEDIA_TYPE: {"schema": _SCHEMA, "example": _example(status)}}
    headers = {"headers": {"Retry-After": RETRY_AFTER}} if status in MAY_SUCCEED_LATER else {}
    return {"description": phrase, "content": content, **headers}


def _example(status: int) -> dict[str, Any]:
    code, detail = EXAMPLES[status]
    return document(status, code, detail, "/answer", request_id="3f9a1c5e7b2d4860")


def document(status: int, code: str, detail: str, instance: str | None, **more: Any) -> dict[str, Any]:
    """A problem document, with the id of the current request."""
    more.setdefault("request_id", request_id.current())
    body = Problem(
        type=f"urn:edumod:problem:{code}",
        title=code.replace("-", " ").capitalize(),
        status=status,
        detail=detail,
        instance=instance,
        **more,
    )
    return with_openai_error(body.model_dump(exclude_none=True))


def with_openai_error(fields: dict[str, Any]) -> dict[str, Any]:
    """The document with what OpenAI's clients read of an error, where they speak to this service."""
    if not str(fields.get("instance", "")).startswith(OPENAI_DOOR):
        return fields
    code = fields["title"].lower().replace(" ", "_")
    kind = "server_error" if fields["status"] >= 500 else "invalid_request_error"
    return {**fields, "error": {"message": fields["detail"], "type": kind, "param": None, "code": code}}


def problem(
    status: int, code: str, detail: str, instance: str, headers: dict[str, str] | None = None, **more: Any
) -> JSONResponse:
    """A problem document as a response."""
    return JSONResponse(document(status, code, detail, instance, **more), status, headers, MEDIA_TYPE)


def error_document(error: Exception, instance: str) -> dict[str, Any]:
    """The problem document of an error in a response that has begun; logs the error."""
    if isinstance(error, EduModError):
        log_failure(error)
        return document(error.status, error.code, error.public, instance, draft_id=error.draft_id)
    log.exception("Unexpected error at %s", instance, exc_info=error)
    return document(500, "internal-error", UNEXPECTED, instance)


def log_failure(error: EduModError) -> None:
    """Log the full message, hidden from clients, of a fault of the service."""
    # An overloaded service would fill its log.
    if error.status >= 500 and not isinstance(error, Overloaded):
        log.error("%s: %s", error.code, error)


def install(app: FastAPI, page: Page, query_errors: QueryErrors) -> None:
    """Register the handlers; `page` renders a problem for browsers, `query_errors` lists faults of the query."""
    app.state.query_errors = query_errors
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, partial(_handle, handler, page))


async def _handle(handler: Handler, page: Page, request: Request, error: Exception) -> Response:
    return _as_page(handler(request, error), page, request)


def _as_page(response: JSONResponse, page: Page, request: Request) -> Response:
    content = json.loads(bytes(response.body))
    if (html := page(request, content)) is None:
        return response
    headers = {
        name: value for name, value in response.headers.items() if name not in ("content-type", "content-length")
    }
    return HTMLResponse(html, response.status_code, headers)


class Refused(Exception):
    """A request that no route gets, and the problem document that it is answered with."""

    def __init__(self, status: int, code: str, detail: str, instance: str) -> None:
        self.status, self.code, self.detail, self.instance = status, code, detail, instance
        super().__init__(detail)


def error_response(error: Exception, request: Request, page: Page) -> Response:
    """The response to an error raised outside of routes, or an unexpected one."""
    if isinstance(error, Refused):
        return problem(error.status, error.code, error.detail, error.instance)
    path = request.url.path
    if isinstance(error, EduModError):
        return _as_page(_edumod_problem(error, path), page, request)
    return _as_page(JSONResponse(error_document(error, path), 500, None, MEDIA_TYPE), page, request)


def stopping_response(path: str) -> JSONResponse:
    """The response to a request that takes longer than the end of the service can wait."""
    error = Stopping("The service is being stopped, and the request took longer than it could wait. Try again.")
    draft_id = request_id.current_draft()
    return _edumod_problem(error if draft_id is None else error.of_draft(draft_id), path)


def _edumod_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, EduModError)
    return _edumod_problem(error, request.url.path)


def _edumod_problem(error: EduModError, path: str) -> JSONResponse:
    more: dict[str, Any] = {"draft_id": error.draft_id}
    if isinstance(error, UnknownName):
        more["allowed"] = error.allowed
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthenticated) else {}
    if isinstance(error, AlreadyDecided):
        more["decision"] = error.decision
    if isinstance(error, ModelUnavailable) or error.retry_after is not None:
        headers["Retry-After"] = str(max(1, ceil(error.retry_after or 30)))
    log_failure(error)
    return problem(error.status, error.code, error.public, path, headers, **more)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = error.errors()
    if any(one["type"] == "json_invalid" for one in faults):
        return _not_json(request, f"The request body is not valid JSON: {faults[0].get('ctx', {}).get('error', '')}.")
    if faults[0]["loc"][0] != "query":
        faults = [*_query_errors(request), *faults]
    errors = _entries(faults)
    detail = f"{errors[0]['where']}: {errors[0]['problem']}{_and_more(faults)}"
    return problem(422, "invalid-input", detail, request.url.path, errors=errors)


def _not_json(request: Request, detail: str) -> JSONResponse:
    faults = [{"type": "not_json", "loc": ("body",), "msg": detail}, *_query_errors(request)]
    errors: dict[str, Any] = {"errors": _entries(faults)} if len(faults) > 1 else {}
    return problem(400, "not-json", f"{detail}{_and_more(faults)}", request.url.path, **errors)


def _query_errors(request: Request) -> list[dict[str, Any]]:
    read: QueryErrors = request.app.state.query_errors
    return read(request)


def _entries(faults: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"where": _where(one["loc"]), "problem": _what(one)} for one in faults[:MAX_ERRORS]]


def _and_more(faults: Sequence[dict[str, Any]]) -> str:
    more = len(faults) - 1
    return f" (and {more} more; `errors` lists the first {MAX_ERRORS} at most)" if more else ""


def _where(loc: Sequence[int | str]) -> str:
    return ".".join(str(part)[:MAX_SHOWN_CHARS] for part in loc)


def _what(error: dict[str, Any]) -> str:
    if error["type"] == "model_attributes_type" and error["loc"] == ("body",):
        return "The request body must be a JSON object sent with content-type: application/json."
    if error["type"] == "extra_forbidden" and error["loc"][0] == "query":
        return f"Unknown parameter. Allowed: {', '.join(NAMES)}"
    return str(error["msg"])


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error.__context__, MultiPartException):
        return problem(422, "invalid-input", f"The form cannot be read. {error.detail}", request.url.path)
    if error.status_code == 400 and isinstance(error.__cause__, (ValueError, RecursionError)):
        reason = (
            "not UTF-8" if isinstance(error.__cause__, UnicodeDecodeError) else "nested too deep or a number too long"
        )
        return _not_json(request, f"The request body cannot be read: {reason}.")
    phrase = HTTPStatus(error.status_code).phrase
    detail = error.detail if error.detail != phrase else f"{request.method} {request.url.path}: {phrase}."
    headers = dict(error.headers or {})
    return problem(error.status_code, phrase.lower().replace(" ", "-"), detail, request.url.path, headers)


HANDLERS: dict[type[Exception], Handler] = {
    EduModError: _edumod_error,
    RequestValidationError: _invalid_request,
    HTTPException: _http_error,
}
