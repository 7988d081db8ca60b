"""The outer middleware: what holds for every request and its response."""

from __future__ import annotations

import asyncio
from time import perf_counter

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import request_id
from app.edge.access_log import NO_RESPONSE, record_request
from app.edge.headers import Nonce, security_headers, set_nonce
from app.edge.lifespan import plain_failures
from app.edge.versions import without_version
from app.operation.measures import Measures
from app.problems import Page, error_response, stopping_response


class Exchange:
    """ASGI middleware: an id, headers, a line in the log and a measurement for each request.

    The version is taken off its address, so that whatever looks at an address knows a single one for each route.
    `HEAD` is answered as `GET`, without the content (RFC 9110, section 9.3.2). Errors become problem documents.
    """

    def __init__(self, app: ASGIApp, topics: frozenset[str], measures: Measures, page: Page) -> None:
        self.app = app
        self.topics = topics
        self.measures = measures
        self.page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, plain_failures(send) if scope["type"] == "lifespan" else send)
            return
        started, method = perf_counter(), scope["method"]
        inner = {**without_version(scope, self.topics), "method": "GET" if method == "HEAD" else method}
        response = OutgoingResponse(send, request_id.begin(), has_content=method != "HEAD")
        try:
            await self.app(inner, receive, response)
        except ClientDisconnect:
            pass  # There is no client to answer.
        except asyncio.CancelledError:
            # The server cancels requests only at its end. It logs an error that is raised here with a traceback.
            if not response.has_begun:
                await stopping_response(inner["path"])(inner, receive, response)
        except Exception as error:
            if response.has_begun:
                raise  # The server logs it and closes the connection; a second response is not possible.
            await error_response(error, Request(inner), self.page)(inner, receive, response)
        finally:
            record_request(self.measures, method, inner, response.status, perf_counter() - started, response.sent)


class OutgoingResponse:
    """Sends a response with the request's id and the security headers; knows its status and length."""

    def __init__(self, send: Send, own_id: str, *, has_content: bool) -> None:
        self.status = NO_RESPONSE
        self.sent = 0
        self._send = send
        self._id = (request_id.HEADER.lower().encode(), own_id.encode())
        self._has_content = has_content
        self._nonce = Nonce()
        set_nonce(self._nonce)

    @property
    def has_begun(self) -> bool:
        return self.status != NO_RESPONSE

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], *security_headers(message["headers"], self._nonce), self._id]
        elif message["type"] == "http.response.body":
            if not self._has_content:
                message = {**message, "body": b""}
            self.sent += len(message.get("body", b""))
        await self._send(message)
