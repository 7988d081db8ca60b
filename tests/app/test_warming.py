"""A process that others can stand in for takes its first question when it is warm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from app.warming import Warming
from app.wiring import Services, build_services
from core.store.store import Store
from core.store.tables import ProcessRow, table_of
from retrievers.embedding.encoder import Encoder
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder

SOON = 0.05


class SlowEncoder:
    """An embedding that is loaded when the test says so."""

    def __init__(self) -> None:
        self.is_loaded = asyncio.Event()

    async def warm_up(self) -> None:
        await self.is_loaded.wait()


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    built = await build_services(settings_in(tmp_path), embedder=FakeEmbedder())
    yield built
    await built.aclose()


def warming(services: Services, encoder: SlowEncoder) -> Warming:
    begun = Warming(services.store, [cast(Encoder, encoder)], services.indexes)
    begun.start(services.assistant)
    return begun


async def test_beside_another_process_connections_are_taken_when_everything_is_loaded(services: Services) -> None:
    other = await Store.of(services.settings)
    await other.processes.beat()
    await services.store.processes.beat()
    encoder = SlowEncoder()
    begun = warming(services, encoder)
    waiting = asyncio.create_task(begun.let_others_answer())
    await asyncio.sleep(SOON)
    assert (waiting.done(), begun.state) == (False, "loading")
    encoder.is_loaded.set()
    await waiting
    assert begun.state == "ok"
    await other.aclose()


async def test_a_process_of_this_machine_that_was_killed_is_not_waited_for(services: Services) -> None:
    killed = await Store.of(services.settings)
    await killed.processes.beat()
    rows = table_of(ProcessRow)
    async with killed.database.write() as connection:
        await connection.execute(rows.update().values(pid=2**22 + 1))
    await services.sweeper.serve()
    assert services.store.processes.living == 1
    await killed.aclose()


async def test_a_process_that_is_alone_takes_connections_at_once(services: Services) -> None:
    await services.store.processes.beat()
    begun = warming(services, SlowEncoder())
    await asyncio.wait_for(begun.let_others_answer(), 10)
    assert begun.state == "loading"
    await begun.aclose()


async def test_an_embedding_that_cannot_be_loaded_keeps_no_process_from_starting(services: Services) -> None:
    class Broken(SlowEncoder):
        async def warm_up(self) -> None:
            raise OSError("the weights are missing")

    services.store.processes.living = 2
    begun = warming(services, Broken())
    await begun.let_others_answer()
    assert begun.state not in {"ok", "loading"}
