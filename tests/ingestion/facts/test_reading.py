"""What whole documents say, table by table and block by block."""

from __future__ import annotations

import pytest

from core.facts import Moment
from core.store.tables import DocumentRow, NodeRow
from core.types import Source
from ingestion.build import _prepare, _rows
from ingestion.document import LoadedDocument
from ingestion.facts.reading import read_facts, work_of_document
from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule
from ingestion.summaries import Summaries
from ingestion.tree import build_tree


def rows(name: str, text: str, source: Source) -> tuple[DocumentRow, list[NodeRow]]:
    document: LoadedDocument = _prepare(load(name, text.encode()), source)
    row = DocumentRow(
        id=name, course_id="c", source=source, name=name, title=document.title, sha256="", build="", state="indexed",
        visibility="student",
    )  # fmt: skip
    is_assignment = source is Source.ASSIGNMENT
    headers = detect_by_rule(document, questions=is_assignment)
    return row, _rows(row, build_tree(document, headers, solutions=is_assignment), Summaries({}, {}, ()))


def works(name: str, text: str, source: Source = Source.LOGISTICS) -> list[tuple[str, str]]:
    found = read_facts(*rows(name, text, source)).works
    return [
        (f"{row.kind} {row.number}".strip() or row.title, Moment.model_validate(row.due).text)
        for row in found
        if row.due
    ]


TABLES = {
    "plan.md": "# Plan\n\n| Date | Topic | Due |\n|---|---|---|\n| 2/3 | Felt | |\n| 2/10 | Silk | HW 1 |\n",
    "week.md": "# Plan\n\n| Week | Module | Due dates |\n|---|---|---|\n| Feb 3 | Felt | |\n| Feb 10 | Silk | HW 1 |\n",
    "sheets.md": "# Sheets\n\n| Assignment | Due | Points |\n|---|---|---|\n| Homework 1 | Feb 10 | 20 |\n",
    "plan.html": "<table><tr><th>Date</th><th>Topic</th><th>Due</th></tr>"
    "<tr><td>Feb 10</td><td>Silk</td><td>HW 1</td></tr></table>",
    "plan.csv": "group,date,title,deadline\nA,2026-02-10,Homework 1,11:59 PM\nA,2026-02-12,Silk,\n",
    "plan.yaml": "- date: 2026-02-10\n  topic: Silk\n  due: HW 1\n- date: 2026-02-12\n  topic: Felt\n",
    "short.md": "# Plan\n\n| Week | Date | Topic | Due | Notes |\n|---|---|---|---|---|\n| 1 | Feb 3 | Felt |\n"
    "| 2 | Feb 10 | Silk | HW 1 |\n",
    "rows.html": "<table><tr><th>Week</th><th>Date</th><th>Due</th></tr>"
    "<tr><td rowspan=2>1</td><td>Feb 9</td><td></td></tr><tr><td>Feb 10</td><td>HW 1</td></tr></table>",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_schedule_is_read_whatever_its_format_and_columns(name: str) -> None:
    assert [(work, due[-5:] if len(due) < 12 else due[5:10]) for work, due in works(name, TABLES[name])] == [
        ("homework 1", "02-10")
    ]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("# Homework 1\n\nDue\n\n-   Wednesday, September 4th\n", [("homework 1", "09-04")]),
        ("# Homework 1\n\n**Due:**\n\n* Sep 4, 23:59\n", [("homework 1", "09-04 23:59")]),
        ("# Homework 1\n\nDue:\n\n- Friday, Sep 6 (Tuesday labs)\n- Sunday, Sep 8 (Thursday labs)\n", []),
        ("# Homework 1\n\nDue:\n\n- Sep 6 (for all labs)\n", [("homework 1", "09-06")]),
        ("# Homework 1\n\nThe proposal is due\n\n- Sep 4\n", []),
        (
            "# Homework 1\n\nDue September 10.\n\nTurn in:\n\n- a plot of the storm of March 3\n",
            [("homework 1", "09-10")],
        ),
        (
            "# Homework 1\n\nDue September 10.\n\nSubmission:\n\n- Office hours before: Sep 8\n",
            [("homework 1", "09-10")],
        ),
        ("# Homework 1\n\nDue:\n\nTasks\n\n- The fire of September 4\n", []),
    ],
)
def test_a_line_says_what_the_days_in_the_list_below_it_are(text: str, due: list[tuple[str, str]]) -> None:
    assert works("hw1.md", text, Source.ASSIGNMENT) == due


