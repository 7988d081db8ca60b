"""Material pages: the quotation in its place, and nothing for staff to students."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx

from core.access import Permission
from core.types import Source
from ingestion.files import discover
from tests.app.live import settings_in
from tests.app.people.actors import headers, made_key

PAGE = {"Accept": "text/html"}


def document_named(client: httpx.Client, course: str, name: str, **more: Any) -> str:
    page = client.get(f"/courses/{course}", **more).text
    found: str = page.split(f">{name}</span>")[0].rsplit('href="', 1)[1].split('"')[0]
    return found


def test_students_see_neither_solutions_nor_documents_for_staff(reviewing: httpx.Client, review_home: Path) -> None:
    student = headers(made_key(review_home, Permission.ANSWER, name="a student"))
    staff = reviewing.get("/courses/small").text
    assert "hw3_sol.md" in staff
    assert "hw3_sol.md" not in reviewing.get("/courses/small", headers=student).text
    address = document_named(reviewing, "small", "assignments/hw3_sol.md")
    assert "one sixth" in reviewing.get(address).text
    assert reviewing.get(address, headers=student).status_code == 404
    assert reviewing.get("/courses/quick", headers=student).status_code == 403


def test_the_page_says_how_much_of_a_document_is_kept_for_staff(
    reviewing: httpx.Client, review_home: Path, material: Path
) -> None:
    mixed = material.parent / "mixed" / "assignments"
    mixed.mkdir(parents=True)
    task = "Compute the mean of the column `price` and explain what it says about the flats in the data."
    (mixed / "lab1.md").write_text(f"# Lab 1\n\n## Problem 1\n\n{task}\n\n**Solution:** It is 12.\n", encoding="utf-8")
    asyncio.run(ingest_again(review_home, mixed, Source.ASSIGNMENT))
    row = reviewing.get("/courses/small").text.split("lab1.md</span>")[1].split("</li>")[0]
    assert "% for staff" in row
    student = headers(made_key(review_home, Permission.ANSWER, name="a student of the lab"))
    assert "% for staff" not in reviewing.get("/courses/small", headers=student).text


def test_the_address_of_a_block_does_not_tell_a_student_which_documents_exist(
    reviewing: httpx.Client, review_home: Path
) -> None:
    student = headers(made_key(review_home, Permission.ANSWER, name="a guessing student"))
    address = document_named(reviewing, "small", "assignments/hw3_sol.md")
    block = reviewing.get(address).text.split("?block=")[1].split("#")[0]
    staff = reviewing.get(f"/courses/small/blocks/{block}")
    hidden = reviewing.get(f"/courses/small/blocks/{block}", headers=student)
    missing = reviewing.get(f"/courses/small/blocks/{'0' * len(block)}", headers=student)
    assert (staff.status_code, hidden.status_code, missing.status_code) == (302, 404, 404)
    assert hidden.json()["detail"] == missing.json()["detail"]


def test_a_correction_hides_a_block_at_once_and_after_the_next_ingestion(
    reviewing: httpx.Client, review_home: Path, material: Path
) -> None:
    student = headers(made_key(review_home, Permission.ANSWER, name="another student"))
    address = document_named(reviewing, "small", "logistics/syllabus.md")
    page = reviewing.get(address).text
    block = page.split("Exams")[1].split("?block=")[1].split("#")[0]
    assert "Hollis Hall" in reviewing.get(address, headers=student).text
    corrected = reviewing.post(f"/courses/small/blocks/{block}", data={"visibility": "staff"})
    assert corrected.status_code == 303
    assert "Hollis Hall" not in reviewing.get(address, headers=student).text
    assert "Hollis Hall" in reviewing.get(address).text
    again = material.parent / "again"
    (again / "logistics").mkdir(parents=True)
    text = (material / "logistics" / "syllabus.md").read_text(encoding="utf-8")
    (again / "logistics" / "syllabus.md").write_text(f"{text}\nBring a pencil.\n", encoding="utf-8")
    asyncio.run(ingest_again(review_home, again / "logistics"))
    assert "pencil" in reviewing.get(address).text
    assert "Hollis Hall" not in reviewing.get(address, headers=student).text
    refused = reviewing.post(f"/courses/small/blocks/{block}", data={"visibility": "student"}, headers=student)
    assert refused.status_code == 403


async def ingest_again(home: Path, folder: Path, source: Source = Source.LOGISTICS) -> None:
    from app.wiring import build_services
    from core.course import Course
    from tests.fakes import FakeEmbedder

    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    course = Course.model_validate((await services.store.courses.get("small")).config)
    async with services.ingestion() as ingestion:
        await ingestion.run(course, source, discover([folder]))
    await services.aclose()


def test_the_list_of_courses_and_the_test_search_are_pages(reviewing: httpx.Client) -> None:
    assert "/courses/small" in reviewing.get("/courses", headers=PAGE).text
    found = reviewing.get("/courses/small", params={"q": "slip days", "as": "student"}).text
    assert "places, best first" in found
