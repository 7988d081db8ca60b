"""E-mail on a real server of this machine, and mail that nobody should write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from random import Random

import pytest

from app.forums.http import Throttle
from app.forums.mail import Mail
from app.forums.mail_transport import MailTransport
from app.forums.shape import Denied, ForumAccount, ForumRefused, ForumThread, Limited
from tests.servers.mail import HOST, PASSWORD, USER, MailServer, mail_server

MARK = "edm-0123456789abcdef"
pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
"""The server sees TLS only where it was begun by STARTTLS."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    with mail_server(tmp_path) as server:
        yield server


def mailbox(server: MailServer, token: str = PASSWORD, place: str = "mx.example.edu") -> Mail:
    account = ForumAccount(
        url=f"imaps://{HOST}:{server.imap_port}/INBOX",
        place=place,
        account=USER,
        token=token,
        outgoing=f"smtps://{HOST}:{server.smtp_port}",
    )
    return Mail.of(account, MailTransport([HOST], server.client), Throttle(1_000, time.monotonic))


def mail(subject: str = "Homework 3", body: str = "When is it due?", **headers: str) -> bytes:
    message = EmailMessage(policy=SMTP)
    values = {
        "From": "Ada Byronson <ada@example.edu>",
        "To": USER,
        "Subject": subject,
        "Message-ID": "<q1@example.edu>",
    }
    for name, value in {**values, **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
        message[name] = value
    message.set_content(body)
    return message.as_bytes()


async def question(server: MailServer, raw: bytes) -> ForumThread:
    server.deliver(raw)
    thread = await mailbox(server).thread("q1@example.edu")
    assert thread is not None
    return thread


async def test_a_question_is_answered_to_its_sender_in_its_conversation(server: MailServer) -> None:
    box = mailbox(server)
    first = await box.read(None)
    server.deliver(mail())
    second = await box.read(first.cursor)
    assert list(second.hints) == ["q1@example.edu"]
    thread = await box.thread("q1@example.edu")
    assert thread is not None
    post_id = await box.post(thread, f"On **Friday**. ({MARK})")
    ((receivers, raw),) = server.taken
    sent = message_from_bytes(raw, policy=default)
    assert receivers == ["ada@example.edu", USER]
    assert (sent["To"], sent["Subject"], sent["In-Reply-To"]) == (
        "ada@example.edu",
        "Re: Homework 3",
        "<q1@example.edu>",
    )
    assert sent["Auto-Submitted"] == "auto-replied"
    assert await box.find("q1@example.edu", MARK) == post_id
    assert await box.find("q1@example.edu", "edm-ffff") is None
    # Our own answer belongs to the conversation, and begins none.
    third = await box.read(second.cursor)
    assert list(third.hints) == ["q1@example.edu"]
    assert (await box.read(third.cursor)).hints == {}


async def test_a_wrong_password_is_denied_by_both_servers(server: MailServer) -> None:
    box = mailbox(server, token="wrong")
    with pytest.raises(Denied):
        await box.me()
    thread = await question(server, mail())
    with pytest.raises(Denied):
        await box.post(thread, f"On Friday. ({MARK})")
    assert server.taken == []


@pytest.mark.parametrize(("told", "error"), [("451 later", Limited), ("550 never", ForumRefused)])
async def test_what_the_server_refuses_was_not_sent(server: MailServer, told: str, error: type[Exception]) -> None:
    thread = await question(server, mail())
    server.refuses = told
    with pytest.raises(error):
        await mailbox(server).post(thread, f"On Friday. ({MARK})")


async def test_nothing_is_sent_where_the_sender_cannot_be_reached(server: MailServer) -> None:
    thread = await question(server, mail())
    server.refuses_receiver = "ada@example.edu"
    with pytest.raises(ForumRefused):
        await mailbox(server).post(thread, f"On Friday. ({MARK})")
    assert server.taken == []


async def test_a_conversation_that_began_elsewhere_begins_with_what_came_here(server: MailServer) -> None:
    box = mailbox(server)
    first = await box.read(None)
    server.deliver(mail(References="<announcement@elsewhere.edu>"))
    server.deliver(mail(Message_ID="<q2@example.edu>", References="<announcement@elsewhere.edu>"))
    assert set((await box.read(first.cursor)).hints) == {"q1@example.edu", "q2@example.edu"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"Return_Path": "<>"},
        {"List_Unsubscribe": "<mailto:x@example.com>"},
        {"From": "Mail Delivery <MAILER-DAEMON@example.edu>"},
    ],
)
async def test_what_programs_send_is_no_question(server: MailServer, headers: dict[str, str]) -> None:
    assert (await question(server, mail(**headers))).question.author.is_bot


@pytest.mark.parametrize(
    ("result", "place", "is_verified"),
    [
        ("mx.example.edu; dmarc=pass header.from=example.edu", "mx.example.edu", True),
        ("mx.example.edu; dmarc=fail header.from=example.edu", "mx.example.edu", False),
        ("mx.example.edu; dmarc=pass header.from=example.edu.evil.com", "mx.example.edu", False),
        ("mx.evil.com; dmarc=pass header.from=example.edu", "mx.example.edu", False),
        ("mx.example.edu; dmarc=pass header.from=example.edu", "", False),
        ("", "mx.example.edu", False),
    ],
)
async def test_a_sender_is_certain_only_where_our_own_server_says_so(
    server: MailServer, result: str, place: str, is_verified: bool
) -> None:
    server.deliver(mail(Authentication_Results=result) if result else mail())
    thread = await mailbox(server, place=place).thread("q1@example.edu")
    assert thread is not None
    assert thread.question.author.is_verified is is_verified


async def test_a_subject_cannot_add_headers(server: MailServer) -> None:
    raw = mail().replace(b"Subject: Homework 3", b"Subject: =?utf-8?q?Homework_3=0D=0ABcc:_eve=40example.com?=")
    thread = await question(server, raw)
    await mailbox(server).post(thread, f"On Friday. ({MARK})")
    ((receivers, sent),) = server.taken
    assert receivers == ["ada@example.edu", USER]
    assert message_from_bytes(sent, policy=default)["Bcc"] is None


async def test_a_picture_comes_with_the_mail_and_quotations_do_not(server: MailServer) -> None:
    message = message_from_bytes(mail(), EmailMessage, policy=SMTP)
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png")
    await question(server, message.as_bytes())
    reply = "Thank you!\n\nOn Monday, Ada Byronson wrote:\n> When is it due?\n"
    server.deliver(mail(body=reply, Message_ID="<q2@example.edu>", In_Reply_To="<q1@example.edu>"))
    thread = await mailbox(server).thread("q1@example.edu")
    assert thread is not None
    assert thread.question.pictures == ("data:image/png;base64,iVBORw==",)
    assert [post.body for post in thread.replies] == ["Thank you!"]


async def test_no_mail_stops_the_others_from_being_read(server: MailServer) -> None:
    box, random = mailbox(server), Random(5)
    first = await box.read(None)
    for _ in range(40):
        raw = bytearray(mail(Content_Language="xx", Date="Fri, 99 Foo", Cc='"\xe9" <>, ,;:'))
        for _ in range(random.randrange(30)):
            raw[random.randrange(len(raw))] = random.randrange(256)
        server.deliver(bytes(raw))
    server.deliver(mail(Message_ID="<last@example.edu>"))
    reading = await box.read(first.cursor)
    assert "last@example.edu" in reading.hints
    for thread_id in reading.hints:
        await box.thread(thread_id)
