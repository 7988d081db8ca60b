"""Between our passages and llama-index's nodes. A node carries its whole passage, so that foreign retrievers fit in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import SetupError
from core.types import Passage

if TYPE_CHECKING:
    from llama_index.core.schema import NodeWithScore, TextNode

SHOWN = {"title", "heading_path"}
"""Metadata that llama-index may put into a prompt. The rest, solutions above all, stays out."""


def to_node(passage: Passage) -> TextNode:
    """The passage as a node with the block's id."""
    from llama_index.core.schema import TextNode

    metadata = passage.model_dump(mode="json", exclude={"block_id", "text", "score"})
    hidden = [key for key in metadata if key not in SHOWN]
    return TextNode(
        id_=passage.block_id,
        text=passage.text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )


def with_path(node: TextNode, path: tuple[str, ...]) -> TextNode:
    """The node, with the way by which a search came to it. The given one stays as it is: searches share it."""
    return node.model_copy(update={"metadata": {**node.metadata, "path": list(path)}}) if path else node


def to_passage(found: NodeWithScore) -> Passage:
    """The passage of a node that any retriever found. Raises `SetupError` where the node was not made by `to_node`."""
    node = found.node
    try:
        return Passage.model_validate(
            {**node.metadata, "block_id": node.node_id, "text": node.get_content(), "score": found.score or 0.0}
        )
    except ValueError as error:
        raise SetupError(
            f"The retriever's node {node.node_id!r} is not a passage of this course: {error}. "
            "Give the retriever the nodes of the course's index."
        ) from error
