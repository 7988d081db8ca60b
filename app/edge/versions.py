"""The same API under `/v1`, which changes by addition only (decision 0030)."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX = "/v1"
DESCRIPTION = "/openapi.json"


def api_topics(routers: Iterable[APIRouter]) -> frozenset[str]:
    """The first part of each address of the API, such as `drafts`. Pages are not part of the API."""
    routes = (route for router in routers for route in router.routes if isinstance(route, APIRoute))
    return frozenset(_topic(path) for path in (DESCRIPTION, *(one.path for one in routes if one.include_in_schema)))


def _topic(path: str) -> str:
    return path.split("/")[1]


class Versioned:
    """ASGI middleware: takes the version off the address of a request to the API.

    It is the outermost one, so that whatever looks at an address knows a single one for each route.
    """

    def __init__(self, app: ASGIApp, topics: frozenset[str]) -> None:
        self.app = app
        self.topics = topics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(f"{PREFIX}/"):
            path = scope["path"].removeprefix(PREFIX)
            if _topic(path) in self.topics:
                scope = {**scope, "path": path, "raw_path": scope["raw_path"].removeprefix(PREFIX.encode())}
        await self.app(scope, receive, send)
