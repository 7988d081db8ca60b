"""Speaks IMAP and SMTP for `app.forums.mail`, in the words of `ForumTransport`.

SEARCH imaps://host/FOLDER?since=UID    messages that came after that one; without one, only where the folder ends
FIND   imaps://host/FOLDER?id=MESSAGE   messages with that Message-ID, and those that refer to it
SEND   smtps://host?from=A&to=B&to=C    the message in the body; smtp:// upgrades by STARTTLS

The first two answer `{"validity", "last", "messages": [{"uid", "raw"}]}`, with messages in Base64. A connection lasts
for a request, goes to the address that was checked, and is encrypted.
"""

from __future__ import annotations

import asyncio
import base64
import imaplib
import json
import re
import smtplib
import socket
import ssl
from collections.abc import Sequence
from urllib.parse import parse_qs, unquote, urlsplit

from app.forums.http import MAX_REPLY_BYTES, ForumRequest, ForumResponse
from app.webhooks.targets import Target, Unreachable, resolve

SECONDS = 20.0
PORTS = {"imaps": 993, "smtps": 465, "smtp": 587}
MAX_MESSAGES = 50
MAX_MESSAGE_BYTES = 1_000_000
"""Of a message that are read; the rest is large attachments."""
REFUSED, DENIED, LIMITED, BROKEN = 400, 401, 429, 502
_WAIT = {"retry-after": "300"}
"""For greylisting and limits, of which mail servers do not say how long they last."""


class MailTransport:
    def __init__(self, hosts: Sequence[str], context: ssl.SSLContext | None = None) -> None:
        self._hosts = tuple(hosts)
        self._context = context or ssl.create_default_context()

    async def send(self, request: ForumRequest, max_bytes: int = MAX_REPLY_BYTES) -> ForumResponse:
        """Raises `OSError` and `TimeoutError`."""
        parts = urlsplit(request.url)
        port = parts.port or PORTS[parts.scheme]
        try:
            target = await resolve(f"https://{parts.hostname}:{port}", self._hosts)
        except Unreachable as error:
            raise OSError(str(error)) from error
        work = self._send if request.method == "SEND" else self._read
        try:
            return await asyncio.to_thread(work, request, target)
        except (imaplib.IMAP4.abort, smtplib.SMTPServerDisconnected) as error:
            raise OSError("The connection was lost.") from error

    def _read(self, request: ForumRequest, target: Target) -> ForumResponse:
        parts = urlsplit(request.url)
        query = parse_qs(parts.query)
        user, password = credentials(request)
        imap = _Imap(target, self._context)
        try:
            try:
                imap.login(user, password)
            except imaplib.IMAP4.abort:
                raise
            except imaplib.IMAP4.error:
                return ForumResponse(DENIED)
            folder = unquote(parts.path.strip("/")) or "INBOX"
            # EXAMINE: nothing is marked as read, so that people see what is new to them.
            if imap.select(_quoted(folder), readonly=True)[0] != "OK":
                return ForumResponse(REFUSED)
            return ForumResponse(200, {}, json.dumps(_messages(imap, query)).encode())
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            return ForumResponse(REFUSED)
        finally:
            imap.shutdown()

    def _send(self, request: ForumRequest, target: Target) -> ForumResponse:
        parts = urlsplit(request.url)
        query = parse_qs(parts.query)
        smtp = _SmtpTls(target, self._context) if parts.scheme == "smtps" else _Smtp(target)
        try:
            if parts.scheme == "smtp":
                smtp.starttls(context=self._context)  # Raises where the server offers no encryption.
            try:
                smtp.login(*credentials(request))
            except (smtplib.SMTPAuthenticationError, smtplib.SMTPServerDisconnected):
                return ForumResponse(DENIED)  # Some servers hang up on a wrong password.
            _transmit(smtp, query["from"][0], query["to"], request.body)
        except smtplib.SMTPResponseException as error:
            return ForumResponse(REFUSED) if error.smtp_code >= 500 else ForumResponse(LIMITED, _WAIT)
        except smtplib.SMTPServerDisconnected:
            raise
        except smtplib.SMTPException:
            return ForumResponse(REFUSED)
        finally:
            smtp.close()
        return ForumResponse(200, {}, b"{}")


