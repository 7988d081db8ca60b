"""Summaries of inner nodes, bottom-up, one concurrent round per level."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from core.errors import ModelError
from core.llm.base import LLM
from core.types import Usage
from ingestion.offline_rules import extract_summary
from ingestion.tasks import Summarize
from ingestion.tree import UnstoredNode

MAX_CHILD_CHARS = 1_500


@dataclass
class Summaries:
    """Summary and usage per inner node (by identity), and what went wrong on the way."""

    texts: dict[int, str] = field(default_factory=dict)
    usages: dict[int, Usage] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


async def summarize(root: UnstoredNode, llm: LLM) -> Summaries:
    """Summarise every inner node; failed or empty replies give the extractive summary and a warning."""
    done = Summaries()
    for level in reversed(_levels(root)):
        await asyncio.gather(*(_summarize(node, root, llm, done) for node in level))
    return done


def _levels(root: UnstoredNode) -> list[list[UnstoredNode]]:
    levels = [[root]] if root.children else []
    while levels and (below := [child for node in levels[-1] for child in node.children if child.children]):
        levels.append(below)
    return levels


async def _summarize(node: UnstoredNode, root: UnstoredNode, llm: LLM, done: Summaries) -> None:
    task = task_for(node, root, done.texts)
    try:
        reply = await llm.run(task)
        text, done.usages[id(node)] = reply.value.summary.strip(), reply.usage
        if not text:
            done.warnings.append(f"{node.title}: the summary came back empty; extracted instead.")
    except ModelError as error:
        text = ""
        done.warnings.append(f"{node.title}: summary extracted instead, because: {error}")
    done.texts[id(node)] = text or extract_summary(task).summary


def task_for(node: UnstoredNode, root: UnstoredNode, summaries: dict[int, str]) -> Summarize:
    """The request for one node: its children by summary, or by the beginning of their text."""
    texts = tuple(
        f"{child.title}\n{(summaries.get(id(child)) or child.text)[:MAX_CHILD_CHARS]}".strip()
        for child in node.children
    )
    return Summarize(document=root.title, heading_path=" > ".join(node.heading_path), texts=texts)
