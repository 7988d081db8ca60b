"""HTTP by hand, for requests that no client library would send."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any

import httpx

SECONDS = 30
"""After which a test gives up waiting for the server."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Raw:
    """A connection to the server of `client`."""

    def __init__(self, client: httpx.Client) -> None:
        self.host = f"{client.base_url.host}:{client.base_url.port}"
        self.socket = socket.create_connection((client.base_url.host, client.base_url.port), timeout=SECONDS)
        self._file = self.socket.makefile("rb")

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def request(self, method: str, path: str, *lines: str, body: bytes = b"", host: str | None = None) -> None:
        """A whole request; `host` is the connection's own where none is given."""
        length = (f"Content-Length: {len(body)}",) if body else ()
        head = (f"{method} {path} HTTP/1.1", f"Host: {self.host if host is None else host}", *length, *lines)
        self.send("\r\n".join((*head, "", "")).encode("latin-1") + body)

    def reply(self) -> Reply:
        """The next response, which has a content-length."""
        status = int(self._file.readline().split()[1])
        headers = {}
        while (line := self._file.readline().decode("latin-1").strip()) != "":
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        return Reply(status, headers, self._file.read(int(headers.get("content-length", "0"))))

    def is_closed(self) -> bool:
        """Waits until the server has closed the connection; what it still sends is ignored."""
        try:
            while self._file.read(65536):
                pass
        except ConnectionError:
            pass
        return True
