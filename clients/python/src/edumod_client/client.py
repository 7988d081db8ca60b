"""The two clients, which differ in how they wait."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any, TypeVar

import httpx

from edumod_client.calls import Call

T = TypeVar("T")
TIMEOUT = 120.0
"""Seconds for one try: a model may take long to answer."""
TRIES = 4


def _options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    return {"base_url": url.rstrip("/"), "headers": headers, "timeout": timeout}


class Client:
    """Sends calls to the service at `url` with a key of `edumod keys create`."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._tries = tries
        self._http = httpx.Client(**_options(url, key, timeout), transport=transport)

    def send(self, call: Call[T], *, key: str | None = None) -> T:
        """The reply; `key` is the idempotency key, by default a new one. Raises `ApiError` and `httpx.HTTPError`."""
        request = call.request(self._http, key)
        for attempt in range(self._tries):
            response = error = None
            try:
                response = self._http.send(request)
            except httpx.TransportError as failure:
                error = failure
            is_done = response is not None and response.is_success
            wait = None if is_done or attempt + 1 == self._tries else call.wait(attempt, response)
            if wait is None:
                break
            time.sleep(wait)
        if response is None:
            raise error or httpx.TransportError("No try was made.")
        return call.parse(response)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncClient:
    """The same for programs with an event loop."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._tries = tries
        self._http = httpx.AsyncClient(**_options(url, key, timeout), transport=transport)

    async def send(self, call: Call[T], *, key: str | None = None) -> T:
        """As `Client.send`."""
        request = call.request(self._http, key)
        for attempt in range(self._tries):
            response = error = None
            try:
                response = await self._http.send(request)
            except httpx.TransportError as failure:
                error = failure
            is_done = response is not None and response.is_success
            wait = None if is_done or attempt + 1 == self._tries else call.wait(attempt, response)
            if wait is None:
                break
            await asyncio.sleep(wait)
        if response is None:
            raise error or httpx.TransportError("No try was made.")
        return call.parse(response)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()
