"""E-mail: a mailbox by IMAP, answers by SMTP. A thread is a conversation, by Message-ID.

`url` is imaps://HOST/FOLDER, `outgoing` smtps://HOST or smtp://HOST, `account` the mailbox's address and user name.
Categories are addresses that mail was sent to. `place` is the name by which the mail server signs its checks of senders
(authserv-id); without it nobody counts as staff, since anybody can write a sender. Answers go to whoever asked, and to
the mailbox, where they are looked for.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from typing import Any, ClassVar
from urllib.parse import urlencode

from app.forums.adapter import HttpForum
from app.forums.http import ForumRequest, checked, read_json
from app.forums.replies import member
from app.forums.shape import (
    Capabilities,
    ForumAccount,
    ForumAuthor,
    ForumPost,
    ForumRefused,
    ForumThread,
    Reading,
    StaffDraft,
)
from core.store.tables import now
from core.types import BodyFormat

MAX_ID_CHARS = 180
MAX_ABOVE = 20
"""Messages of a conversation that are looked for, its first and its latest: each is a request."""
MARK = re.compile(r"\((edm-\w+)\)")
ROBOTS = ("mailer-daemon", "postmaster", "noreply", "no-reply", "donotreply", "do-not-reply", "bounce")
OF_PROGRAMS = ("List-Id", "List-Unsubscribe", "X-Autoreply", "X-Autorespond")
"""Headers that people's own mails do not have."""
_ID = re.compile(rf"<([!-;=?-~]{{1,{MAX_ID_CHARS}}})>")
"""Others cannot be searched for."""
_QUOTES = re.compile(r".{0,200}\bwrote:\s*$|-{3,} ?Original Message ?-{3,}|_{20,}\s*$")


