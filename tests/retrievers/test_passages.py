from __future__ import annotations

import pytest
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from core.errors import SetupError
from core.types import Box, Passage, Position, Source, Visibility
from retrievers.passages import to_node, to_passage

PASSAGE = Passage(
    block_id="b1",
    document_id="d1",
    document="hw/hw1.pdf",
    title="Homework 1",
    source=Source.ASSIGNMENT,
    visibility=Visibility.STAFF,
    heading_path=("Problem 1", "(a)"),
    text="Compute the mean.",
    solution="It is 42.",
    position=Position(start=3, end=20, first_page=2, boxes=(Box(page=2, x0=1, y0=2, x1=3, y1=4),), cells=("c1",)),
    score=0.0,
)


def test_a_passage_survives_being_a_node() -> None:
    found = NodeWithScore(node=to_node(PASSAGE), score=0.5)
    assert to_passage(found) == PASSAGE.model_copy(update={"score": 0.5})
    stored = TextNode.from_json(to_node(PASSAGE).to_json())
    assert to_passage(NodeWithScore(node=stored, score=0.5)) == to_passage(found)


@pytest.mark.parametrize("mode", [MetadataMode.LLM, MetadataMode.EMBED])
def test_a_prompt_made_of_a_node_has_its_headings_but_not_its_solution(mode: MetadataMode) -> None:
    shown = to_node(PASSAGE).get_content(metadata_mode=mode)
    assert "Problem 1" in shown
    assert "42" not in shown


def test_a_node_from_elsewhere_is_refused_with_advice() -> None:
    with pytest.raises(SetupError, match="'x' is not a passage"):
        to_passage(NodeWithScore(node=TextNode(id_="x", text="?"), score=1.0))
