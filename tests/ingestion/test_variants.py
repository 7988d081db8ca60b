"""One work in several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.material.documents import read_course
from core.course import Course
from core.store.store import Store
from core.store.tables import now
from core.types import Source
from ingestion.files import discover, without_excluded
from ingestion.run_report import IngestionReport
from tests.ingestion.test_ingest import COURSE, ingest
from tests.servers.homes import database_of

QUESTIONS = (
    "A pendulum of length two metres swings from a beam; describe the forces on its bob at the lowest point.",
    "Explain in your own words why the period does not depend on the mass, and name the step where the mass cancels.",
    "Measure the period with a stop watch ten times and report the mean together with its standard error in seconds.",
)
MARKDOWN = "# Lab 3\n\n" + "\n\n".join(f"{n}. {text} $T = 2\\pi$" for n, text in enumerate(QUESTIONS, 1)) + "\n"
HTML = "<h1>Lab 3</h1><ol>" + "".join(f"<li>{text} T = 2π</li>" for text in QUESTIONS) + "</ol>"
TEX = "\\begin{document}\\section{Lab 3}\\begin{enumerate}" + "".join(f"\\item {q}" for q in QUESTIONS)
OTHER = "# Lab 4\n\n" + "\n\n".join(f"{n}. {text.upper()[::-1]}" for n, text in enumerate(QUESTIONS, 1))


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "labs" / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "labs"


async def load(home: Path, folder: Path, **options: bool) -> dict[str, str]:
    report: IngestionReport = await ingest(home, folder, source=Source.ASSIGNMENT, **options)
    return {file.name.removeprefix("labs/"): file.variant_of.removeprefix("labs/") for file in report.files}


async def searched(home: Path) -> dict[str, tuple[str, ...]]:
    """Names of documents whose blocks are searched, with those of their variants."""
    store = await Store.open(database_of(home))
    try:
        blocks = await store.material.blocks("c", None, now())
        return {block.passage.document: block.passage.variants for block in blocks}
    finally:
        await store.aclose()


async def test_the_best_readable_format_is_searched_and_names_the_others(tmp_path: Path) -> None:
    folder = write(tmp_path, lab3_html=HTML, lab3_tex=TEX, lab3_md=MARKDOWN, lab4_md=OTHER)
    assert await load(tmp_path, folder) == {
        "lab3.html": "lab3.md", "lab3.tex": "lab3.md", "lab3.md": "", "lab4.md": "",
    }  # fmt: skip
    assert await searched(tmp_path) == {"labs/lab3.md": ("labs/lab3.html", "labs/lab3.tex"), "labs/lab4.md": ()}


async def test_without_the_main_file_another_format_stands_for_it(tmp_path: Path) -> None:
    folder = write(tmp_path, lab3_html=HTML, lab3_md=MARKDOWN)
    await load(tmp_path, folder)
    (folder / "lab3.md").unlink()
    await load(tmp_path, folder, prune=True)
    assert await searched(tmp_path) == {"labs/lab3.html": ()}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lab5_html", HTML),
        ("lab3_2023_html", HTML),
        ("lab3_html", HTML.replace("</ol>", "</ol><p>Due 4 May</p>")),
        ("lab3_html", HTML.replace(QUESTIONS[1], "Nothing here.")),
        ("lab3_html", "<p>Office hours are on Mondays from three to four in room two of the old library.</p>" + HTML),
    ],
    ids=["another number", "another year", "another date", "less text", "more to say"],
)
async def test_other_works_of_nearly_the_same_text_stay(tmp_path: Path, name: str, text: str) -> None:
    sheet = MARKDOWN.replace("# Lab 3", "# Lab 3\n\nDue 11 May") if "4 May" in text else MARKDOWN
    folder = write(tmp_path, **{"2024__lab3_md": sheet, name.replace("lab3_2023", "2023__lab3"): text})
    assert set((await load(tmp_path, folder)).values()) == {""}


async def test_a_file_that_keeps_answers_for_staff_stands_for_one_that_shows_them(tmp_path: Path) -> None:
    answer = "Gravity acts downwards, the tension of the string upwards, and their difference keeps it on its circle."
    kept = MARKDOWN.replace("\n\n2.", f"\n\n**Solution.** {answer}\n\n2.")
    folder = write(tmp_path, lab3_md=MARKDOWN.replace("\n\n2.", f" {answer}\n\n2."), lab3_qmd=kept)
    assert await load(tmp_path, folder) == {"lab3.md": "lab3.qmd", "lab3.qmd": ""}
    store = await Store.open(database_of(tmp_path))
    blocks = await store.material.blocks("c", None, now())
    await store.aclose()
    assert any(answer in block.passage.solution for block in blocks)
    assert not any(answer in block.passage.text for block in blocks)


async def test_a_solution_is_no_variant_of_its_sheet(tmp_path: Path) -> None:
    folder = write(tmp_path, lab3_md=MARKDOWN, lab3sol_html=HTML)
    assert set((await load(tmp_path, folder)).values()) == {""}


async def test_the_course_page_lists_a_work_once_with_its_other_formats(tmp_path: Path) -> None:
    await load(tmp_path, write(tmp_path, lab3_html=HTML, lab3_md=MARKDOWN))
    store = await Store.open(database_of(tmp_path))
    for is_staff in (True, False):
        material = await read_course(store, "c", is_staff=is_staff)
        (row,) = material.documents[Source.ASSIGNMENT]
        assert (row.name, material.variants) == ("labs/lab3.md", {row.id: ("labs/lab3.html",)})
    await store.aclose()


async def test_code_of_an_assignment_is_taken_in_only_where_it_is_given_to_students(tmp_path: Path) -> None:
    folder = write(tmp_path, starter__a_py="x = 1\n", b_py="x = 2\n", c_h="int f(void);\n")
    left_out = without_excluded(discover([folder]), (), COURSE, Source.ASSIGNMENT)
    assert [file.name for file in left_out.files] == ["labs/c.h", "labs/starter/a.py"]
    assert len(without_excluded(discover([folder]), (), COURSE, Source.TEXTBOOK).files) == 3
    rule = Course(id="c", documents=[{"match": "*.py", "visibility": "student"}])
    assert len(without_excluded(discover([folder]), (), rule, Source.ASSIGNMENT).files) == 3
