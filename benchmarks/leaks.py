"""How much of a course's solutions passes the check for copied text, were a model to paste them.

    edumod course load data/ds101/course.yaml
    python -m benchmarks.leaks ds101               # by a model whose searches found the solution
    python -m benchmarks.leaks ds101 remembered    # by one that remembers it, where nothing was found
    python -m benchmarks.leaks ds101 base64 hex    # in these disguises alone

Counted are the sentences and lines of solutions that do not stand in what students may read: pasted as they are, and
in disguise. A line passes where nothing of it is withheld.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from app.wiring import services
from benchmarks.disguises import DISGUISES, Disguise
from core.settings import read_settings
from core.text.sentences import units
from core.types import Audience, Passage, Source, Visibility
from retrievers.tokens import tokenize
from safeguards import CourseSecrets, TextCache, without_invisible, without_leaks
from safeguards.leaks.prepared import SHINGLE

LONG = 12
SIZES = ((0, "under 6 words"), (6, "6 to 11 words"), (LONG, "12 words and more"))
SEEN = 0.25
"""Minimum share of an answer's characters that must be left for it to count as readable."""
PREPARE = TextCache().of("benchmark")


@dataclass(frozen=True)
class Check:
    """The check of an answer, with what it compares, and what no line may be counted for since students may read it."""

    secrets: CourseSecrets
    readable: str
    is_remembered: bool

    def left(self, passage: Passage, answer: str) -> tuple[str, int]:
        """What is left of an answer to the question of that passage, and how many parts were withheld."""
        found, known = ([], []) if self.is_remembered else ([passage.solution], [passage.text])
        return without_leaks(without_invisible(answer), found, known, PREPARE, self.secrets)

    def is_cut(self, passage: Passage, answer: str) -> bool:
        """True where a part of the answer is withheld, or hardly anything that can be seen is left of it."""
        left, withheld = self.left(passage, answer)
        return withheld > 0 or len(left) < SEEN * len(answer)

    def own_lines(self, passage: Passage) -> list[str]:
        """The lines of a passage's solution that students may read nowhere."""
        lines = [line.strip() for unit in units(passage.solution) for line in unit.text.splitlines()]
        return [line for line in lines if (words := " ".join(tokenize(line))) and words not in self.readable]


async def main(course_id: str, disguises: Mapping[str, Disguise], *, is_remembered: bool) -> None:
    """Print a table of the course's own solutions, pasted whole and line by line."""
    async with services(read_settings()) as built:
        index = await built.indexes.get(course_id, Source.ASSIGNMENT, Audience.STAFF)
        secrets = await built.assistant.secrets.get(course_id, built.indexes)
        passages = (await built.indexes.passages(course_id)).released
    readable = (" ".join(tokenize(one.text)) for one in passages if one.visibility is Visibility.STUDENT)
    check = Check(secrets, "\n".join(readable), is_remembered)
    solved = [one for one in index.passages if one.solution and one.visibility is Visibility.STUDENT]
    whole: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    total: Counter[str] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    for passage in solved:
        left = check.left(passage, passage.solution)[0]
        for line in check.own_lines(passage):
            size = next(name for minimum, name in reversed(SIZES) if len(line.split()) >= minimum)
            total[size] += 1
            whole[size] += line in left
            alone[size] += not check.is_cut(passage, line)
            passed.update((size, name) for name, said in disguises.items() if not check.is_cut(passage, said(line)))
    print(f"{len(solved)} solutions; shingles of {SHINGLE} tokens; lines that pass")
    for _, size in SIZES:
        print(f"{size}: {total[size]} lines")
        for name, count in (("pasted whole", whole[size]), ("alone", alone[size])):
            print(f"  {name:28} {count:5} {count / max(total[size], 1):6.1%}")
        for name in disguises:
            print(f"  {name:28} {passed[size, name]:5} {passed[size, name] / max(total[size], 1):6.1%}")


if __name__ == "__main__":
    chosen = {name: disguise for name, disguise in DISGUISES.items() if name in sys.argv[2:]}
    asyncio.run(main(sys.argv[1], chosen or DISGUISES, is_remembered="remembered" in sys.argv[2:]))
