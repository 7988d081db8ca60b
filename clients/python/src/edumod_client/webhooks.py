"""Messages of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

MAX_AGE = 300.0
"""Seconds; an older message may be somebody's copy of one."""


class WrongSignature(ValueError):
    """The message is not the service's, or too old."""


def verify_webhook(secret: str, signature: str, body: bytes, *, max_age: float = MAX_AGE) -> dict[str, Any]:
    """The content of a message with the header `EduMod-Signature`: `t=SECONDS,v1=HEX`. Raises `WrongSignature`."""
    moment, _, digest = signature.removeprefix("t=").partition(",v1=")
    expected = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(digest.encode(), expected.encode()):
        raise WrongSignature("The signature is not that of the message.")
    if abs(time.time() - float(moment)) > max_age:
        raise WrongSignature("The message is too old.")
    content: dict[str, Any] = json.loads(body)
    return content
