"""PgBouncer in transaction mode between the store and PostgreSQL, where it is installed."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store.store import Store
from tests.app.jobs.workplace import Recorder, process, recorder, working
from tests.core.store.engine.test_postgresql import answered
from tests.core.store.test_nearest import MODEL, TEXTS
from tests.fakes import FakeEmbedder
from tests.retrievers.shelf import Shelf
from tests.servers.postgresql import database_name

__all__ = ["recorder"]

POOL = 2
"""Connections to the server for all clients together."""


@pytest.fixture
def pooled_url(postgresql_url: str) -> Iterator[str]:
    """The same database through a pooler with `POOL` connections."""
    if (program := shutil.which("pgbouncer")) is None:
        pytest.skip("pgbouncer is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    host = postgresql_url.partition("host=")[2]
    config = Path(host) / "pgbouncer.ini"
    config.write_text(
        f"[databases]\n* = host={host} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        f"auth_type = any\npool_mode = transaction\ndefault_pool_size = {POOL}\nmax_client_conn = 200\n"
        "ignore_startup_parameters = extra_float_digits\nunix_socket_dir =\n"
    )
    # As the server's user, who may open its socket.
    user = pwd.getpwuid(os.stat(host).st_uid).pw_name if os.getuid() == 0 else None
    running = subprocess.Popen([program, "--quiet", str(config)], user=user)
    try:
        _await(port)
        yield f"postgresql://postgres@127.0.0.1:{port}/{database_name(postgresql_url)}"
    finally:
        running.terminate()
        running.wait()


def _await(port: int) -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError


async def test_many_stores_share_two_connections(pooled_url: str, postgresql_url: str) -> None:
    stores = [await Store.open(pooled_url, direct_url=postgresql_url) for _ in range(6)]
    await stores[0].courses.put("ds101", {"id": "ds101"})

    async def use(number: int, store: Store) -> None:
        for step in range(10):
            draft, trace = answered(f"d-{number}-{step}")
            await store.drafts.begin(draft)
            await store.drafts.end(draft, trace)
            assert (await store.drafts.get(draft.id)).response == {"a": 1}

    await asyncio.gather(*(use(number, store) for number, store in enumerate(stores)))
    for store in stores:
        await store.aclose()


async def test_messages_go_past_the_pooler(pooled_url: str, postgresql_url: str) -> None:
    ours, other = [await Store.open(pooled_url, direct_url=postgresql_url) for _ in range(2)]
    await ours.courses.put("ds101", {"id": "ds101"})
    ours.database.follow()
    await asyncio.sleep(0.3)
    before = ours.database.revised
    await other.courses.put("ds101", {"id": "ds101", "title": "New"})
    async with asyncio.timeout(1):
        while ours.database.revised == before:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    for store in (ours, other):
        await store.aclose()


async def test_vectors_and_jobs_go_past_the_pooler(pooled_url: str, postgresql_url: str, recorder: Recorder) -> None:
    store = await Store.open(pooled_url, direct_url=postgresql_url)
    assert await store.nearest.prepare() is None
    await Shelf(store, FakeEmbedder()).add("ds", "book", TEXTS[:20])
    assert len((await store.nearest.rows("ds", MODEL, None)).block_ids) == 20
    vector = FakeEmbedder().embed([TEXTS[0]])[0]
    assert (await asyncio.to_thread(store.nearest.nearest, "ds", MODEL, None, vector, 1))[0][1] > 0.9
    await store.aclose()
    async with process(pooled_url, direct_url=postgresql_url) as here:
        await here.jobs.add("note", {"name": "a"}, "a")
        async with working(here):
            await recorder.until(1)
