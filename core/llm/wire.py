"""Sends requests to an OpenAI-compatible endpoint, and decodes its replies, which `core.llm.completion` checks.

The only module that imports `openai`, which takes a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp
import httpx2
from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI, DefaultAioHttpClient
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk
from pydantic_core import from_json

from core.llm.bounded import Bounds
from core.llm.failures import Dropped, Rejected, Unusable
from core.llm.retry import retry_after

PATH = "/chat/completions"
EMBEDDINGS = "/embeddings"
_LINE_END = re.compile(r"\r\n?|\n")


class _Client(AsyncOpenAI):
    """Omits the SDK's headers that describe the machine, the operating system and the Python version."""

    def platform_headers(self) -> dict[str, str]:
        return {}


class Wire:
    """One client with its connections. Every method raises `Dropped`, `Rejected` or `Unusable`; none retries.

    It has no timeout: the caller sets deadlines. Redirects are not followed, since a request contains a student's text
    and may only go to the configured endpoint. A reply has at most `max_bytes`, decompressed.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        concurrency: int,
        max_bytes: int,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        # The whole URL: otherwise the SDK joins its parts for every request.
        self._url = _below(base_url, PATH)
        self._embeddings_url = _below(base_url, EMBEDDINGS)
        client = http_client or DefaultAioHttpClient(limits=limits, timeout=None)
        client.follow_redirects = False
        client.event_hooks["response"].append(Bounds(max_bytes))
        self._client = _Client(
            base_url=base_url,
            api_key=api_key,
            max_retries=0,
            timeout=None,
            default_headers={"User-Agent": "EduMod", "Accept-Encoding": "gzip"},
            http_client=client,
        )

    async def post(self, body: dict[str, Any]) -> object:
        """The decoded response, not the SDK's objects, which it builds without validation."""
        return await self._post(self._url, body)

    async def embeddings(self, body: dict[str, Any]) -> object:
        """The decoded response of `/embeddings`."""
        return await self._post(self._embeddings_url, body)

    async def aclose(self) -> None:
        await self._client.close()

    async def _post(self, url: str, body: dict[str, Any]) -> object:
        with _failures():
            response = await self._client.post(url, cast_to=httpx2.Response, body=body)
        return _decoded(response)


def _below(base_url: str, path: str) -> str:
    """The URL of an endpoint's path, with the query of the base URL, such as a version of the API."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except APIStatusError as error:
        raise Rejected(error.status_code, error.body, retry_after(error.response.headers)) from None
    except APIConnectionError as error:
        cause = error.__cause__ or error
        raise Dropped(str(cause) or type(cause).__name__) from None
    except (aiohttp.ClientError, httpx2.RequestError) as error:
        raise Dropped(str(error) or type(error).__name__) from None
    except APIError as error:
        raise Rejected.in_reply(error.body) from None


def _decoded(response: httpx2.Response) -> object:
    kind = response.headers.get("content-type", "unknown type")[:100]
    try:
        return _joined(response.content) if kind.startswith("text/event-stream") else from_json(response.content)
    except ValueError:
        raise Unusable(f"sent a reply that is not JSON ({kind}). Check that the endpoint's URL ends in /v1") from None


def _joined(stream: bytes) -> object:
    """A completion from the chunks of a stream, which some servers send to everybody.

    Raises `ValueError` for what is no chunk, and `Unusable` for a stream without a reason to finish.
    """
    state = ChatCompletionStreamState()
    is_finished = False
    for line in _LINE_END.split(stream.decode()):
        data = line.removeprefix("data:").strip()
        if data in (line, "", "[DONE]"):
            continue
        chunk = from_json(data)
        if not isinstance(chunk, dict) or chunk.get("error"):
            return chunk
        _add(state, ChatCompletionChunk.model_validate(chunk))
        is_finished = is_finished or any(one.get("finish_reason") for one in chunk.get("choices") or ())
    if not is_finished:
        raise Unusable("broke off its stream")
    return state.current_completion_snapshot.model_dump(mode="json")


def _add(state: ChatCompletionStreamState[None], chunk: ChatCompletionChunk) -> None:
    """Raises `ValueError` where the SDK, which trusts the server, fails in any other way."""
    try:
        state.handle_chunk(chunk)
    except Exception as error:
        raise ValueError(str(error)) from None
