"""Ed as independent clients describe it: ids and numbers, roles in `users`, private that is not for staff alone."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import BoardPost, Double, Seen, User, as_json, stamp


class EdDouble(Double):
    url = "https://edstem.org"
    limits = (ForumResponse(429, {"retry-after": "7"}, b'{"code": "rate_limit"}'), ForumResponse(429, {}, b""))

    def handle(self, request: ForumRequest) -> ForumResponse:
        parts = urlsplit(request.url)
        if parts.path == "/api/user":
            return as_json({"user": {"id": self.bot.id, "name": self.bot.name, "role": "user"}, "courses": []})
        if parts.path == "/api/courses/5/threads":
            return self._list(parse_qs(parts.query))
        if match := re.fullmatch(r"/api/threads/(\d+)", parts.path):
            return self._thread(int(match[1]))
        if match := re.fullmatch(r"/api/threads/(\d+)/comments", parts.path):
            return self._comment(int(match[1]), json.loads(request.body)["comment"])
        return as_json({"code": "not_found", "message": "Not found"}, 404)

    def _list(self, query: dict[str, list[str]]) -> ForumResponse:
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        questions = sorted(self.board.questions, key=lambda post: self.board.changed_at(post.thread), reverse=True)
        return as_json({"threads": [self.thread(post) for post in questions[offset : offset + limit]], "users": []})

    def _thread(self, thread: int) -> ForumResponse:
        posts = self.board.thread(thread)
        if not posts or posts[0].is_deleted:
            return as_json({"code": "not_found", "message": "Not found"}, 404)
        replies = [self.comment(post) for post in posts[1:] if not post.is_deleted]
        answers = [one for one in replies if one["type"] == "answer"]
        comments = [one for one in replies if one["type"] == "comment"]
        body = {**self.thread(posts[0]), "answers": answers, "comments": comments}
        users = {post.user.id: post.user for post in posts}
        return as_json({"thread": body, "users": [self.user(user) for user in users.values()]})

    def _comment(self, thread: int, sent: dict[str, Any]) -> ForumResponse:
        if not self.board.thread(thread) or self.board.question(thread).is_deleted:
            return as_json({"code": "not_found", "message": "Not found"}, 404)
        # Whoever asked can read an answer that is called private.
        seen = Seen.AUTHOR if sent["is_private"] else Seen.ALL
        return as_json({"comment": self.comment(self.write(thread, sent["content"], seen=seen))})

    def user(self, user: User) -> dict[str, Any]:
        """`role` is that of the account, and misleads."""
        return {
            "id": user.id,
            "name": user.name,
            "role": "user",
            "course_role": "staff" if user.is_staff else "student",
        }

    def thread(self, post: BoardPost) -> dict[str, Any]:
        return {
            **self.comment(post),
            "id": post.thread,
            "number": post.thread % 100,
            "type": "question",
            "title": post.title,
            "category": post.category,
            "updated_at": stamp(self.board.changed_at(post.thread)),
            "is_locked": False,
        }

    def comment(self, post: BoardPost) -> dict[str, Any]:
        is_ours = post.user is self.bot and post.number > 1
        text = (
            post.text if is_ours else f"<document version='2.0'><paragraph>{escape(post.text)}</paragraph></document>"
        )
        return {
            "id": post.id,
            "user_id": post.user.id,
            "type": "answer" if is_ours else "comment",
            "content": text,
            "created_at": stamp(post.at),
            "updated_at": stamp(post.edited_at),
            "deleted_at": stamp(post.edited_at) if post.is_deleted else None,
            "is_private": post.seen is Seen.AUTHOR,
            "is_endorsed": post.is_endorsed,
            "comments": [],
        }
