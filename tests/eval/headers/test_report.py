"""Measuring header detection, on data sets made on the spot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from eval.headers.documents import GoldHeader, LabelledDocument, read_header_dataset
from eval.headers.evaluation import headers_plan
from eval.headers.matching import count
from eval.headers.report import OPTIONAL, HeadersReport, headers_report
from ingestion.document import Line, LoadedDocument
from tests.eval.unstored import run

LAB = "Lab 3\n\nQuestion 1\nDo this.\n\nSet-up\n\nQuestion 2a\nDo that.\n"
LAB_HEADERS = [
    {"title": "Question 1", "is_question": True, "line": 2},
    {"title": "Set-up", "is_question": False, "line": 5},
    {"title": "Question 2a", "is_question": True, "line": 7},
]


def plain_dataset(folder: Path, *rows: dict[str, Any] | str, **texts: str) -> Path:
    (folder / "plain").mkdir()
    for name, text in texts.items():
        (folder / "plain" / f"{name}.txt").write_text(text)
    (folder / "gold.jsonl").write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return folder


def measured(folder: Path) -> HeadersReport:
    return headers_report(asyncio.run(run(headers_plan(read_header_dataset(folder)))))


def means(report: HeadersReport) -> tuple[float | None, ...]:
    assert report.precision
    assert report.recall
    assert report.f1
    return report.precision.mean, report.recall.mean, report.f1.mean


def test_question_headers_are_matched_by_line(tmp_path: Path) -> None:
    folder = plain_dataset(tmp_path, {"id": "lab3", "headers": LAB_HEADERS}, lab3=LAB)
    report = measured(folder)
    assert means(report) == (1, 1, 1)
    assert (report.n, report.twins, report.failures) == (1, (), ())


def test_a_missed_and_a_superfluous_header_lower_recall_and_precision(tmp_path: Path) -> None:
    shifted = [LAB_HEADERS[0], {**LAB_HEADERS[2], "line": 8}, {**LAB_HEADERS[2], "line": 3}]
    folder = plain_dataset(tmp_path, {"id": "lab3", "headers": shifted}, lab3=LAB)
    assert means(measured(folder)) == (0.5, pytest.approx(1 / 3, abs=1e-5), 0.4)


def test_intervals_come_from_resampled_documents_and_are_the_same_every_time(tmp_path: Path) -> None:
    wrong = [{**LAB_HEADERS[0], "line": 3}]
    folder = plain_dataset(
        tmp_path, {"id": "a", "headers": LAB_HEADERS}, {"id": "b", "headers": wrong},
        {"id": "c", "headers": LAB_HEADERS}, a=LAB, b=LAB, c=LAB,
    )  # fmt: skip
    first = measured(folder)
    assert first.f1
    assert first.f1.low is not None
    assert first.f1.high is not None
    assert first.f1.mean is not None
    assert 0 <= first.f1.low < first.f1.mean < first.f1.high <= 1
    assert measured(folder) == first


def test_documents_without_questions_have_no_figures_rather_than_zeros(tmp_path: Path) -> None:
    folder = plain_dataset(tmp_path, {"id": "notes", "headers": []}, notes="Only words.\n")
    assert means(measured(folder)) == (None, None, None)


def test_headers_without_a_line_are_matched_by_title_each_once(tmp_path: Path) -> None:
    (tmp_path / "hw1.md").write_text(
        "# HW 1\n\n## **Question 1**\n\nDo.\n\n## question  2\n\nDo.\n\n## Question 2\n\nDo.\n"
    )
    headers = [{"title": t, "is_question": True} for t in ("Question 1", "### Question 2", "Question 3")]
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": "hw1", "headers": headers}))
    assert means(measured(tmp_path)) == (pytest.approx(2 / 3, abs=1e-5),) * 3


def test_a_title_over_two_lines_is_matched_by_its_first(tmp_path: Path) -> None:
    lines = "Problem 1: The distribution of incomes\nin two cities\n\nDo.\n\nProblem 2. Explain it\n"
    (tmp_path / "hw1.txt").write_text(lines)
    headers = [{"title": "Problem 1: The distribution of incomes in two cities", "is_question": True},
               {"title": "Problem 2.", "is_question": True}]  # fmt: skip
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": "hw1.txt", "headers": headers}))
    assert means(measured(tmp_path)) == (1, 1, 1)


def test_a_document_that_cannot_be_loaded_is_listed_and_its_headers_count_as_missed(tmp_path: Path) -> None:
    folder = plain_dataset(
        tmp_path, {"id": "lab3", "headers": LAB_HEADERS}, {"id": "empty", "headers": LAB_HEADERS}, lab3=LAB, empty=" "
    )
    report = measured(folder)
    assert [failure.document for failure in report.failures] == ["empty.txt"]
    assert (means(report)[:2], report.n) == ((1, 0.5), 2)


def pdf(path: Path, *lines: str) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((72, 72 + 20 * number), line, fontsize=12)
    document.save(path)


@pytest.mark.parametrize("solution", ["w1_sol.pdf", "w1sol.pdf", "w1-solutions.pdf"])
def test_twins_are_compared_without_labels(tmp_path: Path, solution: str) -> None:
    questions = ("1. Which estimator is biased here?", "2. Name a better one, and say why.")
    pdf(tmp_path / "w1.pdf", *questions)
    pdf(tmp_path / solution, questions[0], "Solution: the first", questions[1], "Solution: the mean")
    report = measured(tmp_path)
    assert (report.n, report.f1) == (1, None)
    assert report.model_dump(mode="json")["twins"] == [
        {"blank": "w1.pdf", "solution": solution, "questions_blank": ["1", "2"], "questions_solution": ["1", "2"],
         "agree": True, "solution_blocks_joined": 1.0}
    ]  # fmt: skip
    assert {"twins"} == report.model_dump(mode="json").keys() & set(OPTIONAL)


def test_twins_with_other_questions_do_not_agree(tmp_path: Path) -> None:
    (tmp_path / "hw.txt").write_text("Question 1\n\nOne.\n\nQuestion 2\n\nTwo.\n")
    (tmp_path / "hw_sol.txt").write_text("Question 1\n\nOne.\n\nSolution: 1\n")
    (twin,) = measured(tmp_path).twins
    assert (twin.agree, twin.solution_blocks_joined) == (False, 0.5)


def test_a_twin_that_cannot_be_loaded_is_listed(tmp_path: Path) -> None:
    (tmp_path / "hw.txt").write_text("Question 1\n\nOne.\n")
    (tmp_path / "hw_sol.pdf").write_bytes(b"not a PDF")
    report = measured(tmp_path)
    assert (report.n, [failure.document for failure in report.failures]) == (0, ["hw_sol.pdf"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{broken", r"gold\.jsonl line 2: not a JSON object"),
        ("[]", r"gold\.jsonl line 2: "),
        ('{"id": "b"}', r"gold\.jsonl line 2: headers: Field required"),
        ('{"id": "b", "headers": [{"title": "Q", "is_question": true, "line": -1}]}', r"line 2: headers\.0\.line"),
        ('{"id": "lab4", "headers": []}', r"line 2: there is no document with the id 'lab4'"),
        ('{"id": "../gold", "headers": []}', r"line 2: there is no document"),
        ('{"id": "lab3", "headers": []}', r"line 2: the id 'lab3' is also on line 1"),
        ('{"id": "b", "headers": [{"title": "Q", "is_question": true, "line": 9}]}', r"line 2: 'b' has 2 lines"),
    ],
)
def test_a_broken_row_is_named_with_its_file_and_line(tmp_path: Path, row: str, message: str) -> None:
    folder = plain_dataset(tmp_path, {"id": "lab3", "headers": LAB_HEADERS}, row, lab3=LAB, b="one\ntwo\n")
    with pytest.raises(InvalidInput, match=message):
        read_header_dataset(folder)


def test_a_missing_folder_or_one_with_nothing_to_measure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="There is no folder"):
        read_header_dataset(tmp_path / "gone")
    (tmp_path / "alone.txt").write_text("Question 1")
    with pytest.raises(InvalidInput, match=r"neither gold\.jsonl nor"):
        read_header_dataset(tmp_path)
    (tmp_path / "gold.jsonl").write_text("")
    with pytest.raises(InvalidInput, match="is empty"):
        read_header_dataset(tmp_path)


@given(st.lists(st.tuples(st.text(max_size=12), st.booleans(), st.none() | st.integers(0, 9)), max_size=8))
def test_no_more_headers_are_right_than_found_or_labelled(rows: list[tuple[str, bool, int | None]]) -> None:
    lines = tuple(Line(f"Question {n}" if n % 2 else "Do it.") for n in range(10))
    gold = tuple(GoldHeader(title=f"Q{title}", is_question=is_q, line=line) for title, is_q, line in rows)
    counts = count(LabelledDocument("any", LoadedDocument("any", lines), gold))
    assert 0 <= counts.right <= min(counts.found, counts.labelled)
