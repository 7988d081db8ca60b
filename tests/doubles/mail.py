"""A mailbox: messages with numbers, of which none is ever changed, and what is sent arrives there, too."""

from __future__ import annotations

import base64
import json
import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from urllib.parse import parse_qs, urlsplit

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import Board, BoardPost, Double, Seen, User, as_json

DOMAIN = "course.example.edu"
VALIDITY = 3


class MailDouble(Double):
    limits = (ForumResponse(429, {"retry-after": "300"}), ForumResponse(429, {}, b""))
    url = "imaps://mail.example.edu/INBOX"
    has_private = False
    questions_change = False

    def __init__(self, board: Board | None = None) -> None:
        super().__init__(board)
        self.bot.username = f"edumod@{DOMAIN}"

    def handle(self, request: ForumRequest) -> ForumResponse:
        query = parse_qs(urlsplit(request.url).query)
        if request.method == "SEND":
            return self._send(request.body)
        posts = self.mailbox
        last = max((post.id for post in posts), default=0)
        if "id" in query:
            posts = [post for post in posts if query["id"][0] in self.ids(post)]
        else:
            since = int(query["since"][0]) if "since" in query else last
            posts = [post for post in posts if post.id > since]
        messages = [{"uid": post.id, "raw": base64.b64encode(self.message(post).as_bytes()).decode()} for post in posts]
        return as_json({"validity": VALIDITY, "last": last, "messages": messages})

    @property
    def mailbox(self) -> list[BoardPost]:
        """Conversations that the mailbox takes part in."""
        return [post for post in self.board.posts if self.board.question(post.thread).seen is Seen.ALL]

    def ids(self, post: BoardPost) -> tuple[str, str]:
        """Of a message, and of that which it replies to."""
        return post.extra.get("id") or f"{post.id}@mail.example.edu", self.thread_id(self.board.question(post.thread))

    def message(self, post: BoardPost) -> EmailMessage:
        question = self.board.question(post.thread)
        mail = EmailMessage(policy=policy.SMTP)
        mail["From"] = f'"{post.user.name}" <{self.address(post.user)}>'
        mail["To"] = f"{question.category}@{DOMAIN}"
        mail["Subject"] = question.title if post is question else f"Re: {question.title}"
        mail["Date"] = post.at
        mail["Message-ID"] = f"<{self.ids(post)[0]}>"
        if post.user.is_staff:
            mail["Authentication-Results"] = (
                "mx.example.edu; spf=pass smtp.mailfrom=example.edu; "
                f"dmarc=pass (p=reject) header.from={self.address(post.user).partition('@')[2]}"
            )
        if post is not question:
            mail["References"] = mail["In-Reply-To"] = f"<{self.thread_id(question)}>"
        mail.set_content(post.text)
        return mail

    def address(self, user: User) -> str:
        return user.username if "@" in user.username else f"{user.username}@example.edu"

    def _send(self, raw: bytes) -> ForumResponse:
        mail = message_from_bytes(raw, EmailMessage, policy=policy.default)
        above = str(mail["In-Reply-To"]).strip("<>")
        question = next(post for post in self.board.questions if self.thread_id(post) == above)
        assert mail["To"] == self.address(question.user), "An answer went to somebody else than who asked."
        own_id = str(mail["Message-ID"]).strip("<>")
        assert re.fullmatch(rf"edm-\w+@{DOMAIN}", own_id)
        self.write(question.thread, str(mail.get_content()), extra={"id": own_id})
        return ForumResponse(200, {}, json.dumps({}).encode())

    def thread_id(self, question: BoardPost) -> str:
        return f"{question.id}@mail.example.edu"
