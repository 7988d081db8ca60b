"""Passages that several files have."""

from __future__ import annotations

from core.types import Passage, Position, Source, Visibility
from retrievers.base import without_repeats

SHEET = "Dye the wool in three baths of madder and describe how the colour of every bath differs from the one before."


def passage(document: str, text: str) -> Passage:
    return Passage(
        block_id=f"{document}/{len(text)}",
        document_id=document,
        document=document,
        title=document,
        heading_path=(document,),
        source=Source.ASSIGNMENT,
        text=text,
        position=Position(start=0, end=0),
        score=0.0,
        visibility=Visibility.STUDENT,
    )


PASSAGES = (
    passage("sheet.ipynb", f"{SHEET}\n"),
    passage("sheet.pdf", SHEET.replace(" the ", "\nthe ")),
    passage("other.md", "Spin the yarn first, then measure how long it is and weigh it on the scales of the workshop."),
    passage("tiny.md", "See the plan."),
    passage("tiny.html", "See the plan."),
)
RANKING = [(n, 1.0 - n / 10) for n in range(len(PASSAGES))]


def test_the_same_sheet_in_another_format_is_found_once() -> None:
    assert [position for position, _ in without_repeats(RANKING, PASSAGES, 2)] == [0, 2]


def test_short_passages_are_alike_by_chance() -> None:
    assert [position for position, _ in without_repeats(RANKING, PASSAGES, 9)] == [0, 2, 3, 4]
