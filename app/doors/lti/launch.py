"""From a platform's login to a verified message (LTI 1.3 core, OpenID Connect third-party login)."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import jwt

from app.doors.lti.platform_keys import ALGORITHMS, PlatformKeys
from app.doors.lti.registration import AGAIN, Login
from app.doors.lti.roles import role_of
from core.errors import Forbidden, InvalidInput, Unauthenticated
from core.store.store import Store
from core.store.tables import LtiLinkRow, LtiPlatformRow, now
from core.types import Role

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
ROSTER = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
VERSION = "1.3.0"
RESOURCE, CHOICE = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
LEEWAY_SECONDS = 60
"""How far the platform's clock may differ."""
MAX_AGE_SECONDS = 600
"""How old a message may be, whatever it says of its end."""
MAX_NAME_CHARS = 200
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class Launch:
    """A verified message: who enters, as what, and from which course of the platform."""

    claims: Mapping[str, Any]
    platform: LtiPlatformRow
    link: LtiLinkRow

    @property
    def is_choice(self) -> bool:
        """Whether the platform asks which content to link to."""
        return bool(self._of("message_type") == CHOICE)

    @property
    def role(self) -> Role:
        """Raises `Forbidden` for who has no role in the platform's course."""
        roles = self._of("roles")
        role = role_of(name for name in roles if isinstance(name, str)) if isinstance(roles, list) else None
        if role is None:
            raise Forbidden("The learning platform names no role of yours in this course. Ask its staff.")
        return role

    @property
    def name(self) -> str:
        """What the platform calls them; it may keep names to itself."""
        parts = [self.claims.get(name) for name in ("given_name", "family_name")]
        full = self.claims.get("name") or " ".join(str(part) for part in parts if part)
        text = "".join(sign for sign in str(full) if sign.isprintable()).strip()
        return text[:MAX_NAME_CHARS] or "From the learning platform"

    @property
    def roster_url(self) -> str | None:
        service = self.claims.get(ROSTER)
        url = service.get("context_memberships_url") if isinstance(service, dict) else None
        return url if isinstance(url, str) else None

    @property
    def choice_settings(self) -> Mapping[str, Any]:
        settings = self.claims.get(f"{DEEP_LINKING}deep_linking_settings")
        return settings if isinstance(settings, dict) else {}

    def _of(self, name: str) -> Any:
        return self.claims.get(CLAIM + name)


async def begin_login(store: Store, sent: Mapping[str, str], redirect_uri: str) -> tuple[str, Login]:
    """Where to send the browser, and what it must show again.

    Raises `InvalidInput` for a platform that is not registered, or a request that is no login.
    """
    issuer, client_id, hint = (sent.get(name, "") for name in ("iss", "client_id", "login_hint"))
    if not issuer or not hint:
        raise InvalidInput("A login needs `iss` and `login_hint`, as a learning platform sends them.")
    platforms = [row for row in await store.lti.of(issuer) if client_id in ("", row.client_id)]
    if len(platforms) != 1:
        raise InvalidInput("This learning platform is not registered here. `edumod lti add` registers it.")
    (platform,) = platforms
    login = Login(secrets.token_urlsafe(32), secrets.token_urlsafe(32), platform.id)
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": redirect_uri,
        "login_hint": hint,
        "state": login.state,
        "nonce": login.nonce,
    }
    if sent.get("lti_message_hint"):
        query["lti_message_hint"] = sent["lti_message_hint"]
    return f"{platform.auth_url}{'&' if '?' in platform.auth_url else '?'}{urlencode(query)}", login


async def finish_login(store: Store, keys: PlatformKeys, login: Login, token: str) -> Launch:
    """The message of a login that this browser began, accepted once.

    Raises `Unauthenticated` for a message that is not the platform's, not for us, old, or was accepted before, and
    `Forbidden` where its course leads to none of ours.
    """
    platform = await store.lti.get(login.platform)
    claims = _verified(token, await keys.key(platform.jwks_url, token), platform, login.nonce)
    if not await store.lti.spend(f"{platform.id} {login.nonce}", _end_of(claims)):
        raise Unauthenticated(f"This message of the learning platform was used before. {AGAIN}")
    deployment = claims.get(f"{CLAIM}deployment_id")
    context = claims.get(f"{CLAIM}context")
    context_id = str(context.get("id", "")) if isinstance(context, dict) else ""
    if not isinstance(deployment, str) or (link := await store.lti.link(platform.id, deployment, context_id)) is None:
        # Not to whoever enters: ids are for those who can link them.
        log.warning(
            "A launch of %s is linked to no course: deployment %r, context %r.", platform.id, deployment, context_id
        )
        raise Forbidden("This course of the learning platform is linked to no course here. The log says which it is.")
    return Launch(claims, platform, link)


def _verified(token: str, key: jwt.PyJWK, platform: LtiPlatformRow, nonce: str) -> dict[str, Any]:
    """Raises `Unauthenticated`."""
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(ALGORITHMS),
            audience=platform.client_id,
            issuer=platform.issuer,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iat", "iss", "aud", "sub", "nonce"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        # Not the message: it may repeat a token.
        log.warning("A launch of %s was refused: %s", platform.id, type(error).__name__)
        raise Unauthenticated(f"The learning platform's message is not valid. {AGAIN}") from error
    reasons = {
        "nonce": secrets.compare_digest(str(claims["nonce"]).encode(), nonce.encode()),
        "iat": time.time() - claims["iat"] <= MAX_AGE_SECONDS + LEEWAY_SECONDS,
        "azp": not isinstance(claims["aud"], list)
        or len(claims["aud"]) == 1
        or claims.get("azp") == platform.client_id,
        "sub": bool(claims["sub"]),
        "version": claims.get(f"{CLAIM}version") == VERSION,
        "message_type": claims.get(f"{CLAIM}message_type") in (RESOURCE, CHOICE),
    }
    if wrong := [name for name, holds in reasons.items() if not holds]:
        log.warning("A launch of %s was refused for its %s", platform.id, ", ".join(wrong))
        raise Unauthenticated(f"The learning platform's message is not valid. {AGAIN}")
    return claims


def _end_of(claims: Mapping[str, Any]) -> datetime:
    """When a message is refused for its age, at the latest: until then its nonce is remembered."""
    exp = datetime.fromtimestamp(min(float(claims["exp"]), 2**32), UTC)
    oldest = now() + timedelta(seconds=MAX_AGE_SECONDS)
    return min(exp, oldest) + timedelta(seconds=2 * LEEWAY_SECONDS)
