"""Security headers for browsers."""

from __future__ import annotations

import secrets
from contextvars import ContextVar
from functools import cached_property

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class SecurityHeaders:
    """ASGI middleware: adds the headers to each response, except those that a route has set."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        own_nonce = Nonce()
        # Not reset: the server runs each request in its own task and context.
        _nonce.set(own_nonce)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = dict(message["headers"])
                message["headers"] = [*message["headers"], *ALWAYS]
                if b"cache-control" not in given:
                    # Pages, answers and problems repeat what students wrote.
                    message["headers"].append((b"cache-control", b"no-store"))
                if b"content-security-policy" not in given:
                    is_page = given.get(b"content-type", b"").startswith(b"text/html")
                    policy = policy_of(own_nonce.value if is_page else None)
                    message["headers"].append((b"content-security-policy", policy.encode()))
            await send(message)

        await self.app(scope, receive, send_with_headers)


def policy_of(page_nonce: str | None) -> str:
    """The Content-Security-Policy of a response; `page_nonce` is None if the response is not a page."""
    if page_nonce is None:
        return f"default-src 'none'; {FRAMES}"
    own = f"style-src 'self' 'nonce-{page_nonce}'; script-src 'self'; connect-src 'self'; img-src 'self'"
    return f"default-src 'none'; {own}; form-action 'self'; base-uri 'none'; {FRAMES}"
