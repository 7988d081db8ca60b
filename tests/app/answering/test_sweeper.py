"""What a process does in the background for its drafts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from app.wiring import Services, build_services
from core.course import Course
from core.store.tables import DraftRow, DraftState
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder

pytestmark = pytest.mark.usefixtures("each_database")


@asynccontextmanager
async def process(home: Path) -> AsyncIterator[Services]:
    built = await build_services(settings_in(home), embedder=FakeEmbedder())
    await built.store.courses.put("c", Course(id="c").model_dump(mode="json"))
    yield built
    await built.aclose()


async def begin(services: Services) -> None:
    await services.store.drafts.begin(DraftRow(id="d1", course_id="c", state=DraftState.WORKING, request={}))


async def let_time_pass(services: Services) -> None:
    """As if no process had been seen for long."""
    async with services.store.database.write() as connection:
        await connection.execute(text("UPDATE process SET seen_at = '2026-01-01 00:00:00.000000'"))


async def state(services: Services) -> DraftState:
    return (await services.store.drafts.get("d1")).state


async def test_a_service_interrupts_the_drafts_of_a_dead_process_when_it_starts(tmp_path: Path) -> None:
    async with process(tmp_path) as died, process(tmp_path) as service:
        await begin(died)
        await let_time_pass(died)
        await service.sweeper.serve()
        assert await state(service) == DraftState.FAILED


async def test_a_service_leaves_the_drafts_of_a_living_process_alone(tmp_path: Path) -> None:
    async with process(tmp_path) as command, process(tmp_path) as service:
        await begin(command)
        await service.sweeper.serve()
        assert await state(service) == DraftState.WORKING


async def test_a_delayed_service_gives_others_time_to_record_that_they_are_alive(tmp_path: Path) -> None:
    async with process(tmp_path) as other, process(tmp_path) as service:
        await begin(other)
        await service.store.processes.beat()
        await let_time_pass(service)
        await service.sweeper.serve()
        assert await state(service) == DraftState.WORKING


async def test_a_command_leaves_the_drafts_of_others_alone_dead_or_not(tmp_path: Path) -> None:
    async with process(tmp_path) as died, process(tmp_path) as command:
        await begin(died)
        await let_time_pass(died)
        command.sweeper.accompany()
        assert await command.sweeper.outage() is None
        assert await state(command) == DraftState.WORKING
