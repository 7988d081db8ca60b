"""What kind of material a file is, by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.types import Source
from ingestion.files import discover
from ingestion.kinds import divide, source_by_name, source_in_folder


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("homework/week3.pdf", Source.ASSIGNMENT),
        ("hw03.ipynb", Source.ASSIGNMENT),
        ("Problem Sets/2.tex", Source.ASSIGNMENT),
        ("practice/1.2-practice.Rmd", Source.ASSIGNMENT),
        ("notebooks/Answers/notebook10_answers.ipynb", Source.ASSIGNMENT),
        ("syllabus.pdf", Source.LOGISTICS),
        ("about/schedule.csv", Source.LOGISTICS),
        ("lectures/exam-review.pdf", Source.TEXTBOOK),
        ("11-logistic-regression.pdf", Source.TEXTBOOK),
        ("ch2.md", Source.TEXTBOOK),
        ("forum/threads.jsonl", Source.QA),
    ],
)
def test_the_first_folder_that_says_it_decides_then_the_name(name: str, source: Source) -> None:
    assert source_by_name(name) is source


def test_the_folder_that_was_handed_over_counts_last() -> None:
    assert source_in_folder("homework-and-notes/slides/week1.pdf") is Source.TEXTBOOK
    assert source_in_folder("homework/week1.pdf") is Source.ASSIGNMENT
    assert source_in_folder("week1.pdf") is Source.TEXTBOOK


def test_a_file_stays_what_the_course_has_it_as(tmp_path: Path) -> None:
    for name in ("hw1.md", "notes.md", "broken.exe"):
        (tmp_path / name).write_text("# Text")
    folder = tmp_path.name
    parts = divide(discover([tmp_path]), {f"{folder}/hw1.md": Source.LOGISTICS})
    assert [(source, [file.name for file in part.files]) for source, part in parts] == [
        (Source.LOGISTICS, [f"{folder}/hw1.md"]),
        (Source.TEXTBOOK, [f"{folder}/notes.md"]),
    ]
    assert [len(part.skipped) for _, part in parts] == [1, 0]