def test_a_list_may_be_led_by_a_work_that_is_due() -> None:
    assert works("plan.md", "# Plan\n\nLab 6 is due\n\n- Nov 3 at 11pm\n") == [("lab 6", "11-03 23:00")]


def test_what_a_column_of_assignments_means_is_not_guessed() -> None:
    assert works("plan.md", "# Plan\n\n| Date | Topic | Assignments |\n|---|---|---|\n| Feb 10 | Silk | HW 1 |\n") == []


@pytest.mark.parametrize(
    ("name", "title", "work"),
    [
        ("c/hw4/ipynb/hw4.ipynb", "Looms", "Homework 4"),
        ("c/03-problem-set.Rmd", "", "Problem set 3"),
        ("assign2/README.md", "Assignment 2: Clock", "Assignment 2"),
        ("c/project/part2.md", "Project 1 Part 2", "Project 1 part 2"),
    ],
)
def test_a_files_own_name_says_whose_sheet_it_is(name: str, title: str, work: str) -> None:
    found = work_of_document(name, title)
    assert found is not None
    assert found.name == work


def test_front_matter_says_when_a_sheet_is_due() -> None:
    text = "---\ntitle: Homework 2\ndue_date: 2026-02-10 23:59\n---\n\n# Homework 2\n\nWeave.\n"
    assert works("hw2.md", text, Source.ASSIGNMENT) == [("homework 2", "2026-02-10 23:59")]


def test_a_sheet_with_several_dates_and_no_names_for_them_has_none() -> None:
    text = "# Homework 2\n\nDue: Feb 3\n\nDue: Feb 10\n\nWeave.\n"
    assert works("hw2.md", text, Source.ASSIGNMENT) == []


def test_what_a_solution_says_is_read_by_nobody() -> None:
    text = "# Homework 2\n\n## Question 1\n\nWhen?\n\n**Solution.** Homework 3 is due on Feb 3.\n"
    assert works("hw2.md", text, Source.ASSIGNMENT) == []


def test_office_hours_are_read_with_who_has_them() -> None:
    text = "# Staff\n\n* Ada Byron, instructor\n  Office hours: Tues 10:15-11:15, 421 Mudd\n"
    [person] = read_facts(*rows("staff.md", text, Source.LOGISTICS)).staff
    assert (person.name, person.hours) == ("Ada Byron", "Tues 10:15-11:15, 421 Mudd")


def test_every_quote_stands_in_its_block() -> None:
    for name, text in TABLES.items():
        row, nodes = rows(name, text, Source.LOGISTICS)
        texts = {node.id: node.text for node in nodes}
        assert all(work.quote in texts[work.node_id] for work in read_facts(row, nodes).works)


def test_an_exam_beside_a_day_is_read_below_unknown_headings() -> None:
    rows_of_table = ("| Exam 1 | 10 Feb 2025 | solution |", "| Final | 7 May 2025 | |", "| Hall | 8 May 2025 | |")
    others = (
        "| midterm.pdf | 1 Feb 2025 | |",
        "| Exam registration | 1 May 2025 | |",
        "| Lecture | 3 Feb | Exam 1 topics |",
    )
    text = "\n".join(("# Exams\n\n| | | Solution |\n|---|---|---|", *rows_of_table, *others))
    events = read_facts(*rows("exams.md", text, Source.LOGISTICS)).events
    assert [(event.title, Moment.model_validate(event.at).text) for event in events] == [
        ("Exam 1", "2025-02-10"),
        ("Final", "2025-05-07"),
    ]
