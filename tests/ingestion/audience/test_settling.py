"""A file that holds the questions of another with answers behind them is for staff, whatever its name."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from sqlalchemy import select

from core.course import Course, DocumentRule
from core.types import Source, Visibility
from ingestion.files import discover
from ingestion.run_report import FileOutcome, IngestionReport
from tests.ingestion.audience.sheets import ANSWERED, QUESTIONS, SHEET, WORKED
from tests.ingestion.test_ingest import COURSE, ingestion, tables
from tests.servers.homes import rows


async def ingest(home: Path, *paths: Path, course: Course = COURSE, prune: bool = False) -> IngestionReport:
    async with ingestion(home) as service:
        return await service.run(course, Source.ASSIGNMENT, discover(list(paths)), prune=prune)


def stored(home: Path) -> dict[str, tuple[str, str, bool]]:
    """For each document who may read it, its pair, and whether it is a solution."""
    document = tables["document"].c
    query = select(document.name, document.visibility, document.pair, document.is_solution)
    return {
        name.rpartition("/")[2]: (visibility, pair, bool(solution))
        for name, visibility, pair, solution in rows(home, query)
    }


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("first", ["planets.md", "hw3.md"])
async def test_a_solution_is_told_by_its_content_whichever_file_comes_first(tmp_path: Path, first: str) -> None:
    files = {"hw3.md": SHEET, "planets.md": WORKED}
    for name in sorted(files, key=lambda name: name != first):
        await ingest(tmp_path, write(tmp_path / "hw", name, files[name]))
    assert stored(tmp_path) == {"hw3.md": ("student", "hw/hw3", False), "planets.md": ("staff", "hw/hw3", True)}


async def test_the_report_says_for_whom_each_file_is_and_asks_where_that_is_in_doubt(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "planets.md", WORKED)
    report = await ingest(tmp_path, tmp_path / "hw")
    said = {file.name: file for file in report.files}
    assert said["hw/hw3.md"].audience == "for students"
    assert said["hw/planets.md"].visibility is Visibility.STAFF
    assert "repeats most questions of hw/hw3.md" in said["hw/planets.md"].audience
    assert "{match: 'hw/planets.md', visibility: student}" in said["hw/planets.md"].audience
    assert said["hw/planets.md"].paired_with == ("hw/hw3.md",)


async def test_answers_without_their_questions_are_for_staff_until_the_instructor_decides(tmp_path: Path) -> None:
    write(tmp_path / "hw", "planets.md", ANSWERED)
    await ingest(tmp_path, tmp_path / "hw")
    write(tmp_path / "hw", "hw3.md", SHEET)
    report = await ingest(tmp_path, tmp_path / "hw")
    assert {name: document[0] for name, document in stored(tmp_path).items()} == {
        "hw3.md": "student",
        "planets.md": "staff",
    }
    said = next(file.audience for file in report.files if file.name == "hw/planets.md")
    assert "may be answers to hw/hw3.md" in said
    assert "{match: 'hw/planets.md', visibility: student}" in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hw/planets.md", ANSWERED + "\n\n## Question 4\n\nWhy would a longer year make every season longer too?"),
        ("rules/planets.md", ANSWERED),
        ("hw/planets.md", ANSWERED.replace("Question ", "Remarks on Part ").replace("##", "####")),
    ],
    ids=["it asks", "in another folder", "not numbered"],
)
async def test_other_texts_beside_a_sheet_stay_for_students(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / name.partition("/")[0], "planets.md", text)
    await ingest(tmp_path, tmp_path / "hw", tmp_path / name.partition("/")[0])
    assert stored(tmp_path)["planets.md"][0] == "student"


async def test_a_file_with_next_to_no_text_is_for_staff_until_the_instructor_decides(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    with pymupdf.open() as drawing:
        for words in ("Vendors", "A drawing by hand"):
            drawing.new_page().insert_text((72, 72), words)
        drawing.save(tmp_path / "hw" / "vendors.pdf")
    report = await ingest(tmp_path, tmp_path / "hw")
    assert stored(tmp_path)["vendors.pdf"][0] == "staff"
    said = next(file.audience for file in report.files if file.name == "hw/vendors.pdf")
    assert "next to no text" in said
    assert "{match: 'hw/vendors.pdf', visibility: student}" in said
    shown = COURSE.model_copy(
        update={"documents": (DocumentRule(match="*vendors.pdf", visibility=Visibility.STUDENT),)}
    )
    await ingest(tmp_path, tmp_path / "hw", course=shown)
    assert stored(tmp_path)["vendors.pdf"][0] == "student"


async def test_what_has_a_solution_is_no_solution(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "hw3_solution.md", WORKED)
    write(tmp_path / "hw", "planets.md", ANSWERED)
    await ingest(tmp_path, tmp_path / "hw")
    assert stored(tmp_path)["planets.md"][0] == "student"


async def test_an_unchanged_solution_is_not_read_anew_and_stays_for_staff(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "planets.md", WORKED)
    await ingest(tmp_path, tmp_path / "hw")
    report = await ingest(tmp_path, tmp_path / "hw")
    assert {file.outcome for file in report.files} == {FileOutcome.UNCHANGED}
    assert stored(tmp_path)["planets.md"][0] == "staff"
    assert next(file for file in report.files if file.name == "hw/planets.md").audience.startswith("for staff")


async def test_the_instructor_decides_and_the_decision_lasts(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "planets.md", WORKED)
    await ingest(tmp_path, tmp_path / "hw")
    shown = Course.model_validate({"id": "c", "documents": [{"match": "planets.md", "visibility": "student"}]})
    for _ in range(2):
        await ingest(tmp_path, tmp_path / "hw", course=shown)
        assert stored(tmp_path)["planets.md"][::2] == ("student", False)


async def test_without_the_sheet_it_is_an_ordinary_file_again(tmp_path: Path) -> None:
    sheet = write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "planets.md", WORKED)
    await ingest(tmp_path, tmp_path / "hw")
    sheet.unlink()
    await ingest(tmp_path, tmp_path / "hw", prune=True)
    assert stored(tmp_path) == {"planets.md": ("student", "hw/planets", False)}


async def test_a_second_copy_of_a_sheet_stays_for_students(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "third_homework.txt", SHEET.replace("#", "").replace("Homework 3", "Homework three, again"))
    await ingest(tmp_path, tmp_path / "hw")
    assert {visibility for visibility, _, _ in stored(tmp_path).values()} == {"student"}


async def test_a_collection_of_all_sheets_stays_for_students(tmp_path: Path) -> None:
    other = SHEET.replace("sun", "moon").replace("Homework 3", "Homework 4").replace("planet", "comet")
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "all.md", f"{SHEET}\n\n{other}\n\nMore is to come as soon as we have found time for it.")
    await ingest(tmp_path, tmp_path / "hw")
    assert {visibility for visibility, _, _ in stored(tmp_path).values()} == {"student"}


@pytest.mark.parametrize(
    ("sheet", "solution"),
    [
        ("hw3/ipynb/hw3.md", "Solutions/solutionhw3.md"),
        ("2022/final/ipynb/final.md", "Solutions/Final2022.md"),
        ("content/practice/1.2-practice.md", "static/practice/1.2-practice-answers.md"),
        ("hw4/README.md", "hw4/solution.md"),
    ],
)
async def test_a_solution_is_joined_to_the_sheet_whose_path_has_its_words(
    tmp_path: Path, sheet: str, solution: str
) -> None:
    other = "hw5/ipynb/hw5.md"
    for name, text in {sheet: SHEET, solution: ANSWERED, other: "# Homework 5\n\n## Question 1\n\nWhat is it?"}.items():
        (tmp_path / "hw" / name).parent.mkdir(parents=True, exist_ok=True)
        write((tmp_path / "hw" / name).parent, Path(name).name, text)
    report = await ingest(tmp_path, tmp_path / "hw")
    assert {file.name: file for file in report.files}[f"hw/{solution}"].paired_with == (f"hw/{sheet}",)


async def test_a_solution_with_a_name_of_its_own_is_joined_to_the_sheet_that_it_repeats(tmp_path: Path) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    write(tmp_path / "hw", "planets-solution.md", f"## Question 1\n\n{QUESTIONS[0]}\n\nJupiter.")
    report = await ingest(tmp_path, tmp_path / "hw")
    assert {file.name: file for file in report.files}["hw/planets-solution.md"].paired_with == ("hw/hw3.md",)


async def test_a_solution_of_no_sheet_is_joined_to_none(tmp_path: Path) -> None:
    write(tmp_path / "hw", "midterm1.md", SHEET)
    write(tmp_path / "hw", "midterm2-sol.md", "## Question 1\n\nForty-two.")
    report = await ingest(tmp_path, tmp_path / "hw")
    assert {file.name: file for file in report.files}["hw/midterm2-sol.md"].paired_with == ()


async def test_two_sheets_that_begin_alike_stay_for_students_beside_their_solutions(tmp_path: Path) -> None:
    """Sheets that send students to the same exercises, the later one with more text."""
    for name, text in {"sheet1.md": SHEET, "sheet2.md": WORKED, "solution1.md": "One.", "solution2.md": "Two."}.items():
        write(tmp_path / "hw", name, text)
    await ingest(tmp_path, tmp_path / "hw")
    assert {name: entry[0] for name, entry in stored(tmp_path).items()} == {
        "sheet1.md": "student", "sheet2.md": "student", "solution1.md": "staff", "solution2.md": "staff",
    }  # fmt: skip


def printed(address: str) -> bytes:
    """A print of a web page, three pages long, as browsers make them."""
    document = pymupdf.open()
    for number in range(1, 4):
        page = document.new_page()
        page.insert_text((60, 30), f"{address}")
        page.insert_text((60, 820), f"{number}/3")
        for line in range(12):
            page.insert_text((60, 120 + 40 * line), f"Line {line} of page {number} says what the shell prints for it.")
    return document.tobytes()


@pytest.mark.parametrize(
    ("address", "readers"),
    [("file:///home/x/shell_solution.html", "staff"), ("https://example.org/c/shell.html", "student")],
)
async def test_a_print_of_a_page_whose_address_names_a_solution_is_for_staff(
    tmp_path: Path, address: str, readers: str
) -> None:
    write(tmp_path / "hw", "hw3.md", SHEET)
    (tmp_path / "hw" / "shell.pdf").write_bytes(printed(address))
    report = await ingest(tmp_path, tmp_path / "hw")
    assert stored(tmp_path)["shell.pdf"][0] == readers
    said = next(file.audience for file in report.files if file.name == "hw/shell.pdf")
    assert ("a print of shell_solution.html" in said) == (readers == "staff")
    again = await ingest(tmp_path, tmp_path / "hw")
    assert {file.outcome for file in again.files} == {FileOutcome.UNCHANGED}
    assert stored(tmp_path)["shell.pdf"][0] == readers
