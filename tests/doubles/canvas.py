"""Canvas as its documentation describes it: a view that is late, pages by opaque links, 403 for too many requests."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import Board, BoardPost, Double, Seen, as_json, stamp

COURSE = 5
PAGE = 10


class CanvasDouble(Double):
    """With `by_entry`, topics are the board's categories, and entries its questions."""

    limits = (
        ForumResponse(403, {"x-rate-limit-remaining": "0.0"}, b"403 Forbidden (Rate Limit Exceeded)"),
        ForumResponse(429, {"retry-after": "7"}, b"429 Too Many Requests (Rate Limit Exceeded)"),
    )
    url = "https://canvas.example.edu"
    by_entry = False
    no_categories: tuple[str | None, ...] = (None,)

    def __init__(self, board: Board | None = None, *, by_entry: bool = False) -> None:
        super().__init__(board)
        self.by_entry = by_entry
        if by_entry:
            self.no_categories = ()

    def handle(self, request: ForumRequest) -> ForumResponse:
        parts = urlsplit(request.url)
        path = parts.path.removeprefix(f"/api/v1/courses/{COURSE}")
        query, form = dict(parse_qsl(parts.query)), dict(parse_qsl(request.body.decode()))
        if parts.path == "/api/v1/users/self":
            return as_json({"id": self.bot.id, "name": self.bot.name})
        if path == "/users":
            staff = [user for user in self.board.users if user.is_staff]
            return self._page(request, [{"id": user.id, "name": user.name} for user in staff], query)
        if path == "/discussion_topics":
            return self._page(request, self._topics(), query)
        if match := re.fullmatch(r"/discussion_topics/(\d+)(/.*)?", path):
            return self._in_topic(request.method, int(match[1]), match[2] or "", form)
        return _not_found()

    def _page(self, request: ForumRequest, rows: list[dict[str, Any]], query: dict[str, str]) -> ForumResponse:
        at = int(query.get("bookmark", "0"))
        link = ""
        if at + PAGE < len(rows):
            address = re.sub(r"[&?]bookmark=\d+", "", request.url)
            link = f'<{address}{"&" if "?" in address else "?"}bookmark={at + PAGE}>; rel="next"'
        return as_json(rows[at : at + PAGE], link=link)

    def _topics(self) -> list[dict[str, Any]]:
        mine = [post for post in self.board.questions if self._is_there(post)]
        return sorted((self.topic(post) for post in mine), key=lambda one: str(one["last_reply_at"]), reverse=True)

    def _is_there(self, question: BoardPost) -> bool:
        return not question.is_deleted and question.seen is not Seen.AUTHOR

    def topic(self, post: BoardPost) -> dict[str, Any]:
        return {
            "id": post.thread,
            "title": post.title,
            "message": f"<p>{html.escape(post.text)}</p>",
            "posted_at": stamp(post.at),
            "last_reply_at": stamp(max(one.at for one in self.board.thread(post.thread))),
            "discussion_subentry_count": len(self.board.thread(post.thread)) - 1,
            "author": {"id": post.user.id, "display_name": post.user.name},
            "locked": False,
            "is_announcement": False,
        }

    def _in_topic(self, method: str, topic: int, path: str, form: dict[str, str]) -> ForumResponse:
        questions = self._questions(topic)
        if questions is None:
            return _not_found()
        if not path:
            is_place = {"id": topic, "title": "Homework3", "message": "<p>Ask here.</p>", "locked": False}
            return as_json(is_place if self.by_entry else self.topic(questions[0]))
        if path == "/view":
            return self._view(questions)
        if match := re.fullmatch(r"/entries(?:/(\d+)/replies)?", path):
            parent = self.board.find(int(match[1])) if match[1] else questions[0]
            if parent is None or parent.is_deleted:
                return _not_found()
            return as_json(self.entry(self.write(parent.thread, form["message"])), 201)
        if match := re.fullmatch(r"/entries/(\d+)", path):
            return self._change(method, int(match[1]), form)
        return _not_found()

    def _questions(self, topic: int) -> list[BoardPost] | None:
        """The board's threads in a topic; None if it is not there."""
        if self.by_entry:
            mine = [post for post in self.board.questions if post.category == str(topic)]
            return [post for post in mine if post.seen is not Seen.AUTHOR] if topic in (7, 8, 9) else None
        posts = self.board.thread(topic)
        return [posts[0]] if posts and self._is_there(posts[0]) else None

    def _view(self, questions: list[BoardPost]) -> ForumResponse:
        """The newest entry is not in the view yet, but beside it."""
        posts = [post for question in questions for post in self.board.thread(question.thread)]
        shown = posts if self.by_entry else posts[1:]
        late = shown[-1:] if len(shown) > 1 else []
        tree: list[dict[str, Any]] = []
        known: dict[int, dict[str, Any]] = {}
        for post in shown:
            if post in late:
                continue
            entry = known[post.id] = self.entry(post)
            above = known.get(entry["parent_id"])
            (tree if above is None else above["replies"]).append(entry)
        people = {post.user.id: post.user for post in posts}.values()
        participants = [{"id": user.id, "display_name": user.name} for user in people]
        return as_json({"participants": participants, "view": tree, "new_entries": [self.entry(one) for one in late]})

    def entry(self, post: BoardPost) -> dict[str, Any]:
        is_ours = post.user is self.bot and post.number > 1
        above = self.board.question(post.thread).id if self.by_entry and post.number > 1 else None
        entry: dict[str, Any] = {
            "id": post.id,
            "parent_id": above,
            "created_at": stamp(post.at),
            "updated_at": stamp(post.edited_at),
            "replies": [],
        }
        if post.is_deleted:
            return {**entry, "deleted": True}
        text = post.text if is_ours else f"<p>{html.escape(post.text)}</p>"
        return {**entry, "user_id": post.user.id, "message": text}

    def _change(self, method: str, entry: int, form: dict[str, str]) -> ForumResponse:
        post = self.board.find(entry)
        if post is None or post.is_deleted:
            return _not_found()
        if method == "DELETE":
            self.board.delete(post)
            return ForumResponse(204)
        self.board.edit(post, form["message"])
        return as_json(self.entry(post))

    def thread_id(self, question: BoardPost) -> str:
        return f"{question.category}:{question.id}" if self.by_entry else str(question.thread)


def _not_found() -> ForumResponse:
    return as_json({"errors": [{"message": "The specified resource does not exist."}]}, 404)
