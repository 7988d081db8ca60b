"""Deep linking: what a platform's staff may link to from their course (LTI deep linking 2.0)."""

from __future__ import annotations

import secrets
import time
from typing import Any

from app.doors.lti.launch import CLAIM, DEEP_LINKING, VERSION, Launch
from app.doors.lti.registration import LAUNCH, is_safe_url
from app.doors.lti.signing import ToolKey
from core.errors import Forbidden, InvalidInput
from core.types import Role

LASTS_SECONDS = 300
RESPONSE = "LtiDeepLinkingResponse"


def choice_response(launch: Launch, key: ToolKey, title: str, base: str) -> tuple[str, str]:
    """Where the browser sends the choice, and the signed choice: a link to the course.

    Raises `Forbidden` for students, and `InvalidInput` for a request that takes no links.
    """
    if launch.role is Role.STUDENT:
        raise Forbidden("Only staff of the course add links to it.")
    settings = launch.choice_settings
    url, types = settings.get("deep_link_return_url"), settings.get("accept_types")
    if not isinstance(url, str) or not is_safe_url(url) or "ltiResourceLink" not in (types or ()):
        raise InvalidInput("The learning platform takes no link here.")
    moment = int(time.time())
    claims: dict[str, Any] = {
        "iss": launch.platform.client_id,
        "aud": launch.platform.issuer,
        "iat": moment,
        "exp": moment + LASTS_SECONDS,
        "nonce": secrets.token_urlsafe(16),
        f"{CLAIM}deployment_id": launch.link.deployment_id,
        f"{CLAIM}message_type": RESPONSE,
        f"{CLAIM}version": VERSION,
        f"{DEEP_LINKING}content_items": [{"type": "ltiResourceLink", "title": title, "url": base + LAUNCH}],
    }
    if "data" in settings:
        claims[f"{DEEP_LINKING}data"] = settings["data"]
    return url, key.sign(claims)
