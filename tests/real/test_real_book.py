"""A real book through the product as its users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.wiring import Services, services
from eval.datasets.corpus import read_dataset
from tests.app.live import settings_in
from tests.real.conftest import edumod
from tests.real.killed import assert_same_content, kill_and_run_again

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


async def first_module(built: Services, retriever: str, question: str) -> str:
    """The book section of the first passage, by its file's name."""
    (found,) = await built.assistant.retrieve("psychology", None, retriever, question, 1)
    return Path(found.document).stem


@pytest.mark.parametrize(("retriever", "floor", "hard_floor"), [("hybrid", 0.88, 0.84), ("tree", 0.91, 0.88)])
async def test_the_right_section_of_a_real_book_comes_first(
    psychology: Path, shared_data: Path, retriever: str, floor: float, hard_floor: float
) -> None:
    dataset = read_dataset(shared_data / "openstax_psychology")
    async with services(settings_in(psychology)) as built:
        right = {query: await first_module(built, retriever, query.text) in query.relevant for query in dataset.queries}
    hard = [found for query, found in right.items() if query.kind == "critical"]
    assert (len(right), len(hard)) == (590, 171)
    assert sum(right.values()) / len(right) >= floor
    assert sum(hard) / len(hard) >= hard_floor


def test_the_search_command_finds_a_passage_of_the_book(psychology: Path) -> None:
    query = "How do Piaget's stages explain object permanence in infants?"
    process = edumod(psychology, "search", query, "--course", "psychology", "--json", "-k", "3")
    found = json.loads(process.communicate()[0])["passages"]
    assert "Piaget" in found[0]["text"]


def test_a_killed_command_run_again_ends_with_the_same_content(tmp_path: Path, psychology: Path) -> None:
    arguments = ("ingest", str(psychology.parent / "psychology"), "-c", "psychology", "-s", "textbook", "--json")
    assert_same_content(kill_and_run_again(tmp_path, arguments, 30, 104), psychology)
