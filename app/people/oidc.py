"""Signing in with an account elsewhere, by OpenID Connect (authorization code with PKCE)."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, field
from typing import Any

from core.errors import SetupError, Unauthenticated
from core.settings import Settings

SECONDS = 10.0
"""How long the provider may take for one reply."""
SCOPE = "openid email profile"
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
"""Of signatures by the provider's own key: `none`, and those with a shared secret, are refused."""
LEEWAY_SECONDS = 60
"""How far the provider's clock may differ."""
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class Account:
    """Who has signed in at the provider; `email` is None unless the provider has verified it."""

    issuer: str
    subject: str
    email: str | None


@dataclass(frozen=True)
class Provider:
    """An OpenID Connect provider at which this service is registered as a client."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Provider | None:
        """The configured provider, if there is one. Raises `SetupError` if its settings are not complete."""
        if settings.oidc_issuer is None:
            return None
        if settings.oidc_client_id is None:
            raise SetupError("EDUMOD_OIDC_ISSUER is set, but EDUMOD_OIDC_CLIENT_ID is not.")
        try:
            import authlib  # noqa: F401
        except ImportError as error:
            raise SetupError("Sign-in by OpenID Connect needs Authlib: pip install 'edumod[oidc]'") from error
        secret = settings.oidc_client_secret.get_secret_value()
        return cls(settings.oidc_issuer.rstrip("/"), settings.oidc_client_id, secret)

    async def begin(self, redirect_uri: str) -> tuple[str, dict[str, str]]:
        """Where to send the browser, and what `finish` needs to know again.

        Raises `Unauthenticated` if the provider cannot be reached.
        """
        begun = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "code_verifier")}
        async with self._client(redirect_uri) as client:
            metadata = await self._metadata(client)
            url, _ = client.create_authorization_url(metadata["authorization_endpoint"], **begun)
        return str(url), begun

    async def finish(self, redirect_uri: str, response_url: str, begun: dict[str, str]) -> Account:
        """Who has signed in, of the address to which the provider sent the browser back.

        Raises `Unauthenticated` if the provider refused, or if its reply does not belong to what was begun.
        """
        from authlib.common.errors import AuthlibBaseError
        from httpx2 import HTTPError
        from joserfc.errors import JoseError

        try:
            async with self._client(redirect_uri, state=begun["state"]) as client:
                metadata = await self._metadata(client)
                token = await client.fetch_token(
                    metadata["token_endpoint"],
                    authorization_response=response_url,
                    code_verifier=begun["code_verifier"],
                    state=begun["state"],
                )
                keys = await _json(client, metadata["jwks_uri"])
            return self._account(token, keys, begun["nonce"])
        except (AuthlibBaseError, HTTPError, JoseError, KeyError, ValueError, TypeError) as error:
            # Not the message: it may repeat a token.
            log.warning("A sign-in at %s failed: %s", self.issuer, type(error).__name__)
            raise Unauthenticated("Signing in did not succeed. Begin again.") from error

    def _client(self, redirect_uri: str, **more: Any) -> Any:
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        return AsyncOAuth2Client(
            self.client_id,
            self.client_secret or None,
            scope=SCOPE,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if self.client_secret else "none",
            timeout=SECONDS,
            **more,
        )

    async def _metadata(self, client: Any) -> dict[str, Any]:
        """Raises `Unauthenticated` if the provider cannot be reached, or is another one than it says."""
        from httpx2 import HTTPError

        try:
            metadata = await _json(client, f"{self.issuer}/.well-known/openid-configuration")
        except (HTTPError, ValueError) as error:
            log.warning("The provider %s cannot be used: %s", self.issuer, error)
            raise Unauthenticated("The service for signing in cannot be reached. Try again later.") from error
        if not isinstance(metadata, dict) or str(metadata.get("issuer", "")).rstrip("/") != self.issuer:
            raise Unauthenticated("The sign-in service's issuer is not EDUMOD_OIDC_ISSUER. Tell the operator.")
        return metadata

    def _account(self, token: dict[str, Any], keys: dict[str, Any], nonce: str) -> Account:
        """Raises `JoseError` unless the provider signed the token, for us, now and for this sign-in."""
        from joserfc import jwt
        from joserfc.jwk import KeySet

        claims = jwt.decode(token["id_token"], KeySet.import_key_set(keys), algorithms=ALGORITHMS).claims  # type: ignore[arg-type]
        demanded = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "values": [self.issuer, f"{self.issuer}/"]},
            aud={"essential": True, "value": self.client_id},
            exp={"essential": True},
            sub={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        demanded.validate(claims)
        email = claims.get("email") if claims.get("email_verified") is True else None
        return Account(self.issuer, str(claims["sub"]), email)


async def _json(client: Any, url: str) -> Any:
    return (await client.request("GET", url, withhold_token=True)).raise_for_status().json()
