"""Cookies of signed-in browsers: signed, out of reach of scripts, and not sent with other sites' requests."""

from __future__ import annotations

from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from itsdangerous import BadSignature, Signer, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from core.store.people.sessions import SESSION_LASTS

SESSION = "edumod_session"
OIDC = "edumod_oidc"
OIDC_SECONDS = 600
"""How long a sign-in elsewhere may take."""
LTI_PATH = "/lti"
SIGNING = "cookies"
"""The name of the secret that cookies are signed with."""


@dataclass(frozen=True)
class Cookies:
    """Reads and writes cookies that are signed with the installation's secret."""

    secret: str

    def session(self, scope: Scope) -> str | None:
        """The token of the session; None without a cookie, or with one that is not ours."""
        signed = cookie(scope, SESSION)
        try:
            return None if signed is None else self._signer.unsign(signed).decode()
        except BadSignature:
            return None

    def csrf(self, token: str) -> str:
        """What forms of that session must repeat."""
        return Signer(self.secret, salt="csrf").get_signature(token).decode()

    def set_session(self, response: Response, request: Request, token: str) -> None:
        """Sign the browser in."""
        seconds = int(SESSION_LASTS.total_seconds())
        _set(response, request, SESSION, self._signer.sign(token).decode(), seconds)

    def set_oidc(self, response: Response, request: Request, value: dict[str, str]) -> None:
        """Remember what a sign-in elsewhere began with."""
        _set(response, request, OIDC, str(self._named("oidc").dumps(value)), OIDC_SECONDS)

    def oidc(self, scope: Scope) -> dict[str, str] | None:
        """What a sign-in elsewhere began with; None if it began elsewhere, or too long ago."""
        try:
            value: Any = self._named("oidc").loads(cookie(scope, OIDC) or "", max_age=OIDC_SECONDS)
        except BadSignature:
            return None
        return dict(value)

    def set_login(self, response: Response, name: str, value: dict[str, str]) -> None:
        """Remember what a login of a learning platform began with, whose own page sends its end.

        Also in a frame of that platform, for which alone the browser then keeps it (`Partitioned`).
        """
        signed = self._named("lti").dumps(value)
        rest = f"Max-Age={OIDC_SECONDS}; Path={LTI_PATH}; HttpOnly; Secure; SameSite=None; Partitioned"
        # By hand, since http.cookies knows `Partitioned` from Python 3.14 on.
        response.headers.append("Set-Cookie", f"{name}={signed!s}; {rest}")

    def login(self, scope: Scope, name: str) -> dict[str, str] | None:
        """What that login began with; None if it began in another browser, or too long ago."""
        try:
            return dict(self._named("lti").loads(cookie(scope, name) or "", max_age=OIDC_SECONDS))
        except BadSignature:
            return None

    @property
    def _signer(self) -> Signer:
        return Signer(self.secret, salt="session")

    def _named(self, salt: str) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self.secret, salt=salt)


def cookie(scope: Scope, name: str) -> str | None:
    """The value of a cookie in the request."""
    for header, value in scope["headers"]:
        if header == b"cookie":
            try:
                morsel = SimpleCookie(value.decode("latin-1")).get(name)
            except CookieError:
                continue
            if morsel is not None:
                return morsel.value
    return None


def delete(response: Response, name: str) -> None:
    """Have the browser forget the cookie."""
    response.delete_cookie(name, httponly=True, samesite="lax")


def _set(response: Response, request: Request, name: str, value: str, seconds: int) -> None:
    is_secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=is_secure)
