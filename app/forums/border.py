"""The border between a forum and the service: names become pseudonyms, and pictures come in within limits."""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.forums.http import ForumRequest, ForumTransport
from app.forums.shape import ForumAuthor, ForumPost, ForumThread
from app.schemas import AnswerRequest, AuthorIn, ImageIn, MessageIn, QuestionIn
from core.course import ForumRules
from core.privacy.masks import Detector, without_personal
from core.privacy.names import KnownPerson
from core.types import BodyFormat, Role

MAX_PICTURES = 4
MAX_REPLIES = 50
"""Latest replies that come along with a question."""
MAX_TITLE = 500
_MENTION = re.compile(r"(?<![\w.])@([\w.\-]{2,60})")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")


@dataclass(frozen=True)
class Border:
    """Translates the threads of one course."""

    course_id: str
    rules: ForumRules
    secret: bytes
    """Of the installation: without it, no pseudonym leads back to a user of the forum."""
    max_chars: int

    def pseudonym(self, author: ForumAuthor) -> str:
        """The same for a user of the forum, whatever they call themselves."""
        known = f"{self.course_id}\0{self.rules.kind}\0{author.id or author.username}".encode()
        return f"s-{hmac.new(self.secret, known, hashlib.sha256).hexdigest()[:12]}"

    def thread_ref(self, thread_id: str) -> str:
        """How drafts name a thread."""
        return f"{self.rules.kind}:{thread_id}"[:200]

    def is_staff(self, author: ForumAuthor) -> bool:
        return author.is_staff or (author.is_verified and author.is_in(self.rules.staff))

    def request(self, thread: ForumThread, mine: ForumAuthor, pictures: Iterable[ImageIn] = ()) -> AnswerRequest:
        """The thread's question as `POST /answer` takes it, without the names of anyone."""
        hide = self.hider(thread)
        rule = self.rules.category_of(thread.category)
        question = thread.question
        body = self._text(hide(question.body, question.body_format), question.body_format)
        return AnswerRequest(
            course=self.course_id,
            question=QuestionIn(
                title=hide(question.title)[:MAX_TITLE],
                body=body or hide(question.title) or "(no text)",
                body_format=question.body_format,
                category=(rule.category if rule else None) or None,
                images=list(pictures),
                asked_at=question.created_at,
            ),
            thread=list(self._messages(thread, mine, hide)),
            thread_id=self.thread_ref(thread.id),
            author=AuthorIn(pseudonym=self.pseudonym(question.author), consent=self.rules.consent),
        )

    def hider(self, thread: ForumThread) -> _Hider:
        authors = {post.author.id: post.author for post in (thread.question, *thread.replies)}
        people = [*authors.values(), *(person for person in thread.people if person.id not in authors)]
        return _Hider({person: self.pseudonym(person) for person in people})

    def _messages(self, thread: ForumThread, mine: ForumAuthor, hide: _Hider) -> Iterable[MessageIn]:
        for post in [post for post in thread.replies if not post.is_deleted and not post.is_private][-MAX_REPLIES:]:
            text = self._text(hide(post.body, post.body_format), post.body_format)
            if text.strip() and post.author.id != mine.id:
                role = Role.TA if self.is_staff(post.author) else Role.STUDENT
                yield MessageIn(role=role, body=text, body_format=post.body_format, endorsed=post.is_endorsed)

    def _text(self, text: str, body_format: BodyFormat) -> str:
        """At most as long as a question may be; what is cut from a page of HTML would cut its tags."""
        if len(text) <= self.max_chars:
            return text
        if body_format is BodyFormat.HTML:
            from core.text.html import html_text

            return html_text(text)[: self.max_chars]
        return text[: self.max_chars]


class _Hider:
    """Puts pseudonyms in place of the names, user names and mentions of these people."""

    def __init__(self, pseudonyms: dict[ForumAuthor, str]) -> None:
        self._by_username = {person.username.casefold(): p for person, p in pseudonyms.items() if person.username}
        known = [
            KnownPerson(name=person.name.strip()[:200], pseudonym=p)
            for person, p in pseudonyms.items()
            if len(person.name.strip()) > 1
        ]
        self._detector = Detector.of(known)
        self._usernames = [re.escape(name) for name in self._by_username if len(name) > 3]

    def __call__(self, text: str, body_format: BodyFormat = BodyFormat.TEXT) -> str:
        if body_format is BodyFormat.HTML:
            text = _ENTITY.sub(_plain_entity, text)
        text = _MENTION.sub(lambda match: f"@{self._by_username.get(match[1].casefold(), 'someone')}", text)
        if self._usernames:
            pattern = re.compile(rf"(?<![\w@])(?:{'|'.join(self._usernames)})(?!\w)", re.IGNORECASE)
            text = pattern.sub(lambda match: self._by_username[match[0].casefold()], text)
        return without_personal(text, self._detector)


def _plain_entity(match: re.Match[str]) -> str:
    """The character of an entity, in which a name could hide, unless it would become markup."""
    character = html.unescape(match[0])
    return match[0] if any(sign in character for sign in '<>&"') else character


async def pictures_of(
    post: ForumPost, transport: ForumTransport, hosts: Iterable[str], max_bytes: int
) -> tuple[list[ImageIn], int]:
    """The post's pictures, and how many were left out: too many or too large, on another host, or none at all.

    They are read without a token, and no redirect is followed.
    """
    allowed, pictures = {host.casefold() for host in hosts}, []
    for url in post.pictures[:MAX_PICTURES]:
        if url.startswith("data:"):  # It came with the post.
            media_type, _, data = url.removeprefix("data:").partition(";base64,")
            if media_type in _PICTURE_TYPES and len(data) * 3 // 4 <= max_bytes:
                pictures.append(ImageIn(media_type=media_type, data=data))
            continue
        parts = urlsplit(url)
        if parts.scheme != "https" or (parts.hostname or "").casefold() not in allowed or "@" in parts.netloc:
            continue
        try:
            response = await transport.send(ForumRequest("GET", url), max_bytes)
        except OSError:
            continue
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().casefold()
        if response.status == 200 and media_type in _PICTURE_TYPES and len(response.body) <= max_bytes:
            pictures.append(ImageIn(media_type=media_type, data=base64.b64encode(response.body).decode()))
    return pictures, len(post.pictures) - len(pictures)
