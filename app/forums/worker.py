"""Works on the forums of all courses, in the background; one per process of the service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.forums.border import Border
from app.forums.desk import Admit, ServiceDesk
from app.forums.engine import ForumEngine
from app.forums.http import ForumTransport
from app.forums.registry import connect, demand_own
from app.forums.shape import BadSignature
from app.operation.variables import environment
from app.rounds import Rounds
from core.course import Course
from core.errors import EduModError, NotFound, StorageUnavailable
from core.settings import Settings
from core.store.store import Store
from core.store.tables import now

IDLE_SECONDS = 1.0
"""How often the database is asked whether something is due."""
COURSES_SECONDS = 10.0
"""How often the courses' files are read again."""
SECRET = "forum-pseudonyms"  # noqa: S105  (the name of a secret)
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class BrokenForum:
    """A forum that cannot be connected, and why."""

    course: Course
    reason: str


class ForumWorker:
    """Keeps an engine for each course that has a forum."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        desk: ServiceDesk,
        transport: Callable[[], ForumTransport],
        variables: Callable[[], Mapping[str, str]] = environment,
    ) -> None:
        self._store = store
        self._settings = settings
        self.desk = desk
        self._transport = transport
        self._variables = variables
        self._engines: dict[str, ForumEngine] = {}
        self._broken: dict[str, BrokenForum] = {}
        self._courses: list[Course] = []
        self._rounds = Rounds("Forums", self.round, IDLE_SECONDS)
        self._read_at = float("-inf")

    def start(self, admit: Admit | None = None) -> None:
        """Work from now on; `admit` gives the permits that all questions of the process share."""
        self.desk.admit = admit
        self._rounds.start()

    async def aclose(self) -> None:
        """Stop. What was being posted is looked for by the next process."""
        await self._rounds.aclose()

    async def round(self) -> bool:
        """Do what is due in all courses; True if there may be more."""
        await self._refresh_if_due()
        if not self._engines:
            return False
        due = await self._store.forums.due(self._engines, now())
        worked = await asyncio.gather(*(self._step(self._engines[course]) for course in due))
        return any(worked)

    async def _step(self, engine: ForumEngine) -> bool:
        try:
            return await engine.step()
        except StorageUnavailable:
            raise
        except Exception:
            log.exception("The forum of %s could not be worked on", engine.course.id)
            return False

    async def _refresh_if_due(self) -> None:
        at = asyncio.get_running_loop().time()
        if at - self._read_at >= COURSES_SECONDS:
            self._read_at = at
            await self.refresh()

    async def refresh(self) -> None:
        """Read the courses' files; an engine stays as long as its course is the same."""
        courses = await self._connected()
        if courses != self._courses:
            self._broken.clear()  # It may have been another course's fault.
            self._courses = courses
        for gone in {*self._engines, *self._broken} - {course.id for course in courses}:
            self._engines.pop(gone, None)
            self._broken.pop(gone, None)
        for course in courses:
            known = self._engines.get(course.id) or self._broken.get(course.id)
            if known is None or known.course != course:
                await self._connect(course)

    async def _connected(self) -> list[Course]:
        """The courses that have a forum."""
        return [stored.course for stored in await self._store.courses.all() if stored.config.get("forum")]

    async def _connect(self, course: Course) -> None:
        self._engines.pop(course.id, None)
        self._broken.pop(course.id, None)
        try:
            self._engines[course.id] = await self.engine(course)
        except EduModError as error:
            self._broken[course.id] = BrokenForum(course, str(error))
            log.error("The forum of %s is not connected: %s", course.id, error)

    async def engine(self, course: Course) -> ForumEngine:
        """The engine of a course. Raises `InvalidInput`, `SetupError`, and `NotFound` without a forum."""
        rules = course.forum
        if rules is None:
            raise NotFound(f"The course {course.id} has no forum. Its file names one under `forum`.")
        demand_own(course, await self._connected())
        transport = self._transport()
        forum = connect(course.id, rules, transport, self._variables(), self._settings.forum_hosts)
        secret = (await self._store.sessions.secret(SECRET)).encode()
        border = Border(course.id, rules, secret, self._settings.max_question_chars)
        return ForumEngine(
            course, rules, forum, self._store.forums, self.desk, border, transport, self._settings.max_image_bytes
        )

    async def notice(self, course_id: str, headers: Mapping[str, str], body: bytes) -> None:
        """A webhook's request. Raises `BadSignature`, also for a course without a forum, and `StorageUnavailable`."""
        if course_id not in self._engines:
            await self._refresh_if_due()  # Anybody may name a course, and each time would read them all.
        engine = self._engines.get(course_id)
        if engine is None:
            raise BadSignature("There is no forum here.")
        if (thread_id := engine.notice_of(headers, body)) is not None:
            await engine.notice(thread_id)
            self._rounds.wake()
