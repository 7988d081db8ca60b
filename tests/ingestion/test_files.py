"""Which files a run is about."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.course import Course
from core.errors import InvalidInput
from core.types import Source, Visibility
from ingestion.audience.decision import audience_of
from ingestion.files import discover, without_excluded
from ingestion.naming.names import pair_of


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_has_one_name_however_it_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "book" / "01.md")
    monkeypatch.chdir(tmp_path / "book")
    paths = [tmp_path / "book", file, Path("."), Path("../book/01.md"), tmp_path / "book" / ".." / "book"]
    assert {f.name for path in paths for f in discover([path]).files} == {"book/01.md"}


def test_hidden_and_unknown_files_are_left_out_and_the_latter_named(tmp_path: Path) -> None:
    for name in ("a.md", ".git/b.md", "img.png", "__pycache__/c.md"):
        write(tmp_path / "m" / name)
    found = discover([tmp_path / "m"])
    assert [file.name for file in found.files] == ["m/a.md"]
    assert [(skipped.name, ".png" in skipped.reason) for skipped in found.skipped] == [("m/img.png", True)]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "link.md").symlink_to(secret)
    found = discover([tmp_path / "m"])
    assert (found.files, found.skipped[0].name) == ((), "m/link.md")


def test_a_name_that_is_not_utf8_is_written_with_escapes(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/caf\xe9.md", "wb") as file:
        file.write(b"text")
    assert [file.name for file in discover([folder]).files] == ["m/caf\\xe9.md"]


def test_bad_paths_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nope"):
        discover([tmp_path / "nope"])
    with pytest.raises(InvalidInput, match=r"\.md"):
        discover([write(tmp_path / "pic.png")])
    write(tmp_path / "a" / "m" / "x.md")
    write(tmp_path / "b" / "m" / "x.md")
    with pytest.raises(InvalidInput, match="Rename"):
        discover([tmp_path / "a" / "m", tmp_path / "b" / "m"])


@pytest.mark.parametrize(
    ("name", "pair", "is_solution"),
    [
        ("a/hw3.pdf", "a/hw3", False), ("a/hw3_sol.pdf", "a/hw3", True), ("a/disc05sol.pdf", "a/disc05", True),
        ("a/Lab-2-Solutions.ipynb", "a/lab-2", True), ("a/hw1_key.md", "a/hw1", True),
        ("a/console.md", "a/console", False),
        ("a/resolution.md", "a/resolution", False), ("a/keynote.pdf", "a/keynote", False),
        ("a/keys_of_piano.md", "a/keys_of_piano", False), ("hw1/solutions.md", "hw1/hw1", True),
        ("a/hw1/key.pdf", "a/hw1/hw1", True), ("a/solutions/hw1.md", "a/hw1", True), ("a/hw1_sols.pdf", "a/hw1", True),
        ("a/sol_hw1.pdf", "a/hw1", True), ("a/hw1_sol_v2.pdf", "a/hw1", True), ("a/hw1(solution).pdf", "a/hw1", True),
        ("a/hw1_solution_final.pdf", "a/hw1", True), ("a/hw1_answer_key.pdf", "a/hw1", True),
        ("a/hw1_lösung.pdf", "a/hw1", True), ("a/hw1_lo\u0308sung.pdf", "a/hw1", True),
        ("a/td3_correction.pdf", "a/td3", True), ("a/td3-corrige.pdf", "a/td3", True),
        ("a/tarea1_solución.pdf", "a/tarea1", True), ("a/ps1_marking-scheme.pdf", "a/ps1", True),
        ("a/blatt2_musterloesung.pdf", "a/blatt2", True), ("a/grading_corrections.md", "a/grading_corrections", False),
        ("c/problem-sets/PS1/ps1.pdf", "c/problem-sets/ps1/ps1", False),
        ("c/problem-sets-solutions/PS1/ps1sol.pdf", "c/problem-sets/ps1/ps1", True),
        ("hw_answers/hw1.pdf", "hw/hw1", True), ("solutions_to_hw/hw1.pdf", "hw/hw1", True),
        ("labSolutions/lab1.ipynb", "lab/lab1", True), ("problem sets solutions/1.pdf", "problem sets/1", True),
        ("a/disc11_solutions_with_q4.ipynb", "a/disc11", True), ("a/hw1_solutions_part2.pdf", "a/hw1", True),
        ("a/midterm_sol_fa19.pdf", "a/midterm", True), ("a/hw2_solutions-annotated.pdf", "a/hw2", True),
        ("a/numerical_solutions_of_odes.pdf", "a/numerical_solutions_of_odes", False),
        ("a/hw3_solution_template.ipynb", "a/hw3_solution_template", False),
        ("a/hw1_key_terms.md", "a/hw1_key_terms", False),
        ("numerical-solutions/hw1.md", "numerical-solutions/hw1", False),
        ("key_concepts/hw1.md", "key_concepts/hw1", False), ("resolutions/hw1.md", "resolutions/hw1", False),
    ],
)  # fmt: skip
def test_solutions_are_told_by_their_name(name: str, pair: str, is_solution: bool) -> None:
    assert pair_of(name) == (pair, is_solution)


def test_solutions_are_for_staff_unless_the_course_says_otherwise() -> None:
    plain = Course(id="c")
    assert audience_of("a/hw3_sol.pdf", Source.ASSIGNMENT, plain).visibility is Visibility.STAFF
    assert audience_of("a/hw3.pdf", Source.ASSIGNMENT, plain).visibility is Visibility.STUDENT
    assert audience_of("a/key.md", Source.TEXTBOOK, plain).visibility is Visibility.STUDENT
    hidden = Course.model_validate({"id": "c", "documents": [{"match": "a/*/key*", "visibility": "staff"}]})
    by_another_way = Path("/courses/c/a/hw3/key2.md")
    assert audience_of("hw3/key2.md", Source.ASSIGNMENT, hidden, by_another_way).visibility is Visibility.STAFF
    open_course = Course.model_validate({"id": "c", "documents": [{"match": "a/*_sol.*", "visibility": "student"}]})
    assert audience_of("a/hw3_sol.pdf", Source.ASSIGNMENT, open_course).visibility is Visibility.STUDENT


def test_excluded_files_are_left_out_and_named_with_the_reason(tmp_path: Path) -> None:
    for name in ("a.md", "drafts/b.md", "old/c.md", "old/d.md"):
        write(tmp_path / "m" / name)
    rules = [{"match": "m/old/*", "exclude": True}, {"match": "old/d.md", "exclude": False}]
    course = Course.model_validate({"id": "c", "documents": rules})
    found = without_excluded(discover([tmp_path / "m"]), ["drafts/*"], course, Source.TEXTBOOK)
    assert [file.name for file in found.files] == ["m/a.md", "m/old/d.md"]
    assert {skipped.name: skipped.reason for skipped in found.skipped} == {
        "m/drafts/b.md": "excluded by --exclude drafts/*",
        "m/old/c.md": "excluded by the course file's rule for m/old/*",
    }
