"""How much of a course's solutions the check for copied text withholds, were a model to paste them.

    edumod course load data/ds101/course.yaml
    python -m benchmarks.leaks ds101

Counted are the sentences and lines of solutions that do not stand in the question itself: pasted as they are, and
the long ones also in disguise.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from app.wiring import services
from core.settings import read_settings
from core.types import Passage, Source, Visibility
from pipelines.safeguards import without_leaks
from pipelines.safeguards.prepared import SHINGLE
from pipelines.sentences import units
from retrievers.tokens import tokenize

LONG = 12
SIZES = ((0, "under 6 words"), (6, "6 to 11 words"), (LONG, "12 words and more"))
LITTLE = frozenset({"the", "a", "an", "of", "is", "in", "to", "and"})
FILLER = ("well,", "and", "so", "on", "then.")


def _strewn(line: str, every: int, filler: Sequence[str]) -> str:
    words = line.split()
    return " ".join(w for n in range(0, len(words), every) for w in (*words[n : n + every], *filler))


DISGUISES: dict[str, Callable[[str], str]] = {
    "five words after every four": lambda line: _strewn(line, 4, FILLER),
    "a word after every second": lambda line: _strewn(line, 2, FILLER[:1]),
    "without little words": lambda line: " ".join(w for w in line.split() if w.lower() not in LITTLE),
    "in reverse order": lambda line: " ".join(reversed(line.split())),
    "spelt backwards": lambda line: " ".join(word[::-1] for word in line.split()),
    "shuffled": lambda line: " ".join(Random(0).sample(line.split(), len(line.split()))),
}


async def main(course_id: str) -> None:
    """Print a table of the course's own solutions, pasted whole and line by line."""
    async with services(read_settings()) as built:
        index = await built.indexes.get(course_id, Source.ASSIGNMENT)
    solved = [one for one in index.passages if one.solution and one.visibility is Visibility.STUDENT]
    whole: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    total: Counter[str] = Counter()
    disguised: Counter[str] = Counter()
    for passage in solved:
        left = _left(passage, passage.solution)
        for line in _own_lines(passage):
            size = next(name for least, name in reversed(SIZES) if len(line.split()) >= least)
            total[size] += 1
            whole[size] += line not in left
            alone[size] += not _left(passage, line)
            if len(line.split()) >= LONG:
                disguised.update(name for name, disguise in DISGUISES.items() if _is_cut(passage, disguise(line)))
    print(f"{len(solved)} solutions; shingles of {SHINGLE} tokens")
    for _, size in SIZES:
        print(f"{size:18} {total[size]:5} lines; withheld: pasted whole {whole[size]:5}, alone {alone[size]:5}")
    for name in DISGUISES:
        print(f"long ones, {name:28} {disguised[name]:5} withheld")


def _own_lines(passage: Passage) -> list[str]:
    asked = " ".join(tokenize(passage.text))
    lines = [line.strip() for unit in units(passage.solution) for line in unit.text.splitlines()]
    return [line for line in lines if tokenize(line) and " ".join(tokenize(line)) not in asked]


def _left(passage: Passage, answer: str) -> str:
    return without_leaks(answer, [passage.solution], [passage.text])[0]


def _is_cut(passage: Passage, answer: str) -> bool:
    return without_leaks(answer, [passage.solution], [passage.text])[1] > 0


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
