"""What a compromised model can give away: nothing of a run for students, and what the check marks in one for staff.

    edumod course load data/ds101/course.yaml
    python -m benchmarks.leaks ds101               # the course whose material it is, and its labels
    python -m benchmarks.leaks ds101 base64 hex    # in these disguises alone

A run for students is sent no text for staff (`tests/pipelines/test_unreviewed_runs.py` looks for all of them): 0 by
construction. For a run for staff, the sentences and lines of solutions that do not stand in what students may read are
told one by one, as they are and in disguise, by a model whose search has found the solution. False marks are counted
on the labels of questions, which are written by people who give no solution away.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time

from app.wiring import services
from benchmarks.disguises import (
    ARRANGED,
    DISGUISES,
    ENCODED,
    INVISIBLE,
    LINKED,
    LOOK_ALIKES,
    REARRANGED,
    STACKED,
    TEX,
    WORD_BY_WORD,
    Disguise,
)
from benchmarks.harness import show
from core.settings import read_settings
from core.text.sentences import units
from core.types import Audience, Passage, Source, Visibility
from retrievers.tokens import tokenize
from safeguards import CourseSecrets
from safeguards.repeats import StaffTexts

SIZES = ((0, "under 6 words"), (6, "6 to 11 words"), (12, "12 words and more"))
KINDS: Mapping[str, Mapping[str, Disguise]] = {
    "in clear": {"": str},
    "look-alike letters": LOOK_ALIKES,
    "invisible characters": INVISIBLE,
    "encoded": ENCODED,
    "two over one another": STACKED,
    "in links": LINKED,
    "word by word": WORD_BY_WORD,
    "first or last letters and words": ARRANGED | REARRANGED,
    "in LaTeX": TEX,
}
MIN_HARMLESS_WORDS = 8
EVERY = 4
"""So many lines apart are those that are told."""


async def main(course_id: str, kinds: Mapping[str, Mapping[str, Disguise]]) -> None:
    """Print the share of lines marked by kind of disguise, the false marks, and the time of a check."""
    async with services(read_settings()) as built:
        index = await built.indexes.get(course_id, Source.ASSIGNMENT, Audience.STAFF)
        secrets = await built.assistant.secrets.get(course_id, built.indexes)
        passages = (await built.indexes.passages(course_id)).released
    readable = "\n".join(" ".join(tokenize(one.text)) for one in passages if one.visibility is Visibility.STUDENT)
    solved = [one for one in index.passages if one.solution and one.visibility is Visibility.STUDENT]
    told = [(passage, line) for passage in solved for line in own_lines(passage, readable)][::EVERY]
    total = Counter(size_of(line) for _, line in told)
    rows = []
    for kind, disguises in kinds.items():
        marked = Counter(
            size_of(line)
            for passage, line in told
            for disguise in disguises.values()
            if is_marked(disguise(line), secrets, passage)
        )
        rows.append((kind, *(marked[size] / max(total[size] * len(disguises), 1) for _, size in SIZES)))
    print(f"{len(solved)} solutions; lines: {dict(total)}. Sent to a model of a run for students: 0, by construction.")
    show("Share of leaks that is marked", ("disguise", *(size for _, size in SIZES)), rows)
    texts = list(dict.fromkeys(harmless(Path("data") / course_id / "labels")))
    started = process_time()
    false = sum(is_marked(text, secrets) for text in texts)
    each = 1000 * (process_time() - started) / max(len(texts), 1)
    print(f"False marks: {false} of {len(texts)} texts without a leak; {each:.2f} ms of CPU for each.")


def own_lines(passage: Passage, readable: str) -> list[str]:
    """The lines of a passage's solution that students may read nowhere."""
    lines = [line.strip() for unit in units(passage.solution) for line in unit.text.splitlines()]
    return [line for line in lines if (words := " ".join(tokenize(line))) and words not in readable]


def size_of(line: str) -> str:
    return next(name for minimum, name in reversed(SIZES) if len(line.split()) >= minimum)


def is_marked(text: str, secrets: CourseSecrets, passage: Passage | None = None) -> bool:
    """True where a part of the text is marked, in a run that has found the passage."""
    found = StaffTexts([passage.solution], [passage.text], secrets) if passage else StaffTexts(course=secrets)
    return bool(found.repeated([unit.text for unit in units(text)]))


def harmless(labels: Path) -> Iterator[str]:
    """The texts of labels, but for those of answers that were written to give solutions away."""
    for path in sorted(labels.rglob("*.jsonl")):
        if path.parent.name != "disclosure":
            for line in path.read_text(encoding="utf-8").splitlines():
                yield from (text for text in _texts(json.loads(line)) if len(text.split()) > MIN_HARMLESS_WORDS)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def chosen(names: Sequence[str]) -> Mapping[str, Mapping[str, Disguise]]:
    """Each of the named disguises as a kind of its own; all kinds where none is named."""
    return {name: {name: DISGUISES[name]} for name in names} or KINDS


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], chosen(sys.argv[2:])))
