"""The work on one answer is bounded; what was not compared in full is not shown."""

from __future__ import annotations

import base64
from pathlib import Path
from random import Random

import pytest

from ingestion.loaders import load
from safeguards import TextCache, without_leaks

COURSE = Path(__file__).parents[3] / "data/ds101"
SOLUTIONS = [load(path.name, path.read_bytes()).text for path in sorted((COURSE / "assignments").rglob("*_sol.*"))]
CHAPTERS = [path.read_text() for path in sorted((COURSE / "textbook").glob("*.md"))]
PREPARE = TextCache().of("ds101")


def encoded_lines(words: list[str], size: int) -> str:
    """Each line so few words of solutions that it tells none of them, and much like many."""
    groups = (" ".join(words[start : start + size]) for start in range(0, len(words), size))
    return "\n\n".join(base64.b64encode(group.encode()).decode() for group in groups)


@pytest.fixture(scope="module")
def shuffled() -> list[str]:
    words = " ".join(SOLUTIONS).split()
    return Random(0).sample(words, len(words))


def test_an_answer_that_takes_too_much_work_is_withheld_as_a_whole(shuffled: list[str]) -> None:
    answer = f"Good start.\n\n{encoded_lines(shuffled, 9)}"[:20_000]
    assert without_leaks(answer, SOLUTIONS, CHAPTERS, PREPARE) == ("", answer.count("\n\n") + 1)


def test_a_long_answer_out_of_the_textbook_takes_less_work_than_it_may() -> None:
    answer = "\n\n".join(CHAPTERS)[:60_000].strip()
    assert without_leaks(answer, SOLUTIONS, CHAPTERS, PREPARE) == (answer, 0)


def test_a_few_words_of_solutions_in_any_order_take_little_work(shuffled: list[str]) -> None:
    answer = f"Good start.\n\n{encoded_lines(shuffled[:60], 9)}"
    assert without_leaks(answer, SOLUTIONS, CHAPTERS, PREPARE) == (answer, 0)


def test_many_encoded_texts_do_not_hide_another_one() -> None:
    words = ["apple", "river", "stone", "window", "garden", "yellow", "pencil", "morning", "winter", "summer"]
    decoys = (base64.b64encode(" ".join(Random(n).sample(words, 5)).encode()).decode()[:30] for n in range(200))
    paths = (f"Look at {'/'.join(one[n : n + 5] for n in range(0, 30, 5))} here." for one in decoys)
    encoded = SOLUTIONS[0][:500].encode().hex(" ")
    shown, _ = without_leaks("\n\n".join([*paths, encoded]), SOLUTIONS, CHAPTERS, PREPARE)
    assert encoded[:200] not in shown
