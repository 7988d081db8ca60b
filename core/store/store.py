"""One value that gives access to all that is stored."""

from __future__ import annotations

from dataclasses import dataclass

from core.store.courses import Courses
from core.store.database import Database
from core.store.drafts import Drafts
from core.store.evaluations import Evaluations
from core.store.jobs import Jobs
from core.store.material import Material


@dataclass(frozen=True)
class Store:
    database: Database
    courses: Courses
    material: Material
    drafts: Drafts
    jobs: Jobs
    evaluations: Evaluations

    @classmethod
    async def open(cls, url: str) -> Store:
        """Open the database and bring its schema up to date."""
        database = Database(url)
        await database.migrate()
        return cls(
            database, Courses(database), Material(database), Drafts(database), Jobs(database), Evaluations(database)
        )

    async def aclose(self) -> None:
        try:
            await self.drafts.flush()
        finally:
            await self.database.aclose()
