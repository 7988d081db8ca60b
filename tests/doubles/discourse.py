"""Discourse as its sources describe it: signed webhooks or not, two shapes of 429, old and new whispers."""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import BoardEvent, BoardPost, Double, Seen, as_json, stamp

SECRET = "my_lovely_secret_for_web_hook"
FIRST_PAGE = 20
LATEST = 50


class DiscourseDouble(Double):
    limits = (
        ForumResponse(
            429,
            {"retry-after": "7", "discourse-rate-limit-error-code": "admin_api_key_rate_limit"},
            b"You have performed this action too many times.",
        ),
        ForumResponse(429, {}, b'{"errors": ["slow"], "error_type": "rate_limit", "extras": {"wait_seconds": 30}}'),
    )
    whispers = "new"
    """`old` silently posts for everybody what may not be whispered; `allowed` is the right to whisper."""
    may_whisper = True
    enqueues = False
    restricted: frozenset[str] = frozenset()
    """Categories that not everybody can read."""

    def handle(self, request: ForumRequest) -> ForumResponse:
        parts = urlsplit(request.url)
        query = parse_qs(parts.query)
        if match := re.fullmatch(r"/u/([\w-]+)\.json", parts.path):
            return as_json({"user": {"id": self.bot.id, "username": match[1]}})
        if match := re.fullmatch(r"/c/(\d+)/show\.json", parts.path):
            return as_json({"category": {"id": int(match[1]), "read_restricted": match[1] in self.restricted}})
        if parts.path == "/posts.json" and request.method == "GET":
            return self._latest(query)
        if parts.path == "/posts.json":
            return self._create(json.loads(request.body))
        if match := re.fullmatch(r"/t/(\d+)/posts\.json", parts.path):
            wanted = {int(one) for one in query.get("post_ids[]", [])}
            posts = [post for post in self._thread(int(match[1])) if post.id in wanted]
            return as_json({"post_stream": {"posts": [self.post(post) for post in posts]}})
        if match := re.fullmatch(r"/t/(\d+)\.json", parts.path):
            return self._topic(int(match[1]))
        if match := re.fullmatch(r"/posts/(\d+)\.json", parts.path):
            return self._one(request, int(match[1]))
        return _not_found()

    def _latest(self, query: dict[str, list[str]]) -> ForumResponse:
        before = int(query["before"][0]) if "before" in query else 10**9
        posts = [post for post in self.board.posts if post.id < before and not post.is_deleted]
        latest = sorted(posts, key=lambda post: -post.id)[:LATEST]
        return as_json({"latest_posts": [self.post(post) for post in latest]})

    def _topic(self, topic: int) -> ForumResponse:
        posts = self._thread(topic)
        if not posts:
            return _not_found()
        first = posts[0]
        return as_json(
            {
                "id": topic,
                "title": first.title,
                "category_id": int(first.category),
                "archetype": "private_message" if first.seen is Seen.AUTHOR else "regular",
                "closed": False,
                "archived": False,
                "deleted_at": stamp(first.edited_at) if first.is_deleted else None,
                "post_stream": {
                    "posts": [self.post(post) for post in posts[:FIRST_PAGE]],
                    "stream": [post.id for post in posts],
                },
            }
        )

    def _thread(self, topic: int) -> list[BoardPost]:
        posts = self.board.thread(topic)
        return [post for post in posts if not post.is_deleted or post.number == 1]

    def _one(self, request: ForumRequest, post_id: int) -> ForumResponse:
        post = self.board.find(post_id)
        if post is None:
            return _not_found()
        if request.method == "DELETE":
            self.board.delete(post)
            return ForumResponse(200, {}, b"")
        if request.method == "PUT":
            self.board.edit(post, json.loads(request.body)["post"]["raw"])
        return as_json({**self.post(post), "raw": post.text})

    def _create(self, sent: dict[str, Any]) -> ForumResponse:
        topic = int(sent["topic_id"])
        if not self._thread(topic) or self.board.question(topic).is_deleted:
            return _not_found()
        is_whisper = sent.get("whisper") == "true"
        if is_whisper and not self.may_whisper and self.whispers == "new":
            return as_json({"errors": ["invalid_whisper_access"]}, 403)
        if self.enqueues:
            return as_json({"action": "enqueued", "success": True, "pending_count": 1})
        seen = Seen.STAFF if is_whisper and self.may_whisper else Seen.ALL
        return as_json(self.post(self.write(topic, sent["raw"], seen=seen)))

    def post(self, post: BoardPost) -> dict[str, Any]:
        """A post as Discourse serialises it."""
        return {
            "id": post.id,
            "username": post.user.username,
            "name": post.user.name,
            "created_at": stamp(post.at),
            "cooked": f"<p>{html.escape(post.text)}</p>",
            "post_number": post.number,
            "post_type": 4 if post.seen is Seen.STAFF else 1,
            "updated_at": stamp(post.edited_at),
            "topic_id": post.thread,
            "category_id": int(post.category),
            "topic_archetype": "private_message" if post.seen is Seen.AUTHOR else "regular",
            "version": post.version,
            "user_id": -1 if post.user.is_bot else post.user.id,
            "staff": post.user.is_staff,
            "hidden": False,
            "deleted_at": stamp(post.edited_at) if post.is_deleted else None,
            "user_deleted": False,
        }

    def webhook(self, event: BoardEvent, secret: str | None = SECRET) -> tuple[dict[str, str], bytes] | None:
        """A post's event. Without a secret there is no signature; each delivery has an id of its own."""
        body = json.dumps({"post": {**self.post(event.post), "raw": event.post.text}}).encode()
        headers = {
            "content-type": "application/json",
            "x-discourse-instance": self.url,
            "x-discourse-event-id": str(self.board.new_id()),
            "x-discourse-event-type": "post",
            "x-discourse-event": f"post_{event.what}",
        }
        if secret is not None:
            digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
            headers["x-discourse-event-signature"] = f"sha256={digest}"
        return headers, body


def _not_found() -> ForumResponse:
    return as_json({"errors": ["The requested URL or resource could not be found."], "error_type": "not_found"}, 404)
