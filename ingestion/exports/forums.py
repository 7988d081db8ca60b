"""Past questions and answers as forums export them (Ed, Piazza, Discourse), as the threads that we read.

Private threads are left out, and so are names: only who is staff is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from core.errors import UnreadableDocument
from core.types import Source
from ingestion.exports.folder import CourseFolder

Json: TypeAlias = Any
Thread: TypeAlias = dict[str, Any]
MAX_BYTES = 200 * 2**20
MAX_DEPTH = 8
"""Of replies to replies."""
_STAFF = ("staff", "admin", "tutor", "instructor", "ta", "professor", "teacher", "moderator")


def read_forum(file: Path, course: CourseFolder) -> bool:
    """Add the threads of an export; False for a file of another kind. Raises `UnreadableDocument`."""
    threads = _threads(_json(file))
    if threads is None:
        return False
    kept = [thread for thread in threads if thread["question"]["title"] or thread["question"]["body"]]
    lines = {thread["id"]: json.dumps(thread, ensure_ascii=False) for thread in kept}
    if not lines:
        raise UnreadableDocument(f"{file.name}: the export has no public thread with a text.")
    course.write(Source.QA, f"{file.stem}.jsonl", "\n".join(lines.values()) + "\n")
    return True


def _json(file: Path) -> Json:
    if file.stat().st_size > MAX_BYTES:
        raise UnreadableDocument(f"{file.name} has more than {MAX_BYTES // 2**20} MiB of JSON. Export fewer threads.")
    try:
        return json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"{file.name}: no JSON that can be read ({error}). Export it again.") from error


def _threads(export: Json) -> Iterator[Thread] | None:
    """The public threads of an export of a known forum; None for other JSON."""
    posts = export.get("threads", export.get("posts")) if isinstance(export, dict) else export
    if isinstance(posts, list) and posts and all(isinstance(post, dict) for post in posts):
        for is_of, read in _FORUMS:
            if is_of(posts[0]):
                return filter(None, map(read, posts))
    if isinstance(export, dict) and (isinstance(export.get("topics"), list) or "post_stream" in export):
        return _discourse(export)
    return None


def _ed(post: Json) -> Thread | None:
    """Ed's export of threads as JSON, and what its API returns."""
    if post.get("private") or post.get("is_private") or post.get("deleted_at"):
        return None
    replies = [(True, entry) for entry in _list(post, "answers")] + [
        (False, entry) for entry in _list(post, "comments")
    ]
    thread = [message for answer, entry in replies for message in _ed_messages(entry, is_answer=answer)]
    number = post.get("number") or post.get("id") or post.get("url")
    return _thread(number, post.get("title"), _ed_text(post), post.get("category"), post.get("created_at"), thread)


def _ed_messages(entry: Json, *, is_answer: bool, depth: int = 0) -> Iterator[Thread]:
    if not isinstance(entry, dict) or depth > MAX_DEPTH or entry.get("private") or entry.get("is_private"):
        return
    user = entry.get("user") or {}
    role = str(user.get("course_role") or user.get("role") or "")
    yield _message(role, _ed_text(entry), endorsed=bool(entry.get("endorsed") or entry.get("is_endorsed")))
    for reply in _list(entry, "comments"):
        yield from _ed_messages(reply, is_answer=is_answer, depth=depth + 1)


def _ed_text(post: Json) -> str:
    return str(post.get("text") or post.get("document") or post.get("content") or "")


def _piazza(post: Json) -> Thread | None:
    """Piazza's export of a class: the newest revision of each text is the first of its history."""
    if (
        post.get("status") == "private"
        or "private" in _list(post, "tags")
        or post.get("type") not in ("question", "note")
    ):
        return None
    newest = _newest(post)
    thread = [message for child in _list(post, "children") for message in _piazza_messages(child)]
    folder = next(iter(_list(post, "folders")), None)
    number = post.get("nr") or post.get("id")
    return _thread(number, newest.get("subject"), newest.get("content"), folder, post.get("created"), thread, "html")


def _piazza_messages(child: Json, depth: int = 0) -> Iterator[Thread]:
    config = child.get("config") if isinstance(child, dict) else None
    if not isinstance(child, dict) or depth > MAX_DEPTH or (isinstance(config, dict) and config.get("ionly")):
        return
    kind = str(child.get("type", ""))
    text = _newest(child).get("content") or child.get("subject")
    endorsed = bool(_list(child, "tag_endorse")) or kind == "i_answer"
    yield _message("ta" if kind == "i_answer" else "student", str(text or ""), endorsed=endorsed, body_format="html")
    for reply in _list(child, "children"):
        yield from _piazza_messages(reply, depth + 1)


def _newest(post: Json) -> Mapping[str, Any]:
    history = _list(post, "history")
    return history[0] if history and isinstance(history[0], dict) else post


def _discourse(export: Json) -> Iterator[Thread]:
    """Discourse's export of a category, or a topic as its API returns it."""
    staff = {
        u.get("id") for u in _list(export, "users") if isinstance(u, dict) and (u.get("admin") or u.get("moderator"))
    }
    for topic in _list(export, "topics") or [export]:
        stream = topic.get("post_stream") if isinstance(topic, dict) else None
        posts = _list(stream, "posts") if isinstance(stream, dict) else _list(topic, "posts")
        # 1 is an ordinary post; 4 is a whisper between staff.
        public = [
            p
            for p in posts
            if isinstance(p, dict) and p.get("post_type", 1) == 1 and not p.get("hidden") and not p.get("deleted_at")
        ]
        if not public or topic.get("archetype", "regular") != "regular" or topic.get("visible") is False:
            continue
        first, *others = sorted(public, key=lambda post: int(post.get("post_number") or 0))
        thread = [
            _message("ta" if post.get("user_id") in staff or post.get("staff") or post.get("moderator") else "student",
                     str(post.get("raw") or post.get("cooked") or ""), endorsed=bool(post.get("accepted_answer")),
                     body_format="md" if post.get("raw") else "html")
            for post in others
        ]  # fmt: skip
        text_format = "md" if first.get("raw") else "html"
        body = first.get("raw") or first.get("cooked")
        category = topic.get("category_slug")
        yield _thread(topic.get("id"), topic.get("title"), body, category, topic.get("created_at"), thread, text_format)


def _thread(
    number: Json,
    title: Json,
    body: Json,
    category: Json,
    created: Json,
    thread: Sequence[Thread],
    body_format: str = "md",
) -> Thread:
    question = {"title": _one_line(title), "body": str(body or title or ""), "body_format": body_format}
    if category:
        question["category"] = str(category)
    dated = {"created": created} if isinstance(created, str) and created else {}
    return {"id": str(number), **dated, "question": question, "thread": [entry for entry in thread if entry["body"]]}


def _message(role: str, body: str, *, endorsed: bool, body_format: str = "md") -> Thread:
    is_staff = role.lower() in _STAFF
    body_format = "html" if body.startswith("<document") else body_format
    return {"role": "ta" if is_staff else "student", "body": body, "body_format": body_format, "endorsed": endorsed}


def _one_line(text: Json) -> str:
    return " ".join(str(text or "").split())


def _list(value: Json, key: str) -> list[Json]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


_FORUMS: Sequence[tuple[Callable[[Json], bool], Callable[[Json], Thread | None]]] = (
    (lambda post: isinstance(post.get("history"), list) and "nr" in post, _piazza),
    (lambda post: "title" in post and ("answers" in post or "comments" in post), _ed),
)
"""By which fields a forum's posts are known, and what reads one."""
