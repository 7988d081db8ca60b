"""The service's own key, which platforms read at its address."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from core.store.people.keys import digest
from core.store.store import Store

NAME = "lti"
ALGORITHM = "RS256"
BITS = 2048


@dataclass(frozen=True)
class ToolKey:
    """Signs what this service sends to platforms."""

    pem: str = field(repr=False)

    @classmethod
    async def of(cls, store: Store) -> ToolKey:
        """The installation's key, made on first use."""
        return cls(await store.sessions.secret(NAME, _new_pem))

    def sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.pem, ALGORITHM, headers={"kid": self.id})

    @property
    def id(self) -> str:
        return digest(str(self._numbers()["n"]))[:16]

    def jwks(self) -> dict[str, Any]:
        """The public part, as platforms read it."""
        return {"keys": [{**self._numbers(), "kid": self.id, "alg": ALGORITHM, "use": "sig"}]}

    def _numbers(self) -> dict[str, Any]:
        private = serialization.load_pem_private_key(self.pem.encode(), None)
        assert isinstance(private, rsa.RSAPrivateKey)
        return dict(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key(), as_dict=True))


def _new_pem() -> str:
    key = rsa.generate_private_key(65537, BITS)
    plain = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain).decode()