@dataclass
class Mail(HttpForum):
    name: ClassVar[str] = "E-mail"
    schemes: ClassVar[tuple[str, ...]] = ("imaps",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.NONE, edit=False, delete=False, threaded=True, requests_a_minute=60
    )

    @classmethod
    def headers_of(cls, account: ForumAccount) -> dict[str, str]:
        key = base64.b64encode(f"{account.account}:{account.token}".encode()).decode()
        return {"Authorization": f"Basic {key}"}

    @property
    def file_hosts(self) -> tuple[str, ...]:
        return ()  # Pictures come in the mail itself.

    async def me(self) -> ForumAuthor:
        await self._read("SEARCH")
        return _author("", self.account.account)

    async def read(self, cursor: str | None) -> Reading:
        validity, _, last = (cursor or "").partition(":")
        reply = await (self._read("SEARCH", since=int(last)) if cursor else self._read("SEARCH"))
        if str(reply["validity"]) != validity:
            # The first poll; or the server has numbered its messages anew, and what came meanwhile is not known apart.
            return Reading(f"{reply['validity']}:{reply['last']}")
        hints: dict[str, str] = {}
        for uid, mail in _mails(reply):
            if (thread_id := await self._thread_of(mail)) is not None:
                hints[thread_id] = str(uid)
        return Reading(f"{validity}:{reply['last']}", hints)

    async def _thread_of(self, mail: EmailMessage) -> str | None:
        """The first message of its conversation that is in the mailbox, which may be itself."""
        own = _id(mail)
        listed = list(dict.fromkeys([*_ids(mail, "References"), *_ids(mail, "In-Reply-To")]))
        for above in [*listed[: MAX_ABOVE // 2], *listed[MAX_ABOVE // 2 :][-MAX_ABOVE // 2 :]]:
            if above != own and any(_id(one) == above for _, one in _mails(await self._read("FIND", id=above))):
                return above
        return own

    async def thread(self, thread_id: str) -> ForumThread | None:
        if "@" not in thread_id or len(thread_id) > MAX_ID_CHARS:
            return None
        mails: dict[str | None, EmailMessage] = {}
        for _, mail in _mails(await self._read("FIND", id=thread_id)):
            mails.setdefault(_id(mail), mail)  # Anybody may send another mail under an id that they know.
        first = mails.pop(thread_id, None)
        if first is None:
            return None
        to = [address for _, address in _addresses(first, "To", "Cc", "Delivered-To", "X-Original-To")]
        listed = {name.casefold(): name for name in self.account.categories}
        return ForumThread(
            id=thread_id,
            question=self._post(first, " ".join(str(first.get("Subject", "")).split())),
            replies=tuple(self._post(mail) for mail in mails.values()),
            category=next((listed[address] for address in to if address in listed), to[0] if to else None),
            people=tuple(_author(name, address) for name, address in _addresses(first, "To", "Cc")),
        )

    async def is_for_all(self, thread: ForumThread) -> bool:
        return False

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        message_id = self._own_id(mark)
        mails = _mails(await self._read("FIND", id=message_id))
        return message_id if any(_id(mail) == message_id for _, mail in mails) else None

    async def post(self, thread: ForumThread, markdown: str) -> str:
        marks = MARK.findall(markdown)
        to = thread.question.author.username
        if not marks or not to or not to.isascii():
            raise ForumRefused("The question names no address that every server can answer to.")
        mail = EmailMessage(policy=SMTP)
        try:
            mail["From"], mail["To"] = self.account.account, Address(addr_spec=to)
            mail["Subject"] = "Re: " + re.sub(r"^(?:re: ?)+", "", thread.question.title, flags=re.IGNORECASE)[:200]
            mail["In-Reply-To"] = mail["References"] = f"<{thread.id}>"
        except ValueError as error:
            raise ForumRefused("The question's sender is no address.") from error
        mail["Message-ID"] = f"<{self._own_id(marks[-1])}>"
        mail["Date"] = format_datetime(now())
        mail["Auto-Submitted"] = "auto-replied"  # Programs do not answer it.
        mail.set_content(markdown)
        query = urlencode({"from": self.account.account, "to": [to, self.account.account]}, doseq=True)
        request = ForumRequest("SEND", f"{self.account.outgoing}?{query}", self.http.headers, mail.as_bytes())
        checked(await self.http.send(request))
        return self._own_id(marks[-1])

    def _own_id(self, mark: str) -> str:
        """The Message-ID of a mark: who gets a message twice sees it once."""
        return f"{mark}@{self.account.account.rpartition('@')[2]}"

    async def _read(self, method: str, **query: Any) -> dict[str, Any]:
        request = ForumRequest(method, f"{self.base}?{urlencode(query)}".rstrip("?"), self.http.headers)
        reply = read_json(checked(await self.http.send(request)))
        member(reply, "messages", list)
        return dict(reply)

    def _post(self, mail: EmailMessage, title: str = "") -> ForumPost:
        name, address = next(iter(_addresses(mail, "From")), ("", ""))
        body, body_format = _body(mail)
        return ForumPost(
            id=_id(mail) or "",
            author=replace(
                _author(name, address),
                is_bot=_is_automatic(mail, address),
                is_verified=_is_verified(mail, self.account.place, address),
            ),
            body=body if title else _without_quotations(body),
            body_format=body_format,
            title=title,
            created_at=_date(mail),
            pictures=tuple(_pictures(mail)),
        )


def _author(name: str, address: str) -> ForumAuthor:
    number = hashlib.sha256(address.casefold().encode()).hexdigest()[:16]
    return ForumAuthor(number, address.casefold(), "" if "@" in name else name)


def _mails(reply: Mapping[str, Any]) -> Iterator[tuple[int, EmailMessage]]:
    """Messages with their numbers; without those that have no id of a sensible length."""
    for one in reply["messages"]:
        mail = message_from_bytes(base64.b64decode(one["raw"]), EmailMessage, policy=default)
        if _id(mail) is not None:
            yield one["uid"], mail


def _id(mail: EmailMessage) -> str | None:
    own = next(iter(_ids(mail, "Message-ID")), "")
    return own if "@" in own and len(own) <= MAX_ID_CHARS else None


def _ids(mail: EmailMessage, header: str) -> list[str]:
    return _ID.findall(_header(mail, header))


def _header(mail: EmailMessage, name: str) -> str:
    """All headers of a name; empty for one that cannot be read, which anybody may send."""
    try:
        return " ".join(str(value) for value in mail.get_all(name, ()))
    except (ValueError, LookupError, IndexError, AttributeError, TypeError):
        return ""


def _addresses(mail: EmailMessage, *names: str) -> list[tuple[str, str]]:
    """Names and addresses in headers, the addresses in lower case."""
    pairs = getaddresses([_header(mail, name) for name in names])
    return [(name.strip(), address.casefold()) for name, address in pairs if "@" in address]


def _is_verified(mail: EmailMessage, server: str, address: str) -> bool:
    """Whether our mail server found that the sender's domain sent it. The topmost result is that of the last server."""
    for value in mail.get_all("Authentication-Results", ()):
        by, _, results = str(value).partition(";")
        if server and by.split()[:1] == [server]:
            domain = re.escape(address.rpartition("@")[2])
            return (
                re.search(rf"\bdmarc=pass\b[^;]*\bheader\.from={domain}(?![\w.-])", results, re.IGNORECASE) is not None
            )
    return False


def _is_automatic(mail: EmailMessage, address: str) -> bool:
    """True of what programs send (RFC 3834): answers of machines, bounces, newsletters."""
    kind = _header(mail, "Auto-Submitted").partition(";")[0].strip().casefold()
    is_bulk = _header(mail, "Precedence").strip().casefold() in ("bulk", "junk", "list", "auto_reply")
    is_bounce = _header(mail, "Return-Path").strip() == "<>" or mail.get_content_type() == "multipart/report"
    is_robot = address.partition("@")[0] in ROBOTS
    return kind not in ("", "no") or is_bulk or is_bounce or is_robot or any(name in mail for name in OF_PROGRAMS)


def _body(mail: EmailMessage) -> tuple[str, BodyFormat]:
    try:
        part = mail.get_body(("plain", "html"))
        text = str(part.get_content()) if part is not None else ""
    except (LookupError, ValueError, AttributeError, KeyError, TypeError):
        return "", BodyFormat.TEXT  # An unknown character set, or parts that are none.
    is_html = part is not None and part.get_content_subtype() == "html"
    return text.replace("\r\n", "\n").strip(), BodyFormat.HTML if is_html else BodyFormat.TEXT


def _without_quotations(text: str) -> str:
    """A reply without what it quotes."""
    lines = [line for line in text.split("\n") if not line.startswith(">")]
    end = next((n for n, line in enumerate(lines) if _QUOTES.match(line)), len(lines))
    return "\n".join(lines[:end]).strip()


def _date(mail: EmailMessage) -> datetime | None:
    try:
        at = parsedate_to_datetime(_header(mail, "Date"))
    except (ValueError, TypeError, IndexError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _pictures(mail: EmailMessage) -> Iterator[str]:
    for part in mail.walk():
        if part.get_content_maintype() == "image":
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                yield f"data:{part.get_content_type()};base64,{base64.b64encode(content).decode()}"
