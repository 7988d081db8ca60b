"""Properties of every forum under a storm of events and faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.forums.cases import CASES, Case
from tests.doubles.storm import Storm, open_store, rules_of

each_forum = pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)


async def play(case: Case, folder: Path, events: int, seed: int) -> Storm:
    store = await open_store(folder)
    try:
        double = case.double()
        storm = Storm(double, rules_of(double, case.kind, **case.rules), store, seed, case.secret)
        await storm.play(events)
        await storm.check()
    finally:
        await store.aclose()
    assert storm.sent
    assert storm.desk.asked
    assert storm.kills
    return storm


@each_forum
@pytest.mark.parametrize("seed", [1, 2])
async def test_a_short_storm_leaks_nothing_and_posts_once(case: Case, tmp_path: Path, seed: int) -> None:
    await play(case, tmp_path, 300, seed)


@pytest.mark.slow
@each_forum
async def test_a_long_storm_leaks_nothing_and_posts_once(case: Case, tmp_path: Path) -> None:
    await play(case, tmp_path, 3_000, 7)
