"""Piazza as a public client and dumps of posts describe it: sessions, errors with status 200, newest versions first."""

from __future__ import annotations

import html
import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import Board, BoardPost, Double, Seen, as_json, stamp

NETWORK = "5"


class PiazzaDouble(Double):
    url = "https://piazza.com"
    password = "token"

    def __init__(self, board: Board | None = None) -> None:
        super().__init__(board)
        self.signed_in: set[str] = set()
        self.sessions = 0
        self.versions: dict[int, list[str]] = {}
        """Who wrote the versions of an answer, newest first, where it was edited."""

    def handle(self, request: ForumRequest) -> ForumResponse:
        parts = urlsplit(request.url)
        if parts.path == "/main/csrf_token":
            self.sessions += 1
            cookies = f"AWSALB=x; path=/\nsession_id=s{self.sessions}; path=/; secure"
            return ForumResponse(200, {"set-cookie": cookies}, b'var CSRF_TOKEN="c1";')
        session = dict(pair.split("=", 1) for pair in request.headers.get("Cookie", "").split("; ") if pair)
        if parts.path == "/class":
            form = dict(parse_qsl(request.body.decode()))
            if (form["email"], form["password"], form["csrf_token"]) == (self.bot.username, self.password, "c1"):
                self.signed_in.add(session["session_id"])
            return ForumResponse(200, {"content-type": "text/html"}, b"<html>Email or password incorrect</html>")
        if session.get("session_id") not in self.signed_in or request.headers["CSRF-Token"] != session["session_id"]:
            return _error("Please log in")
        sent = json.loads(request.body)
        return self._method(sent["method"], sent["params"])

    def _method(self, method: str, params: dict[str, Any]) -> ForumResponse:
        if params["nid"] != NETWORK:
            return _error("No such network")
        match method:
            case "user.status":
                return _result({"id": str(self.bot.id), "name": self.bot.name})
            case "network.get_my_feed":
                return self._feed(params)
            case "network.get_users":
                return _result([self._user(user) for user in self.board.users if str(user.id) in params["ids"]])
        question = self._question(params["cid"])
        if question is None:
            return _error("Content not found")
        match method, params.get("type"):
            case "content.get", _:
                return _result(self.content(question))
            case "content.answer", "i_answer":
                return self._answer(question, params)
            case "content.create", "followup":
                post = self.write(question.thread, params["subject"], extra={"type": "followup"})
                return _result(self.child(post))
        return _error("Unknown method")

    def _question(self, cid: str) -> BoardPost | None:
        there = (post for post in self.board.questions if str(post.thread) == cid and not post.is_deleted)
        return next(there, None)

    def _feed(self, params: dict[str, Any]) -> ForumResponse:
        there = [post for post in self.board.questions if not post.is_deleted]
        posts = sorted(there, key=lambda post: self.board.changed_at(post.thread), reverse=True)
        page = posts[params["offset"] : params["offset"] + params["limit"]]
        changed = [(str(post.thread), stamp(self.board.changed_at(post.thread))) for post in page]
        return _result({"feed": [{"id": thread, "modified": at, "updated": at} for thread, at in changed]})

    def _user(self, user: Any) -> dict[str, Any]:
        return {"id": str(user.id), "name": user.name, "role": "ta" if user.is_staff else "student"}

    def _answer(self, question: BoardPost, params: dict[str, Any]) -> ForumResponse:
        """One a question: with a higher revision it is edited, else it is refused."""
        posts = self.board.thread(question.thread)
        old = next((post for post in posts if post.extra.get("type") == "i_answer"), None)
        if old is None:
            return _result(self.child(self.write(question.thread, params["content"], extra={"type": "i_answer"})))
        if params["revision"] <= old.version:
            return _error("Someone else edited this answer")
        self.board.edit(old, params["content"])
        self.versions[old.id] = [str(self.bot.id), *self.versions.get(old.id, [str(old.user.id)])]
        return _result(self.child(old))

    def content(self, post: BoardPost) -> dict[str, Any]:
        version = {
            "subject": post.title,
            "content": f"<p>{html.escape(post.text)}</p>",
            "created": stamp(post.edited_at),
        }
        author = {"anon": "full"} if post.anonymous else {"anon": "no", "uid": str(post.user.id)}
        is_private = post.seen is Seen.AUTHOR
        return {
            "id": str(post.thread),
            "nr": post.thread % 100,
            "type": "question",
            "folders": [post.category],
            "status": "private" if is_private else "active",
            "created": stamp(post.at),
            "history_size": post.version,
            # Older versions come after the newest.
            "history": [{**version, **author}, {"subject": "Old", "content": "<p>Old</p>", **author}][: post.version],
            "config": {"feed_groups": f"instr_{NETWORK},{post.user.id}"} if is_private else {},
            "children": [self.child(one) for one in self.board.thread(post.thread)[1:] if not one.is_deleted],
        }

    def child(self, post: BoardPost) -> dict[str, Any]:
        common = {"id": str(post.id), "created": stamp(post.at), "config": {"editor": "rte"}}
        is_ours = post.user is self.bot
        text = post.text if is_ours else f"<p>{html.escape(post.text)}</p>"
        if post.extra.get("type") == "i_answer":
            authors = self.versions.get(post.id, [str(post.user.id)])
            history = [{"anon": "no", "uid": uid, "content": text if n == 0 else ""} for n, uid in enumerate(authors)]
            return {
                **common,
                "type": "i_answer",
                "history": history,
                "history_size": post.version,
                "tag_endorse_arr": [],
            }
        # The text of a follow-up is its subject.
        return {**common, "type": "followup", "uid": str(post.user.id), "anon": "no", "subject": text, "content": ""}


def _result(result: Any) -> ForumResponse:
    return as_json({"result": result, "error": None, "aid": "a1"})


def _error(text: str) -> ForumResponse:
    return as_json({"result": None, "error": text, "aid": "a1"})
