"""Properties of every forum under a storm of events and faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.forums.cases import CASES, Case
from tests.doubles.storm import Storm, open_store, rules_of
from tests.sweeps import choose

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


@pytest.mark.parametrize("case", choose({case.kind: case for case in CASES}, "ed", "email"))
async def test_a_short_storm_leaks_nothing_and_posts_once(case: Case, tmp_path: Path) -> None:
    await play(case, tmp_path, 250, 1)


@pytest.mark.slow
@each_forum
async def test_a_long_storm_leaks_nothing_and_posts_once(case: Case, tmp_path: Path) -> None:
    """Ten thousand events take minutes for each forum, and are for a run by hand."""
    await play(case, tmp_path, 600, 7)
