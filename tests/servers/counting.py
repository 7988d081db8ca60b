"""A server that hands requests on to another one and counts those under way at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


@dataclass
class CountingServer:
    """A running server, and what it saw."""

    target: str
    base_url: str = ""
    requests: int = 0
    under_way: int = 0
    most_under_way: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def forward(self, path: str, key: str, content: bytes) -> httpx.Response:
        with self.lock:
            self.requests += 1
            self.under_way += 1
            self.most_under_way = max(self.under_way, self.most_under_way)
        try:
            headers = {"authorization": key, "content-type": "application/json"}
            return httpx.post(f"{self.target}{path.removeprefix('/v1')}", content=content, headers=headers, timeout=60)
        finally:
            with self.lock:
                self.under_way -= 1


@contextmanager
def counting(target: str) -> Iterator[CountingServer]:
    """A server in front of that base URL, until the block ends."""
    server = CountingServer(target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            reply = server.forward(self.path, self.headers["authorization"], content)
            self.send_response(reply.status_code)
            self.send_header("content-type", reply.headers["content-type"])
            self.send_header("content-length", str(len(reply.content)))
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, *args: object) -> None:
            """Nothing on stderr."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    server.base_url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
