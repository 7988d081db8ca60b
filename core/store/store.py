"""Access to everything that is stored."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from core.errors import StorageUnavailable
from core.settings import Settings
from core.store.corrections import Corrections
from core.store.courses import Courses
from core.store.decisions import Decisions
from core.store.drafts.drafts import Drafts
from core.store.edits import Edits
from core.store.engine.database import BUSY_SECONDS, STATEMENT_SECONDS, Database
from core.store.evaluations import Evaluations
from core.store.facts import Facts
from core.store.forums import Forums
from core.store.jobs import Jobs
from core.store.judgements import Judgements
from core.store.lti import LtiPlatforms
from core.store.material import Material
from core.store.nearest import NearestChunks
from core.store.outbox import Outbox
from core.store.pairings import Pairings
from core.store.people.audit import Audit
from core.store.people.keys import Keys
from core.store.people.members import Members
from core.store.people.personal import PersonalData
from core.store.people.rosters import Rosters
from core.store.people.sessions import Sessions
from core.store.people.usage import UsageCounts
from core.store.pictures import PictureStore
from core.store.presence import Presence
from core.store.processes import Processes
from core.store.queue_schema import QueueState
from core.store.quizzes import Quizzes
from core.store.shared_work import FailedJobs, WaitingFiles
from core.store.snippets import SavedFilters, Snippets
from core.store.vectors import CourseVectors
from core.store.votes import Votes

log = logging.getLogger("edumod")


@dataclass(frozen=True)
class Store:
    database: Database
    courses: Courses
    material: Material
    facts: Facts
    corrections: Corrections
    pairings: Pairings
    vectors: CourseVectors
    nearest: NearestChunks
    drafts: Drafts
    decisions: Decisions
    edits: Edits
    presence: Presence
    pictures: PictureStore
    judgements: Judgements
    votes: Votes
    snippets: Snippets
    saved_filters: SavedFilters
    outbox: Outbox
    forums: Forums
    jobs: Jobs
    waiting_files: WaitingFiles
    failed_jobs: FailedJobs
    queue_state: QueueState
    evaluations: Evaluations
    quizzes: Quizzes
    processes: Processes
    keys: Keys
    members: Members
    sessions: Sessions
    usage: UsageCounts
    rosters: Rosters
    lti: LtiPlatforms
    personal: PersonalData
    audit: Audit

    @classmethod
    async def of(cls, settings: Settings) -> Store:
        """The store that the settings name. Raises `SetupError`."""
        limits = (settings.database_busy_seconds, settings.database_statement_seconds)
        return await cls.open(settings.url, *limits, settings.database_direct_url)

    @classmethod
    async def open(
        cls,
        url: str,
        busy_seconds: float = BUSY_SECONDS,
        statement_seconds: float = STATEMENT_SECONDS,
        direct_url: str | None = None,
    ) -> Store:
        """Open the database and bring its schema up to date.

        `busy_seconds` is how long a write waits for another process that has locked a SQLite file or rows of
        PostgreSQL, and `statement_seconds` the time limit of one statement of PostgreSQL. `direct_url` leads past a
        pooler, see `PostgreSQL`. Raises `SetupError`.
        """
        database = Database(url, busy_seconds, statement_seconds, direct_url)
        await database.migrate()
        processes = Processes(database)
        return cls(
            database=database,
            courses=Courses(database),
            material=Material(database),
            facts=Facts(database),
            corrections=Corrections(database),
            pairings=Pairings(database),
            vectors=CourseVectors(database),
            nearest=NearestChunks(database),
            drafts=Drafts(database, processes),
            decisions=Decisions(database),
            edits=Edits(database),
            presence=Presence(database),
            pictures=PictureStore(database),
            judgements=Judgements(database),
            votes=Votes(database),
            snippets=Snippets(database),
            saved_filters=SavedFilters(database),
            outbox=Outbox(database),
            forums=Forums(database),
            jobs=Jobs(database),
            waiting_files=WaitingFiles(database),
            failed_jobs=FailedJobs(database),
            queue_state=QueueState(database),
            evaluations=Evaluations(database, processes),
            quizzes=Quizzes(database),
            processes=processes,
            keys=Keys(database),
            members=Members(database),
            sessions=Sessions(database),
            usage=UsageCounts(database, processes),
            rosters=Rosters(database),
            lti=LtiPlatforms(database),
            personal=PersonalData(database),
            audit=Audit(database),
        )

    async def aclose(self) -> None:
        """Finish pending writes, and record that this process has ended."""
        try:
            await self.drafts.flush()
            await self.audit.flush()
            await self.drafts.store_waiting()
            await self.processes.end()
        except StorageUnavailable as error:
            log.error("%s %d drafts that waited in memory are lost.", error, self.drafts.waiting)
        finally:
            await self.database.aclose()
