"""The sample course's labelled searches, checked against the course as it is ingested."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict

import pytest

from core.store.material import StoredBlock
from core.types import Source
from retrievers.tokens import tokenize
from tests.data.conftest import BlocksOf
from tests.data.material import DATA, at

LABELS = DATA / "ds101" / "labels" / "retrieval"
LEAST = {Source.TEXTBOOK: 45, Source.ASSIGNMENT: 35, Source.LOGISTICS: 20, Source.QA: 20}
RARE = 0.02
"""A word is rare if it is in at most this share of the blocks."""


@pytest.fixture(scope="module")
def blocks(blocks_of: BlocksOf) -> list[StoredBlock]:
    return blocks_of("ds101")


@pytest.fixture(scope="module")
def queries() -> list[dict[str, str]]:
    return [json.loads(line) for line in (LABELS / "queries.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (LABELS / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def locations(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    """The locations of each query."""
    found = defaultdict(list)
    for row in rows:
        found[row["query-id"]].append(row["corpus-id"])
    return dict(found)


def test_every_id_and_every_text_is_there_once(queries: list[dict[str, str]]) -> None:
    assert len({query["id"] for query in queries}) == len({query["text"] for query in queries}) == len(queries)


def test_every_kind_has_enough_queries(queries: list[dict[str, str]]) -> None:
    counts = Counter(Source(query["kind"]) for query in queries)
    assert all(counts[kind] >= least for kind, least in LEAST.items()), counts


def test_every_query_has_one_to_three_locations_and_every_location_a_query(
    queries: list[dict[str, str]], rows: list[dict[str, str]], locations: dict[str, list[str]]
) -> None:
    assert locations.keys() == {query["id"] for query in queries}
    assert all(len(set(found)) == len(found) <= 3 for found in locations.values())
    assert {row["score"] for row in rows} == {"1"}


def test_every_location_names_blocks_of_the_query_s_kind(
    queries: list[dict[str, str]], locations: dict[str, list[str]], blocks: list[StoredBlock]
) -> None:
    for query in queries:
        for location in locations[query["id"]]:
            kinds = {block.passage.source.value for block in at(location, blocks)}
            assert kinds == {query["kind"]}, f"{query['id']}: {location}"


def test_every_location_names_a_heading_and_not_a_whole_document(locations: dict[str, list[str]]) -> None:
    assert all(" > " in location for found in locations.values() for location in found)


def test_solutions_are_not_labelled(locations: dict[str, list[str]], blocks: list[StoredBlock]) -> None:
    named = [block for found in locations.values() for location in found for block in at(location, blocks)]
    assert not [block.passage.document for block in named if block.is_solution]


def test_headings_do_not_hold_the_separator(blocks: list[StoredBlock]) -> None:
    assert not [h for block in blocks for h in block.passage.heading_path if " > " in h or "\t" in h or h != h.strip()]


def test_half_of_the_queries_share_no_rare_word_with_their_location(
    queries: list[dict[str, str]], locations: dict[str, list[str]], blocks: list[StoredBlock]
) -> None:
    words = {block.passage.block_id: set(tokenize(block.passage.text)) for block in blocks}
    seen = Counter(word for found in words.values() for word in found)
    paraphrased = 0
    for query in queries:
        named = {b.passage.block_id for location in locations[query["id"]] for b in at(location, blocks)}
        shared = set(tokenize(query["text"])) & set().union(*(words[block_id] for block_id in named))
        paraphrased += all(seen[word] > RARE * len(blocks) for word in shared)
    assert paraphrased >= len(queries) / 2
