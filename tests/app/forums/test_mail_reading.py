"""What strangers may send to a course's mailbox, and what does not come of it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from urllib.parse import parse_qs, urlsplit

import pytest

from app.forums.http import ForumRequest, ForumResponse, Throttle
from app.forums.mail import MAX_ABOVE, Mail
from app.forums.shape import ForumAccount, ForumRefused, ForumThread
from tests.doubles.board import as_json

ACCOUNT = ForumAccount("imaps://mail.example.edu", "mx.example.edu", "course@example.edu", "t", outgoing="smtps://mx")


class Mailbox:
    """Messages as strangers wrote them; refuses ids that IMAP has no words for, as the transport does."""

    def __init__(self, *raw: bytes) -> None:
        self.raw = raw
        self.looked_for: list[str] = []
        self.sent: list[ForumRequest] = []

    async def send(self, request: ForumRequest, max_bytes: int = 0) -> ForumResponse:
        if request.method == "SEND":
            self.sent.append(request)
            return as_json({})
        query = parse_qs(urlsplit(request.url).query)
        mails = list(enumerate(self.raw, 1))
        if "id" in query:
            wanted = query["id"][0]
            self.looked_for.append(wanted)
            if not wanted.isascii() or not wanted.isprintable() or len(wanted) > 900:
                return ForumResponse(400)
            mails = [(uid, raw) for uid, raw in mails if f"<{wanted}>".encode() in raw]
        messages = [{"uid": uid, "raw": base64.b64encode(raw).decode()} for uid, raw in mails]
        return as_json({"validity": 3, "last": len(self.raw), "messages": messages})


def forum_of(mailbox: Mailbox) -> Mail:
    return Mail.of(ACCOUNT, mailbox, Throttle(1_000))


def written(headers: Mapping[str, str], body: str = "How do I begin with problem 2?") -> bytes:
    mail = EmailMessage()
    for name, value in {"From": "s@example.edu", "To": "course@example.edu", "Subject": "Problem 2", **headers}.items():
        mail[name] = value
    mail.set_content(body)
    return mail.as_bytes()


def thread_in(mailbox: Mailbox, thread_id: str) -> ForumThread:
    thread = asyncio.run(forum_of(mailbox).thread(thread_id))
    assert thread is not None
    return thread


@pytest.mark.parametrize(
    "references",
    ["<\xfcber@example.edu>", "<" + "x" * 2_000 + "@example.edu>", "<\x01@example.edu>", "<" + "no-at " * 20 + ">"],
    ids=["not ASCII", "far too long", "a control character", "none"],
)
def test_an_id_that_cannot_be_one_holds_up_no_other_mail(references: str) -> None:
    raw = written({"Message-ID": "<1@example.edu>"}).replace(b"\n", f"\nReferences: {references}\n".encode(), 1)
    mailbox = Mailbox(raw, written({"Message-ID": "<2@example.edu>"}))
    reading = asyncio.run(forum_of(mailbox).read("3:0"))
    assert dict(reading.hints) == {"1@example.edu": "1", "2@example.edu": "2"}


def test_a_mail_that_refers_to_thousands_has_few_of_them_looked_for() -> None:
    above = " ".join(f"<{number}@elsewhere.example>" for number in range(3_000))
    raw = written({"Message-ID": "<1@example.edu>"}).replace(b"\n", f"\nReferences: {above}\n".encode(), 1)
    mailbox = Mailbox(raw)
    asyncio.run(forum_of(mailbox).read("3:0"))
    assert len(mailbox.looked_for) == MAX_ABOVE
    assert {"0@elsewhere.example", "2999@elsewhere.example"} <= set(mailbox.looked_for)


def test_who_sends_a_mail_under_the_id_of_another_does_not_get_its_answer() -> None:
    own = written({"Message-ID": "<1@example.edu>"})
    later = written({"Message-ID": "<1@example.edu>", "From": "eve@elsewhere.example"})
    thread = thread_in(Mailbox(own, later), "1@example.edu")
    assert thread.question.author.username == "s@example.edu"
    assert not thread.replies


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Auto-Submitted": "auto-generated (vacation)"},
        {"Precedence": "bulk"},
        {"Precedence": "auto_reply"},
        {"Return-Path": "<>"},
        {"From": "MAILER-DAEMON@example.edu"},
        {"List-Unsubscribe": "<mailto:off@lists.example.edu>"},
        {"List-Id": "<news.lists.example.edu>"},
        {"X-Autoreply": "yes"},
        {"X-Autorespond": "vacation"},
    ],
)
def test_what_programs_send_is_no_question(headers: Mapping[str, str]) -> None:
    mailbox = Mailbox(written({"Message-ID": "<1@example.edu>", **headers}))
    assert thread_in(mailbox, "1@example.edu").question.author.is_bot


def test_a_person_is_no_program() -> None:
    mailbox = Mailbox(written({"Message-ID": "<1@example.edu>", "Auto-Submitted": "no"}))
    assert not thread_in(mailbox, "1@example.edu").question.author.is_bot


def edited(headers: Mapping[str, str]) -> Callable[[bytes], bytes]:
    def edit(raw: bytes) -> bytes:
        for name, value in headers.items():
            raw = raw.replace(f"{name}: ".encode(), f"{name}: {value}\nX-Was: ".encode(), 1)
        return raw

    return edit


@pytest.mark.parametrize(
    "sender", ["@example.edu", "a b@example.edu", '""@[', "x@\xfc.example", "x@a.example, y@b.example", "<a@b@c>"]
)
def test_an_answer_to_what_is_no_address_is_refused_and_not_a_fault(sender: str) -> None:
    raw = edited({"From": sender})(written({"Message-ID": "<1@example.edu>"}))
    mailbox = Mailbox(raw)
    thread = thread_in(mailbox, "1@example.edu")
    try:
        asyncio.run(forum_of(mailbox).post(thread, "Begin with the base case. (edm-abc)"))
    except ForumRefused:
        assert not mailbox.sent
    else:
        (sent,) = mailbox.sent
        assert sent.url.isascii()
        assert "%C3" not in sent.url
        assert parse_qs(urlsplit(sent.url).query)["to"] == [thread.question.author.username, ACCOUNT.account]


def test_a_subject_adds_no_header() -> None:
    raw = written({"Message-ID": "<1@example.edu>", "Subject": "=?utf-8?q?Hi=0D=0ABcc=3A_eve=40x.example?="})
    mailbox = Mailbox(raw)
    asyncio.run(forum_of(mailbox).post(thread_in(mailbox, "1@example.edu"), "So. (edm-abc)"))
    (sent,) = mailbox.sent
    assert b"\nBcc:" not in sent.body
