"""How much of a course's solutions passes the check for copied text, were a model to paste them.

    edumod course load data/ds101/course.yaml
    python -m benchmarks.leaks ds101

Counted are the sentences and lines of solutions that do not stand in the question itself: pasted as they are, and
the long ones also in disguise. A line passes where nothing of it is withheld.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter

from app.wiring import services
from benchmarks.disguises import DISGUISES
from core.settings import read_settings
from core.text.sentences import units
from core.types import Passage, Source, Visibility
from pipelines.safeguards import TextCache, without_invisible, without_leaks
from pipelines.safeguards.prepared import SHINGLE
from retrievers.tokens import tokenize

LONG = 12
SIZES = ((0, "under 6 words"), (6, "6 to 11 words"), (LONG, "12 words and more"))
SEEN = 0.25
"""Minimum share of an answer's characters that must be left for it to count as readable."""
PREPARE = TextCache().of("benchmark")


async def main(course_id: str) -> None:
    """Print a table of the course's own solutions, pasted whole and line by line."""
    async with services(read_settings()) as built:
        index = await built.indexes.get(course_id, Source.ASSIGNMENT)
    solved = [one for one in index.passages if one.solution and one.visibility is Visibility.STUDENT]
    whole: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    total: Counter[str] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    for passage in solved:
        left = _left(passage, passage.solution)[0]
        for line in _own_lines(passage):
            size = next(name for minimum, name in reversed(SIZES) if len(line.split()) >= minimum)
            total[size] += 1
            whole[size] += line in left
            alone[size] += not _is_cut(passage, line)
            passed.update((size, name) for name, disguise in DISGUISES.items() if not _is_cut(passage, disguise(line)))
    print(f"{len(solved)} solutions; shingles of {SHINGLE} tokens; lines that pass")
    for _, size in SIZES:
        print(f"{size}: {total[size]} lines")
        for name, count in (("pasted whole", whole[size]), ("alone", alone[size])):
            print(f"  {name:28} {count:5} {count / max(total[size], 1):6.1%}")
        for name in DISGUISES:
            print(f"  {name:28} {passed[size, name]:5} {passed[size, name] / max(total[size], 1):6.1%}")


def _own_lines(passage: Passage) -> list[str]:
    asked = " ".join(tokenize(passage.text))
    lines = [line.strip() for unit in units(passage.solution) for line in unit.text.splitlines()]
    return [line for line in lines if tokenize(line) and " ".join(tokenize(line)) not in asked]


def _left(passage: Passage, answer: str) -> tuple[str, int]:
    return without_leaks(without_invisible(answer), [passage.solution], [passage.text], PREPARE)


def _is_cut(passage: Passage, answer: str) -> bool:
    """True where a part of the answer is withheld, or hardly anything that can be seen is left of it."""
    left, withheld = _left(passage, answer)
    return withheld > 0 or len(left) < SEEN * len(answer)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
