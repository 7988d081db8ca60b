"""The keys that platforms sign with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.doors.lti.transport import request_json
from core.errors import Unauthenticated

if TYPE_CHECKING:
    import jwt

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384")
"""Of signatures by the platform's own key: `none`, and those with a shared secret, are refused."""
KEPT_SECONDS = 3600.0
"""How long a platform's keys are used before they are read again."""
AGAIN_SECONDS = 30.0
"""How soon they are read again for a message with an unknown key."""


@dataclass
class PlatformKeys:
    """The keys of platforms by the addresses that they are read from; read again where a message names another."""

    _sets: dict[str, tuple[float, list[jwt.PyJWK]]] = field(default_factory=dict)

    async def key(self, url: str, token: str) -> jwt.PyJWK:
        """The key that a message says it is signed with. Raises `Unauthenticated` and `PlatformFailed`."""
        import jwt  # Few installations have platforms.

        try:
            wanted = jwt.get_unverified_header(token).get("kid")
        except jwt.InvalidTokenError as error:
            raise Unauthenticated("The platform's message cannot be read.") from error
        read_at, keys = self._sets.get(url, (0.0, []))
        age = time.monotonic() - read_at
        key = _named(keys, wanted)
        if not read_at or age > KEPT_SECONDS or (key is None and age > AGAIN_SECONDS):
            keys = _keys_in((await request_json(url)).content)
            self._sets[url] = (time.monotonic(), keys)
            key = _named(keys, wanted)
        if key is None:
            raise Unauthenticated("The platform's message is signed with a key that the platform does not list.")
        return key


def _named(keys: list[jwt.PyJWK], wanted: Any) -> jwt.PyJWK | None:
    if wanted is None:
        return keys[0] if len(keys) == 1 else None
    return next((key for key in keys if key.key_id == wanted), None)


def _keys_in(document: Any) -> list[jwt.PyJWK]:
    """Those for signatures. Raises `Unauthenticated` where there is none."""
    import jwt

    try:
        keys = jwt.PyJWKSet.from_dict(document).keys
    except (jwt.PyJWTError, AttributeError, TypeError, ValueError) as error:
        raise Unauthenticated("The platform's keys cannot be read.") from error
    return [key for key in keys if key.public_key_use in (None, "sig") and key.algorithm_name in ALGORITHMS]
