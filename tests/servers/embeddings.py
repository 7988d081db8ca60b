"""An OpenAI-compatible `/embeddings` whose vectors, faults and pauses a test chooses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.fakes import FakeEmbedder

REFUSALS = {"error": (400, "out of order"), "length": (500, "input (624 tokens) is too large to process")}
"""Status and message by fault; llama.cpp reports a text that is too long as the latter."""


class EmbeddingServer:
    """Texts that share words get vectors near each other.

    `fault` is one of: nan, zeros, count, numbers, malformed, list, error, length.
    """

    def __init__(self) -> None:
        self.dimension = 96
        self.fault: str | None = None
        self.texts: list[str] = []
        self.keys: set[str] = set()
        self.pause_after: int | None = None
        """Texts after which requests wait for `resume`."""
        self.turns: tuple[int, int] | None = None
        """Texts after which the vectors have another dimension, and that dimension."""
        self.paused = threading.Event()
        self.resume = threading.Event()
        self.base_url = ""

    def reply(self, body: dict[str, Any]) -> dict[str, Any] | list[str]:
        self.texts += body["input"]
        if self.pause_after is not None and len(self.texts) > self.pause_after:
            self.paused.set()
            self.resume.wait(60)
        has_turned = self.turns is not None and len(self.texts) > self.turns[0]
        dimension = self.turns[1] if self.turns and has_turned else self.dimension
        vectors = FakeEmbedder(dimension=dimension).embed(body["input"]).tolist()
        data: list[dict[str, Any]] = [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        if self.fault == "nan":
            data[0]["embedding"][0] = float("nan")
        if self.fault == "zeros":
            data[0]["embedding"] = [0.0] * dimension
        if self.fault == "malformed":
            data[0]["embedding"] = "AAAA"
        if self.fault == "list":
            return ["not", "an", "object"]
        if self.fault == "numbers":
            data[0]["index"] = 7
        return {"data": data[1:] if self.fault == "count" else data[::-1], "usage": {"prompt_tokens": 3}}


@pytest.fixture
def embedding_server() -> Iterator[EmbeddingServer]:
    with serving() as server:
        yield server


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    """The server, until the block ends."""
    server = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.keys.add(self.headers["authorization"])
            refusal = REFUSALS.get(server.fault or "" if self.path == "/v1/embeddings" else "error")
            content = json.dumps({"error": {"message": refusal[1]}} if refusal else server.reply(body)).encode()
            self.send_response(refusal[0] if refusal else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Nothing on stderr."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    server.base_url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    try:
        yield server
    finally:
        server.resume.set()
        http.shutdown()
        http.server_close()
