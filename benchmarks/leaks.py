"""How much of a course's solutions the check for copied text withholds, were a model to paste them.

    edumod course load data/ds101/course.yaml
    python -m benchmarks.leaks ds101

Counted are the sentences and lines of solutions that do not stand in the question itself.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter

from app.wiring import services
from core.settings import read_settings
from core.types import Passage, Source, Visibility
from pipelines.leaks import SHINGLE, without_leaks
from pipelines.sentences import units
from retrievers.tokens import tokenize

SIZES = ((0, "under 6 words"), (6, "6 to 11 words"), (12, "12 words and more"))


async def main(course_id: str) -> None:
    """Print a table of the course's own solutions, pasted whole and line by line."""
    async with services(read_settings()) as built:
        index = await built.indexes.get(course_id, Source.ASSIGNMENT)
    solved = [one for one in index.passages if one.solution and one.visibility is Visibility.STUDENT]
    whole: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for passage in solved:
        left = _left(passage, passage.solution)
        for line in _own_lines(passage):
            size = next(name for least, name in reversed(SIZES) if len(line.split()) >= least)
            total[size] += 1
            whole[size] += line not in left
            alone[size] += not _left(passage, line)
    print(f"{len(solved)} solutions; shingles of {SHINGLE} tokens")
    for _, size in SIZES:
        print(f"{size:18} {total[size]:5} lines; withheld: pasted whole {whole[size]:5}, alone {alone[size]:5}")


def _own_lines(passage: Passage) -> list[str]:
    asked = " ".join(tokenize(passage.text))
    lines = [line.strip() for unit in units(passage.solution) for line in unit.text.splitlines()]
    return [line for line in lines if tokenize(line) and " ".join(tokenize(line)) not in asked]


def _left(passage: Passage, answer: str) -> str:
    return without_leaks(answer, [passage.solution], [passage.text])[0]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
