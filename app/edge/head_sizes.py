"""Refuses requests with a long address, query or header, before they are parsed."""

from __future__ import annotations

from starlette.types import Scope

from app.problems import Refused

MAX_URL_BYTES = 8_192
MAX_QUERY_PARAMETERS = 100
MAX_HEADERS = 100
MAX_HEADER_BYTES = 32_768
MAX_INSTANCE_CHARS = 100


def check_head_size(scope: Scope) -> None:
    """Raises `Refused`: 414, 413 or 431 for a long URL, query or header, 404 for a line feed at the end."""
    path, query = scope["path"], scope["query_string"]
    if len(scope["raw_path"]) + len(query) > MAX_URL_BYTES:
        detail = f"The URL is longer than {MAX_URL_BYTES:,} bytes. Shorten it."
        raise Refused(414, "too-large", detail, path[:MAX_INSTANCE_CHARS])
    if query.count(b"&") >= MAX_QUERY_PARAMETERS:
        raise Refused(413, "too-large", f"The query has over {MAX_QUERY_PARAMETERS} parameters. Send fewer.", path)
    if path.endswith("\n"):
        # Routes would take it for the address without, and what looks at addresses before them would not.
        detail = "There is no such address: it ends with a line feed."
        raise Refused(404, "not-found", detail, path[:MAX_INSTANCE_CHARS])
    headers = scope["headers"]
    if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
        detail = f"At most {MAX_HEADERS} headers and {MAX_HEADER_BYTES:,} bytes of them are allowed. Send fewer."
        raise Refused(431, "too-large", detail, path)
