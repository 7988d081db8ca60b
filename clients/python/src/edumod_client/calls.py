"""Calls of the API as values, their replies and errors, and when a call is repeated."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx
from pydantic import BaseModel, TypeAdapter

T = TypeVar("T")
VERSION = "/v1"
KEY_HEADER = "Idempotency-Key"
SAFE = ("GET", "PUT", "DELETE")
"""Methods that may be repeated."""
PASSING = (429, 502, 503, 504)
"""Statuses of problems that may pass."""
IN_PROGRESS = "idempotency-key-in-progress"
MAX_WAIT = 60.0
"""Longest time before a repetition, in seconds; what asks for longer is raised."""


class ApiError(Exception):
    """A problem that the service reports (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.problem = problem
        self.retry_after = retry_after
        super().__init__(f"{status}: {self.detail}")

    @property
    def code(self) -> str:
        """Such as `quota-exceeded`."""
        return str(self.problem.get("type", "")).rpartition(":")[2]

    @property
    def detail(self) -> str:
        return str(self.problem.get("detail") or self.problem.get("title") or "The service's reply is no problem.")


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request; `result` is the type of its reply."""

    method: str
    path: str
    result: Any
    """A type for pydantic; `str` for a text, None for no content."""
    parts: Mapping[str, str | int] = field(default_factory=dict)
    """Of the path."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: BaseModel | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    has_key: bool = False
    """Whether the operation takes an idempotency key."""

    def request(self, client: httpx.Client | httpx.AsyncClient, key: str | None) -> httpx.Request:
        path = self.path.format(**{name: quote(str(part), safe="") for name, part in self.parts.items()})
        headers = dict(self.headers)
        if self.has_key:
            headers[KEY_HEADER] = key or uuid4().hex
        body = None if self.body is None else self.body.model_dump(mode="json", by_alias=True, exclude_unset=True)
        query = {name: value for name, value in self.query.items() if value is not None}
        return client.build_request(self.method, VERSION + path, params=query, json=body, headers=headers)

    def parse(self, response: httpx.Response) -> T:
        """Raises `ApiError`."""
        if not response.is_success:
            raise _error(response)
        if self.result is None:
            return None  # type: ignore[return-value]
        if self.result is str:
            return response.text  # type: ignore[return-value]
        result: T = TypeAdapter(self.result).validate_json(response.content)
        return result

    def wait(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Seconds until the call is repeated after this reply, or none at all; None where it is not."""
        if not self.has_key and self.method not in SAFE:
            return None
        usual = min(2.0**attempt, MAX_WAIT) * random.uniform(0.5, 1.0)
        if response is None:
            return usual
        error = _error(response)
        if response.status_code not in PASSING and error.code != IN_PROGRESS:
            return None
        wait = usual if error.retry_after is None else error.retry_after
        return wait if wait <= MAX_WAIT else None


def _error(response: httpx.Response) -> ApiError:
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    try:
        retry_after = float(response.headers["Retry-After"])
    except (KeyError, ValueError):
        retry_after = None
    return ApiError(response.status_code, problem if isinstance(problem, dict) else {}, retry_after)
