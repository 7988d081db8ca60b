"""One value that gives access to all that is stored."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from core.store.courses import Courses
from core.store.drafts import Drafts
from core.store.engine import migrate, open_engine
from core.store.jobs import Jobs
from core.store.material import Material


@dataclass(frozen=True)
class Store:
    engine: AsyncEngine
    courses: Courses
    material: Material
    drafts: Drafts
    jobs: Jobs

    @classmethod
    async def open(cls, url: str) -> Store:
        """Open the database and bring its schema up to date."""
        engine = open_engine(url)
        await migrate(engine)
        return cls(engine, Courses(engine), Material(engine), Drafts(engine), Jobs(engine))

    async def aclose(self) -> None:
        await self.engine.dispose()
