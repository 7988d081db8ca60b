"""A learning platform (LTI 1.3): signs with its own RSA key, and serves its keys, tokens and members over HTTP."""

from __future__ import annotations

import html
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from urllib.request import urlopen
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
LEARNER, INSTRUCTOR = [f"{MEMBERSHIP}#Learner"], [f"{MEMBERSHIP}#Instructor"]
ASSISTANT = [f"{MEMBERSHIP}#Instructor", f"{MEMBERSHIP}/Instructor#TeachingAssistant"]
ADMINISTRATOR = ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"]
PAGE = 2
"""Members on one page of the list."""


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@dataclass
class PlatformDouble:
    """`members` is what the list of members says; `entering` is who clicks the link in a browser."""

    url: str = ""
    client_id: str = "tool-1"
    deployment: str = "d-1"
    context: str = "course-9"
    tool: str = ""
    """Address of the tool, for pages."""
    key: rsa.RSAPrivateKey = field(default_factory=new_key)
    members: list[dict[str, Any]] = field(default_factory=list)
    entering: dict[str, Any] = field(default_factory=lambda: {"sub": "u1", "name": "Ada Byron"})
    tokens: list[str] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    """Content items that were added by deep linking."""
    paths: list[str] = field(default_factory=list)
    """What was asked for."""

    @property
    def login(self) -> dict[str, str]:
        """What the platform sends to the tool's login."""
        hints = {"login_hint": "h", "lti_message_hint": "m", "target_link_uri": f"{self.tool}/lti/launch"}
        return {"iss": self.url, "client_id": self.client_id, **hints}

    def claims(self, nonce: str, roles: list[str], /, **changes: Any) -> dict[str, Any]:
        moment = int(time.time())
        claims = {
            "iss": self.url,
            "aud": self.client_id,
            "iat": moment,
            "exp": moment + 300,
            "nonce": nonce,
            **self.entering,
            f"{CLAIM}deployment_id": self.deployment,
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}roles": roles,
            f"{CLAIM}context": {"id": self.context, "title": "Course"},
            f"{CLAIM}resource_link": {"id": "r1"},
            f"{CLAIM}target_link_uri": f"{self.tool}/lti/launch",
            "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": {
                "context_memberships_url": f"{self.url}/members",
                "service_versions": ["2.0"],
            },
        }
        return {name: value for name, value in {**claims, **changes}.items() if value is not None}

    def choice_claims(self) -> dict[str, Any]:
        """What a request for a link has besides."""
        settings = {"deep_link_return_url": f"{self.url}/links", "accept_types": ["ltiResourceLink"], "data": "opaque"}
        return {
            f"{CLAIM}message_type": "LtiDeepLinkingRequest",
            f"{DEEP_LINKING}deep_linking_settings": settings,
        }

    def sign(self, claims: dict[str, Any], kid: str | None = "k1") -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": kid} if kid else None)

    def jwks(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": "k1", "alg": "RS256", "use": "sig"}]}

    def accept_token_request(self, form: dict[str, str]) -> dict[str, Any]:
        """A token for whoever proves to be the tool, by the key at its own address."""
        claims = self._from_tool(form["client_assertion"], audience=f"{self.url}/token")
        assert claims["iss"] == claims["sub"] == self.client_id
        assert form["grant_type"] == "client_credentials"
        self.tokens.append(uuid4().hex)
        return {"access_token": self.tokens[-1], "token_type": "bearer", "expires_in": 3600, "scope": form["scope"]}

    def accept_links(self, form: dict[str, str]) -> None:
        claims = self._from_tool(form["JWT"], audience=self.url)
        assert claims[f"{CLAIM}deployment_id"] == self.deployment
        assert claims[f"{DEEP_LINKING}data"] == "opaque"
        self.links += claims[f"{DEEP_LINKING}content_items"]

    def _from_tool(self, token: str, audience: str) -> dict[str, Any]:
        with urlopen(f"{self.tool}/lti/keys") as reply:
            keys = jwt.PyJWKSet.from_dict(json.load(reply))
        key = keys[jwt.get_unverified_header(token)["kid"]]
        claims: dict[str, Any] = jwt.decode(token, key, algorithms=["RS256"], audience=audience)
        return claims

    def page_of_members(self, number: int) -> tuple[dict[str, Any], str | None]:
        """One page, and the address of the next."""
        following = f"{self.url}/members?page={number + 1}" if (number + 1) * PAGE < len(self.members) else None
        shown = self.members[number * PAGE : (number + 1) * PAGE]
        return {"id": f"{self.url}/members", "context": {"id": self.context}, "members": shown}, following


@contextmanager
def running_platform() -> Iterator[PlatformDouble]:
    """The platform behind a real HTTP server."""
    platform = PlatformDouble()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(platform))
    # Another name than that of the tool: to a browser it is another site.
    platform.url = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()


def _handler_of(platform: PlatformDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query))
            platform.paths.append(parts.path)
            if parts.path == "/keys":
                self._json(platform.jwks())
            elif parts.path == "/members":
                if self.headers["Authorization"].removeprefix("Bearer ") not in platform.tokens:
                    self.send_error(401)
                    return
                page, following = platform.page_of_members(int(query.get("page", "0")))
                self._json(page, {"Link": f'<{following}>; rel="next"'} if following else {})
            elif parts.path == "/auth":
                token = platform.sign(platform.claims(query["nonce"], LEARNER))
                self._form(query["redirect_uri"], {"state": query["state"], "id_token": token})
            elif parts.path == "/course":
                source = html.escape(f"{platform.tool}/lti/login?{urlencode(platform.login)}")
                self._html(f'<title>Course</title><iframe title="EduMod" src="{source}" width=600 height=400></iframe>')
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            platform.paths.append(self.path)
            if self.path == "/token":
                self._json(platform.accept_token_request(form))
            elif self.path == "/links":
                platform.accept_links(form)
                self._html("<title>Added</title>")
            else:
                self.send_error(404)

        def _form(self, action: str, fields: dict[str, str]) -> None:
            inputs = "".join(f'<input type=hidden name="{name}" value="{value}">' for name, value in fields.items())
            script = "<script>document.forms[0].submit()</script>"
            self._html(f'<title>One moment</title><form method=post action="{action}">{inputs}</form>{script}')

        def _html(self, text: str) -> None:
            self._send(f"<!doctype html>{text}".encode(), {"Content-Type": "text/html"})

        def _json(self, content: Any, headers: dict[str, str] | None = None) -> None:
            self._send(json.dumps(content).encode(), {"Content-Type": "application/json", **(headers or {})})

        def _send(self, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    return Handler
