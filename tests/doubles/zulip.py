"""Zulip as its documentation describes it: topics without ids, messages by anchor and narrow, errors with a code."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import Board, BoardPost, Double, Seen, User, as_json

STAFF_CHANNEL = "staff"
CHANNELS = {"7": 1007, "8": 1008, "9": 1009, "12": 1012, STAFF_CHANNEL: 1001}


class ZulipDouble(Double):
    limits = (
        ForumResponse(429, {"retry-after": "7"}, b'{"code": "RATE_LIMIT_HIT", "result": "error", "retry-after": 7.0}'),
        ForumResponse(429, {}, b'{"code": "RATE_LIMIT_HIT", "msg": "API usage exceeded rate limit"}'),
    )
    staff_is_private = True

    def __init__(self, board: Board | None = None) -> None:
        super().__init__(board)
        self.bot.username = "edumod-bot@example.edu"

    def handle(self, request: ForumRequest) -> ForumResponse:
        parts = urlsplit(request.url)
        query, form = dict(parse_qsl(parts.query)), dict(parse_qsl(request.body.decode()))
        match request.method, parts.path.removeprefix("/api/v1"):
            case "GET", "/users/me":
                return _success(user_id=self.bot.id, full_name=self.bot.name, is_bot=True)
            case "GET", "/users":
                return _success(members=[self.user(user) for user in self.board.users])
            case "GET", "/streams":
                names = [{"name": name, "stream_id": number} for name, number in CHANNELS.items()]
                private = [{**one, "invite_only": one["name"] == STAFF_CHANNEL} for one in names]
                public = [{**one, "invite_only": False} for one in names]
                return _success(streams=private if self.staff_is_private else public)
            case "GET", "/messages":
                return self._list(query)
            case "POST", "/messages":
                return self._send(form)
            case method, path if match := re.fullmatch(r"/messages/(\d+)", path):
                return self._one(method, int(match[1]), form)
        return _error("Invalid request")

    def _list(self, query: dict[str, str]) -> ForumResponse:
        narrow = {term["operator"]: term["operand"] for term in json.loads(query["narrow"])}
        messages = [self.message(post) for post in sorted(self.board.posts, key=lambda one: one.id) if self._sees(post)]
        if channel := narrow.get("channel"):
            messages = [one for one in messages if one["display_recipient"] == channel]
        if topic := narrow.get("topic"):
            messages = [one for one in messages if one["subject"] == topic]
        ends = {"newest": 10**9, "oldest": 0}
        anchor = ends[query["anchor"]] if query["anchor"] in ends else int(query["anchor"])
        takes_anchor = query["include_anchor"] == "true"
        before = [one for one in messages if one["id"] < anchor]
        after = [one for one in messages if one["id"] > anchor or (one["id"] == anchor and takes_anchor)]
        count = int(query["num_before"])
        return _success(messages=(before[-count:] if count else []) + after[: int(query["num_after"])])

    def _sees(self, post: BoardPost) -> bool:
        """The bot is subscribed to all channels; it does not read messages between others."""
        return not post.is_deleted and post.seen is not Seen.AUTHOR

    def _send(self, form: dict[str, str]) -> ForumResponse:
        channel = next(name for name, number in CHANNELS.items() if str(number) == form["to"])
        if channel == STAFF_CHANNEL:
            seen = Seen.STAFF if self.staff_is_private else Seen.ALL
            post = self.board.ask(self.bot, form["topic"], form["content"], STAFF_CHANNEL, seen=seen)
            self.board.on_write(post)
            return _success(id=post.id)
        threads = (post for post in self.board.questions if self.topic(post) == form["topic"])
        # A topic that is not there begins with the message.
        thread = next((post.thread for post in threads if post.category == channel), None)
        if thread is None:
            return _success(id=self.board.ask(self.bot, form["topic"], form["content"], channel).id)
        return _success(id=self.write(thread, form["content"]).id)

    def _one(self, method: str, message_id: int, form: dict[str, str]) -> ForumResponse:
        post = self.board.find(message_id)
        if post is None or not self._sees(post):
            return _error("Invalid message(s)")
        if method == "DELETE":
            self.board.delete(post)
        elif method == "PATCH":
            self.board.edit(post, form["content"])
        return _success(**({"message": self.message(post)} if method == "GET" else {}))

    def topic(self, post: BoardPost) -> str:
        """Two threads of one title would be one topic."""
        question = self.board.question(post.thread)
        return f"{question.title} #{question.thread}"

    def message(self, post: BoardPost) -> dict[str, Any]:
        channel = self.board.question(post.thread).category
        return {
            "id": post.id,
            "type": "stream",
            "display_recipient": channel,
            "stream_id": CHANNELS[channel],
            "subject": self.topic(post),
            "sender_id": post.user.id,
            "sender_full_name": post.user.name,
            "content": post.text,
            "timestamp": int(post.at.timestamp()),
        }

    def user(self, user: User) -> dict[str, Any]:
        role = 200 if user.is_staff else 400
        is_bot = user.is_bot or user is self.bot
        return {"user_id": user.id, "email": user.username, "full_name": user.name, "role": role, "is_bot": is_bot}

    def thread_id(self, question: BoardPost) -> str:
        return str(question.id)


def _success(**more: Any) -> ForumResponse:
    return as_json({"result": "success", "msg": "", **more})


def _error(message: str) -> ForumResponse:
    return as_json({"result": "error", "msg": message, "code": "BAD_REQUEST"}, 400)