def _transmit(smtp: smtplib.SMTP, sender: str, receivers: Sequence[str], body: bytes) -> None:
    """The first receiver must be accepted, before the message is sent at all. Raises `smtplib.SMTPException`."""
    first, *others = receivers
    for code, text in (smtp.mail(sender), smtp.rcpt(first)):
        if code not in (250, 251):
            raise smtplib.SMTPResponseException(code, text)
    for other in others:
        smtp.rcpt(other)
    code, text = smtp.data(body)
    if code != 250:
        raise smtplib.SMTPDataError(code, text)


def credentials(request: ForumRequest) -> tuple[str, str]:
    """User name and password of a request."""
    user, _, password = (
        base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode().partition(":")
    )
    return user, password


def _messages(imap: imaplib.IMAP4, query: dict[str, list[str]]) -> dict[str, object]:
    validity = int((imap.response("UIDVALIDITY")[1] or [b"0"])[0] or 0)
    last = _last(imap)
    if "id" in query:
        quoted = _quoted(f"<{query['id'][0]}>")
        found = _search(
            imap, f"OR OR HEADER Message-ID {quoted} HEADER References {quoted} HEADER In-Reply-To {quoted}"
        )
        uids = [*found[:1], *found[1:][-MAX_MESSAGES:]]
    else:
        since = int(query["since"][0]) if "since" in query else last
        # A range up to `*` holds the last message even where that is older.
        uids = [uid for uid in _search(imap, f"UID {since + 1}:*") if uid > since][:MAX_MESSAGES]
        last = uids[-1] if len(uids) == MAX_MESSAGES else last
    return {"validity": validity, "last": last, "messages": [_fetch(imap, uid) for uid in uids]}


def _last(imap: imaplib.IMAP4) -> int:
    uids = _search(imap, "UID *")
    return uids[-1] if uids else 0


def _search(imap: imaplib.IMAP4, criteria: str) -> list[int]:
    status, data = imap.uid("SEARCH", criteria)
    if status != "OK":
        raise imaplib.IMAP4.error("The search was refused.")
    return sorted(int(uid) for part in data if part for uid in part.split())


def _fetch(imap: imaplib.IMAP4, uid: int) -> dict[str, object]:
    _, data = imap.uid("FETCH", str(uid), f"(BODY.PEEK[]<0.{MAX_MESSAGE_BYTES}>)")
    raw = next((part[1] for part in data if isinstance(part, tuple)), b"")
    return {"uid": uid, "raw": base64.b64encode(raw).decode()}


def _quoted(text: str) -> str:
    """A quoted string of IMAP. Raises `imaplib.IMAP4.error` for a text that cannot be one."""
    if not text.isascii() or re.search(r"[\x00-\x1f]", text):
        raise imaplib.IMAP4.error("The text cannot be searched for.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Imap(imaplib.IMAP4_SSL):
    """To the address that was checked, in the name of the host that it was looked up for."""

    def __init__(self, target: Target, context: ssl.SSLContext) -> None:
        self._target, self._context = target, context
        super().__init__(target.host, target.port, ssl_context=context, timeout=SECONDS)

    def _create_socket(self, timeout: float | None) -> ssl.SSLSocket:
        return self._context.wrap_socket(_connect(self._target), server_hostname=self._target.host)


class _Smtp(smtplib.SMTP):
    def __init__(self, target: Target) -> None:
        self._target = target
        super().__init__(target.host, target.port, timeout=SECONDS)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return _connect(self._target)


class _SmtpTls(_Smtp):
    def __init__(self, target: Target, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(target)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._context.wrap_socket(_connect(self._target), server_hostname=self._target.host)


def _connect(target: Target) -> socket.socket:
    return socket.create_connection((target.address, target.port), SECONDS)
