"""The same API under `/v1`, which changes by addition only (decision 0030)."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.types import Scope

PREFIX = "/v1"
DESCRIPTION = "/openapi.json"


def api_topics(routers: Iterable[APIRouter]) -> frozenset[str]:
    """The first part of each address of the API, such as `drafts`. Pages are not part of the API."""
    routes = (route for router in routers for route in router.routes if isinstance(route, APIRoute))
    return frozenset(_topic(path) for path in (DESCRIPTION, *(one.path for one in routes if one.include_in_schema)))


def _topic(path: str) -> str:
    return path.split("/")[1]


def without_version(scope: Scope, topics: frozenset[str]) -> Scope:
    """The scope of a request with the version taken off its address, if that is one of the API."""
    path: str = scope["path"]
    if not path.startswith(f"{PREFIX}/") or _topic(path.removeprefix(PREFIX)) not in topics:
        return scope
    return {
        **scope,
        "path": path.removeprefix(PREFIX),
        "raw_path": scope["raw_path"].removeprefix(PREFIX.encode()),
    }
