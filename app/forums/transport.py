"""Sends a forum's requests by HTTP: to listed hosts, to the address that was checked, following no redirect."""

from __future__ import annotations

from collections.abc import Sequence

import aiohttp

from app.forums.http import MAX_REPLY_BYTES, ForumRequest, ForumResponse
from app.forums.mail_transport import PORTS as MAIL_PORTS
from app.forums.mail_transport import MailTransport
from app.webhooks.http_delivery import Pinned
from app.webhooks.targets import Unreachable, resolve

SECONDS = 20.0
"""For a whole call. Far shorter than the lease of a post, see `app.forums.posting`."""


class HttpTransport:
    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = tuple(hosts)
        self._mail = MailTransport(hosts)

    async def send(self, request: ForumRequest, max_bytes: int = MAX_REPLY_BYTES) -> ForumResponse:
        """Raises `OSError` and `TimeoutError`."""
        if request.url.partition("://")[0] in MAIL_PORTS:
            return await self._mail.send(request, max_bytes)
        try:
            target = await resolve(request.url, self._hosts)
        except Unreachable as error:
            raise OSError(str(error)) from error
        connector = aiohttp.TCPConnector(resolver=Pinned(target), use_dns_cache=False, force_close=True)
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        headers = {"User-Agent": "Mozilla/5.0 (compatible; EduMod)", **request.headers}
        session = aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False)
        try:
            async with (
                session,
                session.request(
                    request.method, request.url, data=request.body or None, headers=headers, allow_redirects=False
                ) as response,
            ):
                body = await response.content.read(max_bytes + 1)
                while len(body) <= max_bytes and (more := await response.content.read(max_bytes + 1 - len(body))):
                    body += more
                if len(body) > max_bytes:
                    raise OSError("The forum's reply is too long.")
                received = {name.lower(): value for name, value in response.headers.items()}
                if cookies := response.headers.getall("Set-Cookie", ()):
                    received["set-cookie"] = "\n".join(cookies)
                return ForumResponse(response.status, received, body)
        except aiohttp.ClientError as error:
            raise OSError(type(error).__name__) from error
