"""Past questions and answers, exported from a forum: JSON Lines, one thread per line.

    {"id": "1423", "created": "2024-09-03T10:15:00Z",
     "question": {"title": "Q2b hangs", "body": "My loop ...", "body_format": "md", "category": "hw1"},
     "author": {},
     "thread": [{"role": "ta", "body": "Look at the ...", "body_format": "md", "endorsed": true}]}

`id` is the forum's own and must be unique in the file. `body_format` is "md" (the default), "html" or "text"; `role` is
"student", "ta" or "instructor". `created`, `author`, `thread` and all of a question but its body may be left out.
Nothing about the author is kept. An unknown field is an error, so that no misspelt one is lost unseen.

A thread becomes a heading, the question and its replies; every line's `cell` is the thread's id, for citations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import Field, ValidationError

from core.errors import EmptyDocument, UnreadableDocument
from core.text.lines import tidy
from core.types import BodyFormat, Message, Role, Value
from core.validation import problems_in
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.bodies import plain
from ingestion.loaders.decoding import decode, title_from

TITLE_WORDS = 12
TITLE_CHARS = 100
_LABEL = re.compile(r"(?:Question|Answer|Reply)\b.*:")
_ROLE_NAMES = {Role.STUDENT: "student", Role.TA: "TA", Role.INSTRUCTOR: "instructor"}


class ThreadQuestion(Value):
    """The message that opened a thread."""

    title: str = ""
    body: str
    body_format: BodyFormat = BodyFormat.MARKDOWN
    category: str | None = None


class Thread(Value):
    """One line of the file."""

    id: str = Field(min_length=1)
    created: datetime | None = None
    question: ThreadQuestion
    author: dict[str, Any] | None = Field(default=None, description="Accepted, never stored.")
    thread: tuple[Message, ...] = ()


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` naming the line of the first bad thread, `EmptyDocument` for a file without one."""
    decoded = decode(name, data)
    lines: list[Line] = []
    seen: dict[str, int] = {}
    for number, row in enumerate(decoded.text.split("\n"), start=1):
        if row.strip():
            thread = _read(name, number, row)
            if (first := seen.setdefault(thread.id, number)) != number:
                raise UnreadableDocument(
                    f"{name}, line {number}: the thread id {thread.id!r} is also on line {first}. Remove one."
                )
            message_lines = list(thread_lines(thread))
            if not message_lines:
                raise UnreadableDocument(
                    f"{name}, line {number}: the question has no title and no body. Remove the line."
                )
            lines.extend(message_lines)
    if not lines:
        raise EmptyDocument(f"{name}: there is no thread in it.")
    return LoadedDocument(title_from(name), tuple(lines), complete=True, warnings=decoded.warnings)


def _read(name: str, number: int, row: str) -> Thread:
    try:
        return Thread.model_validate_json(row)
    except ValidationError as error:
        raise UnreadableDocument(
            f"{name}, line {number}: {problems_in(error, 1)}. Each line is one thread in JSON: id, question, thread."
        ) from error


def thread_lines(thread: Thread) -> Iterator[Line]:
    """Heading, question and replies; nothing for a question without title and body."""
    title = tidy(" ".join(thread.question.title.split()))
    body = plain(thread.question.body, thread.question.body_format)
    if not title and not body:
        return
    cell = tidy(thread.id)
    yield Line(title or _first_words(body), level=1, cell=cell)
    if body:
        yield from _message("Question", body, cell)
    for message in thread.thread:
        if text := plain(message.body, message.body_format):
            yield from _message(_label(message), text, cell)


def _message(label: str, text: str, cell: str) -> Iterator[Line]:
    first, *others = text.split("\n")
    yield Line(f"{label}: {first}", cell=cell)
    for line in others:
        # What someone writes must not pass for another message: only a message's own first line starts with a label.
        yield Line(f" {line}" if _LABEL.match(line) else line, cell=cell)


def _label(message: Message) -> str:
    kind = "Answer" if message.role.is_staff or message.endorsed else "Reply"
    return f"{kind} ({_ROLE_NAMES[message.role]}{', endorsed' if message.endorsed else ''})"


def _first_words(body: str) -> str:
    whole = " ".join(body.split())
    # The second cut is for languages that put no spaces between words.
    start = " ".join(whole.split(" ", TITLE_WORDS)[:TITLE_WORDS])[:TITLE_CHARS].rstrip()
    return start if start == whole else f"{start}..."
