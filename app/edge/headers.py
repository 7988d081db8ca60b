"""Security headers for browsers."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextvars import ContextVar
from functools import cached_property

ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
FRAMES = "frame-ancestors 'none'"


class Nonce:
    """What `<style>` of one page must carry to be obeyed. Built on first access: most responses are no page."""

    @cached_property
    def value(self) -> str:
        return secrets.token_urlsafe(16)


_nonce: ContextVar[Nonce] = ContextVar("nonce")


def nonce() -> str:
    """The nonce that `<style>` of the current page needs to be applied."""
    return _nonce.get().value


def set_nonce(own_nonce: Nonce) -> None:
    """The nonce of the current page. Not reset: the server runs each request in its own task and context."""
    _nonce.set(own_nonce)


def security_headers(given: Iterable[tuple[bytes, bytes]], own_nonce: Nonce) -> list[tuple[bytes, bytes]]:
    """The headers that are added to those of a response; what a route has set stays."""
    names = dict(given)
    headers = [(name, value) for name, value in ALWAYS if name not in names]
    if b"cache-control" not in names:
        # Pages, answers and problems repeat what students wrote.
        headers.append((b"cache-control", b"no-store"))
    if b"content-security-policy" not in names:
        is_page = names.get(b"content-type", b"").startswith(b"text/html")
        headers.append((b"content-security-policy", policy_of(own_nonce.value if is_page else None).encode()))
    return headers


def policy_of(page_nonce: str | None, ancestors: str = "'none'", forms: str = "'self'") -> str:
    """The Content-Security-Policy of a response; `page_nonce` is None if the response is not a page.

    `ancestors` are the pages that may show it in a frame, `forms` where its forms may be sent.
    """
    if page_nonce is None:
        return f"default-src 'none'; {FRAMES}"
    own = f"style-src 'self' 'nonce-{page_nonce}'; script-src 'self'; connect-src 'self'; img-src 'self'"
    return f"default-src 'none'; {own}; form-action {forms}; base-uri 'none'; frame-ancestors {ancestors}"
