"""What it costs to keep a course's staff texts out of an answer: prepared once, and looked up for every answer.

    python -m benchmarks.staff_texts
    python -m benchmarks.staff_texts 500 5000

The texts are synthetic: blocks of 150 words out of a vocabulary of 8,000, half of them for staff. The answer has 2,000
characters out of an open block and other words, so that nothing of it is withheld. Times are the CPU's, the shortest
of several; `ratio` is that of a check to one in the smallest course.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from time import process_time

from benchmarks.harness import show
from safeguards import CourseSecrets, without_leaks

COUNTS = (50, 500, 5000)
VOCABULARY = ["".join(Random(seed).choices("abcdefghijklmnopqrstuvwxyz", k=3 + seed % 8)) for seed in range(8000)]
ANSWER_CHARS = 2000
REPEATS = 20


def main() -> None:
    """Print a row for each number of staff texts."""
    rows: list[tuple[object, ...]] = []
    first = 0.0
    for count in map(int, sys.argv[1:] or COUNTS):
        staff, readable = blocks(0, count), blocks(count, count)
        started = process_time()
        secrets = CourseSecrets.of(staff, readable)
        prepared = process_time() - started
        answer = "\n\n".join([readable[0], *blocks(2 * count, 3)])[:ANSWER_CHARS]
        assert without_leaks(answer, [], [], secrets) == (answer, 0)
        took = shortest(lambda: without_leaks(answer, [], [], secrets))  # noqa: B023
        first = first or took
        rows.append((count, prepared, secrets.nbytes / 2**20, 1000 * took, took / first))
    show("Staff texts of one course", ("blocks", "prepared, s", "memory, MB", "check, ms", "ratio"), rows)


def blocks(first: int, count: int) -> list[str]:
    """Paragraphs of sentences of ten words."""
    return [_block(Random(seed)) for seed in range(first, first + count)]


def _block(random: Random) -> str:
    sentences = (" ".join(random.choices(VOCABULARY, k=10)).capitalize() for _ in range(15))
    return ". ".join(sentences) + "."


def shortest(work: Callable[[], object]) -> float:
    """Seconds of CPU that the work takes at least."""
    times = []
    for _ in range(REPEATS):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)


if __name__ == "__main__":
    main()
