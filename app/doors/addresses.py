"""The service's own address, as whoever asks knows it."""

from __future__ import annotations

from starlette.requests import HTTPConnection


def base_of(http: HTTPConnection) -> str:
    """Scheme and host of a request, whose host is one of ours (see `app.edge.hosts`), without a slash at the end.

    Behind a proxy that ends TLS the scheme is the one that it names.
    """
    forwarded = http.headers.get("x-forwarded-proto", "").split(",")[0].strip()
    scheme = forwarded if forwarded in ("http", "https") else http.url.scheme
    return f"{scheme}://{http.url.netloc}"
