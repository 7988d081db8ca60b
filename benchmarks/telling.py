"""Drafts for staff that tell a solution in other words, and hints: how many of each are marked.

    edumod course load data/ds101/course.yaml
    python -m benchmarks.telling ds101

`telling.jsonl` has the drafts, each with words of the headings of its task. Known to students are the task's work and
the question, as in a run that has found the task alone.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.wiring import services
from benchmarks.harness import show
from core.settings import read_settings
from core.types import Audience, Passage, Question, Visibility
from safeguards.checks import Checks

DRAFTS = Path(__file__).with_suffix(".jsonl")


async def main(course_id: str) -> None:
    """Print the share of marked drafts, and which those are."""
    async with services(read_settings()) as built:
        passages = (await built.indexes.passages(course_id)).released
    drafts = [json.loads(line) for line in DRAFTS.read_text(encoding="utf-8").splitlines()]
    marked = [draft for draft in drafts if _is_marked(draft, passages)]
    total, found = (Counter(draft["tells"] for draft in some) for some in (drafts, marked))
    rows = [(name, total[tells], found[tells]) for name, tells in (("tell the solution", True), ("hints", False))]
    show("Drafts for staff", ("drafts that are", "all", "marked"), rows)
    print("Marked:", ", ".join(draft["id"] for draft in marked))


def _is_marked(draft: dict[str, Any], passages: Sequence[Passage]) -> bool:
    task = next(one for one in passages if one.solution and _is_at(one, draft["place"]))
    work = [
        one.model_copy(update={"solution": ""}) for one in passages if one.heading_path[:1] == task.heading_path[:1]
    ]
    readable = [one for one in work if one.visibility is Visibility.STUDENT]
    checks = Checks(Question(body=draft["question"]), [*readable, task], audience=Audience.STAFF)
    return checks.with_marks(draft["draft"])[1] > 0


def _is_at(passage: Passage, words: Sequence[str]) -> bool:
    path = passage.heading_path
    return len(path) > 1 and all(any(word in heading for heading in path) for word in words)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
