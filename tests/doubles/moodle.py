"""Moodle's web services as its sources describe them: errors with status 200, two numbers for a discussion."""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import parse_qsl

from app.forums.http import ForumRequest, ForumResponse
from tests.doubles.board import BoardPost, Double, Seen, as_json

COURSE = "5"


class MoodleDouble(Double):
    limits = (
        ForumResponse(429, {"retry-after": "7"}, b""),
        as_json({"exception": "moodle_exception", "errorcode": "forumblockingtoomanyposts", "message": "Zu viele"}),
    )

    def handle(self, request: ForumRequest) -> ForumResponse:
        form = dict(parse_qsl(request.body.decode()))
        if form["wstoken"] != "token":
            return _error("invalidtoken")
        match form["wsfunction"]:
            case "core_webservice_get_site_info":
                return as_json({"userid": self.bot.id, "fullname": self.bot.name})
            case "core_enrol_get_enrolled_users":
                return as_json([self.user(user) for user in self.board.users])
            case "mod_forum_get_forums_by_courses":
                return as_json([{"id": 7, "type": "general"}, {"id": 8, "type": "qanda"}, {"id": 1, "type": "news"}])
            case "mod_forum_get_forum_discussions":
                return self._list(form)
            case "mod_forum_get_discussion_posts":
                return self._posts(int(form["discussionid"]))
            case "mod_forum_add_discussion_post":
                return self._add(form)
            case "mod_forum_update_discussion_post" | "mod_forum_delete_post":
                return self._change(form)
        return _error("accessexception")

    def user(self, user: Any) -> dict[str, Any]:
        role = "editingteacher" if user.is_staff else "student"
        return {"id": user.id, "fullname": user.name, "roles": [{"roleid": 3, "shortname": role}]}

    def _list(self, form: dict[str, str]) -> ForumResponse:
        mine = [post for post in self.board.questions if post.category == form["forumid"] and self._is_there(post)]
        by_last = sorted(mine, key=lambda post: self._last(post), reverse=True)
        return as_json({"discussions": [self.discussion(post) for post in by_last[: int(form["perpage"])]]})

    def _is_there(self, question: BoardPost) -> bool:
        """Nobody asks for staff alone, and a deleted question takes its discussion along."""
        return question.seen is not Seen.AUTHOR and not question.is_deleted

    def _last(self, question: BoardPost) -> int:
        """When the last post came: that the question was edited does not count."""
        return max(int(post.at.timestamp()) for post in self.board.thread(question.thread))

    def discussion(self, post: BoardPost) -> dict[str, Any]:
        return {
            "id": post.id,
            "discussion": post.thread,
            "name": post.title,
            "subject": post.title,
            "timemodified": self._last(post),
            "modified": int(post.edited_at.timestamp()),
            "numreplies": len(self.board.thread(post.thread)) - 1,
            "userid": post.user.id,
        }

    def _posts(self, discussion: int) -> ForumResponse:
        posts = self.board.thread(discussion)
        if not posts or not self._is_there(posts[0]):
            return _error("invalidrecord", "dml_missing_record_exception")
        shown = [self.post(post) for post in posts if not post.is_deleted]
        return as_json({"posts": shown, "forumid": int(posts[0].category), "courseid": int(COURSE), "warnings": []})

    def post(self, post: BoardPost) -> dict[str, Any]:
        is_ours = post.user is self.bot and post.number > 1
        return {
            "id": post.id,
            "subject": post.title,
            "message": post.text if is_ours else f"<p>{html.escape(post.text)}</p>",
            "messageformat": 1,
            "author": {"id": post.user.id, "fullname": post.user.name, "isdeleted": False},
            "discussionid": post.thread,
            "hasparent": post.number > 1,
            "timecreated": int(post.at.timestamp()),
            "timemodified": int(post.edited_at.timestamp()),
            "isdeleted": False,
            "isprivatereply": post.seen is Seen.AUTHOR,
        }

    def _add(self, form: dict[str, str]) -> ForumResponse:
        parent = self.board.find(int(form["postid"]))
        if parent is None or not self._is_there(self.board.question(parent.thread)):
            return _error("invalidpostid")
        options = {form[f"options[{n}][name]"]: form[f"options[{n}][value]"] for n in range(1)}
        assert options == {"discussionsubscribe": "0"}, "The account would subscribe to each thread that it answers."
        post = self.write(parent.thread, form["message"])
        return as_json({"postid": post.id, "warnings": [], "post": self.post(post), "messages": []})

    def _change(self, form: dict[str, str]) -> ForumResponse:
        post = self.board.find(int(form["postid"]))
        if post is None or post.is_deleted:
            return _error("invalidpostid")
        if form["wsfunction"].endswith("delete_post"):
            self.board.delete(post)
        else:
            self.board.edit(post, form["message"])
        return as_json({"status": True, "warnings": []})


def _error(code: str, exception: str = "moodle_exception") -> ForumResponse:
    return as_json({"exception": exception, "errorcode": code, "message": "Ein Fehler"})
