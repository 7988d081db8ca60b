"""Moodle's forum, by its web services: polls, and HTML.

`place` is the course's number, categories are numbers of forums (not of course modules). What Moodle calls a private
reply, whoever asked can read, so drafts are never sent there. Errors come with status 200.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

from app.forums.adapter import HttpForum, Remembered
from app.forums.replies import html_of, member, pictures_in
from app.forums.shape import (
    Capabilities,
    Denied,
    ForumAccount,
    ForumAuthor,
    ForumPost,
    ForumRefused,
    ForumThread,
    Gone,
    Limited,
    Reading,
    StaffDraft,
    Unsure,
)
from core.types import BodyFormat

PAGE = 50
NEWEST_FIRST = 1
"""Discussions by their last post."""
HTML = 1
STAFF = ("manager", "coursecreator", "editingteacher", "teacher")
QUESTION_TYPES = ("general", "qanda", "blog", "eachuser")
"""Kinds of forums in which students begin discussions; `news` is announcements."""
DENIED = ("invalidtoken", "accessexception", "requireloginerror", "usernotconfirmed", "servicenotavailable")
GONE = (
    "notfound",
    "invalidrecord",
    "invalidrecordunknown",
    "invaliddiscussionid",
    "invalidpostid",
    "noviewdiscussionspermission",
)
LIMITED = ("forumblockingtoomanyposts",)
REFUSED = ("invalidparameter", "nopostforum", "cannotreply", "nopermissions", "cannotdeletepost", "cannotupdatepost")
WRITES = ("mod_forum_add_discussion_post", "mod_forum_update_discussion_post", "mod_forum_delete_post")


@dataclass
class Moodle(HttpForum):
    name: ClassVar[str] = "Moodle"
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.NONE, edit=True, delete=True, threaded=True, requests_a_minute=60
    )
    _staff: Remembered[frozenset[str]] = field(init=False, repr=False)
    _forums: Remembered[tuple[str, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._staff = Remembered(self._read_staff, self.http.throttle.clock)
        self._forums = Remembered(self._read_forums, self.http.throttle.clock)

    @classmethod
    def headers_of(cls, account: ForumAccount) -> dict[str, str]:
        return {}  # The token goes along in the form.

    async def me(self) -> ForumAuthor:
        site = await self._call("core_webservice_get_site_info")
        return ForumAuthor(str(member(site, "userid", int)), name=str(site.get("fullname", "")), is_staff=True)

    async def read(self, cursor: str | None) -> Reading:
        """Discussions by their last post; an edit does not move one, but those on the first page show it."""
        last, hints = int(cursor or 0), dict[str, str]()
        newest = last
        for forum in await self._forums.get():
            arguments = {"forumid": forum, "sortorder": NEWEST_FIRST, "page": 0, "perpage": PAGE}
            listed = member(await self._call("mod_forum_get_forum_discussions", arguments), "discussions", list)
            for one in listed:
                at = max(int(one["timemodified"]), int(one["modified"]))
                newest = max(newest, at)
                if cursor is not None and at >= last:
                    hints[str(one["discussion"])] = f"{one['timemodified']}-{one['modified']}-{one['numreplies']}"
        # The first poll ends behind what is older than the connection.
        return Reading(str(newest + 1)) if cursor is None else Reading(str(newest), hints)

    async def thread(self, thread_id: str) -> ForumThread | None:
        reply = await self._posts(thread_id)
        if reply is None or str(reply.get("courseid", self.account.place)) != self.account.place:
            return None
        first = next((post for post in reply["posts"] if not post["hasparent"]), None)
        if first is None:
            return None
        staff = await self._staff.get()
        replies = sorted((post for post in reply["posts"] if post["hasparent"]), key=lambda post: int(post["id"]))
        return ForumThread(
            id=thread_id,
            question=self._post(first, staff, str(first.get("subject", ""))),
            replies=tuple(self._post(post, staff) for post in replies),
            category=str(reply.get("forumid", "")),
            url=f"{self.base}/mod/forum/discuss.php?d={thread_id}",
        )

    async def is_for_all(self, thread: ForumThread) -> bool:
        return False  # A discussion's posts do not say whether it is one group's.

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        me, reply = await self.me(), await self._posts(thread_id)
        for post in reply["posts"] if reply else ():
            is_ours = str((post.get("author") or {}).get("id")) == me.id and not post.get("isdeleted")
            if is_ours and mark in str(post.get("message", "")):
                return str(post["id"])
        return None

    async def post(self, thread: ForumThread, markdown: str) -> str:
        arguments = {
            "postid": thread.question.id,
            "subject": f"Re: {thread.question.title}"[:255],
            "message": html_of(markdown),
            "messageformat": HTML,
            "options": [{"name": "discussionsubscribe", "value": 0}],
        }
        return str(member(await self._call("mod_forum_add_discussion_post", arguments), "postid", int))

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        arguments = {"postid": int(post_id), "message": html_of(markdown), "messageformat": HTML}
        await self._call("mod_forum_update_discussion_post", arguments)

    async def delete(self, thread_id: str, post_id: str) -> None:
        await self._call("mod_forum_delete_post", {"postid": int(post_id)})

    async def _posts(self, thread_id: str) -> dict[str, Any] | None:
        try:
            reply = await self._call("mod_forum_get_discussion_posts", {"discussionid": int(thread_id)})
        except (Gone, ValueError):
            return None
        member(reply, "posts", list)
        return dict(reply)

    async def _read_staff(self) -> frozenset[str]:
        """Numbers of those who teach; none where the token may not list them: then the course file names them."""
        try:
            users = await self._call("core_enrol_get_enrolled_users", {"courseid": self.account.place})
        except Limited:
            raise
        except ForumRefused:
            return frozenset()
        is_staff = {str(user["id"]): {str(role["shortname"]) for role in user.get("roles", ())} for user in users or ()}
        return frozenset(number for number, roles in is_staff.items() if roles & set(STAFF))

    async def _read_forums(self) -> tuple[str, ...]:
        """The course's forums; those of its categories, if it lists any."""
        if self.account.categories:
            return self.account.categories
        forums = await self._call("mod_forum_get_forums_by_courses", {"courseids": [self.account.place]})
        return tuple(str(forum["id"]) for forum in forums or () if forum.get("type") in QUESTION_TYPES)

    def _post(self, post: Mapping[str, Any], staff: frozenset[str], title: str = "") -> ForumPost:
        author = post.get("author") or {}
        number = str(author.get("id") or f"deleted-{post['id']}")
        message = str(post.get("message", ""))
        return ForumPost(
            id=str(post["id"]),
            author=ForumAuthor(number, name=str(author.get("fullname") or ""), is_staff=number in staff),
            body=message,
            body_format=BodyFormat.HTML,
            title=title,
            created_at=datetime.fromtimestamp(int(post.get("timecreated") or 0), UTC),
            is_deleted=bool(post.get("isdeleted")),
            is_private=bool(post.get("isprivatereply")),
            pictures=pictures_in(message, self.account.url),
        )

    async def _call(self, function: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Raises `ForumError`; an error that is not known of a write may have come after it was carried out."""
        form = {"wstoken": self.account.token, "wsfunction": function, "moodlewsrestformat": "json"}
        form |= dict(_flat(arguments or {}))
        reply = await self.http.json("POST", "/webservice/rest/server.php", form=form)
        if not isinstance(reply, dict) or not ("exception" in reply or "errorcode" in reply):
            return reply
        code = str(reply.get("errorcode", ""))
        if code in DENIED:
            raise Denied("The forum refuses the account. Check its token, and the functions of its service.", code)
        if code in GONE:
            raise Gone("The forum has nothing there.", code)
        if code in LIMITED:
            raise Limited("The forum takes no more posts for now.", 3600.0)
        if function in WRITES and code not in REFUSED:
            raise Unsure("The forum failed while it carried out a request.")
        raise ForumRefused("The forum refused the request.", code)


def _flat(arguments: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Arguments as PHP reads them: `options[0][name]=...`."""
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        key = f"{prefix}[{name}]" if prefix else str(name)
        if isinstance(value, Mapping):
            pairs += _flat(value, key)
        elif isinstance(value, list | tuple):
            pairs += _flat(dict(enumerate(value)), key)  # type: ignore[arg-type]
        else:
            pairs.append((key, str(value)))
    return pairs
