"""A real HTTP server that messages are sent to."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Receiver:
    """Answers with these statuses, then with 200; keeps what it was sent."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def wait(self, count: int) -> None:
        end = time.monotonic() + 30
        while len(self.got) < count:
            assert time.monotonic() < end, self.got
            time.sleep(0.05)

    def signed(self, secret: str) -> dict[str, Any]:
        """The latest message, whose signature is that of the secret."""
        headers, body = self.got[-1]
        moment, _, digest = headers["EduMod-Signature"].partition(",v1=")
        expected = hmac.new(secret.encode(), f"{moment[2:]}.".encode() + body, hashlib.sha256).hexdigest()
        assert hmac.compare_digest(digest, expected)
        found: dict[str, Any] = json.loads(body)
        return found


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.got.append((dict(self.headers), body))
            self.send_response(found.statuses.pop(0) if found.statuses else 200)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
