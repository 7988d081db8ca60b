"""What a course's calendar was read as is corrected in the browser, and the correction lasts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest

from app.material.calendar_filling import calendar_rows
from app.material.calendar_rows import anchor_of
from core.access import ROLE_PERMISSIONS, Permission
from core.course import Course
from core.types import Role
from retrievers.calendar.model import Calendar
from tests.app.commands import edumod
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key
from tests.app.review.test_axe import axe, violations
from tests.servers.homes import use_database
from tests.servers.postgresql import DATABASES, new_database

PAGE = "/courses/small/calendar"
OLD, NEW = "19 February", "6 March"


@pytest.fixture(params=["sqlite"])
def own_home(request: pytest.FixtureRequest, tmp_path: Path, material: Path) -> Iterator[Path]:
    if request.param == "sqlite":
        ingest(tmp_path, material)
        yield tmp_path
        return
    with new_database(request, request.param, tmp_path) as url:
        use_database(tmp_path, url)
        ingest(tmp_path, material)
        yield tmp_path


def ingest(home: Path, material: Path) -> None:
    """In a thread of its own: where a browser runs, there is an event loop already."""
    courses = (Course(id="small", title="Small 2026"), Course(id="other"))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ingest_all(settings_in(home), material, *courses)).result()


@pytest.fixture
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        client.headers.update(headers(made_key(own_home, *ROLE_PERMISSIONS[Role.INSTRUCTOR], Permission.ANSWER)))
        yield client


def form_of(page: str, key: str) -> dict[str, str]:
    """What a browser would send of a row as it is; of the first one to add for an empty key."""
    start = page.index(f'id="{anchor_of(key)}"') if key else page.index('id="new-h"')
    form = page[page.index("<form", start) : page.index("</form>", page.index("<form", start))]
    fields = re.findall(r'name="([\w:-]+)" value="([^"]*)"', form)
    fields += [(name, value) for value, name in re.findall(r'<input value="([^"]*)"[^>]* name="(\w+)"', form)]
    selected = re.search(r'name="kind".*?<option value="(\w+)" selected', form, re.DOTALL)
    chosen = {"kind": selected[1]} if selected else {}
    return {name: unescape(value) for name, value in fields if name != "do"} | chosen


def send(server: httpx.Client, key: str, do: str = "save", **typed: str) -> httpx.Response:
    form = form_of(server.get(PAGE).text, key)
    return server.post(PAGE, data={**form, **typed, "do": do}, follow_redirects=True)


def ask(server: httpx.Client, body: str = "When is homework 3 due?") -> dict[str, Any]:
    request = {"course": "small", "question": {"body": body}}
    answer: dict[str, Any] = server.post("/answer?pipeline=fc", json=request).json()
    return answer


def sources(answer: dict[str, Any]) -> list[str]:
    return [citation["document"] for citation in answer["citations"]]


@pytest.mark.parametrize("own_home", DATABASES, indirect=True)
def test_a_corrected_date_is_what_answers_say_and_cite_until_it_is_taken_back(server: httpx.Client) -> None:
    assert OLD in ask(server)["answer"]
    page = send(server, "Homework 3", due="2026-03-06 23:59")
    assert (page.status_code, "Saved." in page.text, "set by staff" in page.text) == (200, True, True)
    answer = ask(server)
    assert NEW in answer["answer"]
    assert OLD not in answer["answer"]
    assert "February 19" not in answer["answer"]
    assert set(sources(answer)) == {"edumod/set dates"}
    assert all(citation["verified"] for citation in answer["citations"])
    assert "6 March" in server.get("/courses/small").text
    german = ask(server, "Wann ist Hausaufgabe 3 fällig?")["answer"]
    assert "6. März" in german
    send(server, "Homework 3", "restore")
    answer = ask(server)
    assert OLD in answer["answer"]
    assert NEW not in answer["answer"]
    assert "edumod/set dates" not in server.get("/courses/small").text


def test_old_days_are_in_no_part_of_a_longer_answer(server: httpx.Client) -> None:
    send(server, "Homework 3", due="2026-03-06 23:59")
    text = ask(server, "When is homework 3 due, and how many slip days can I use on it?")["answer"]
    assert NEW in text
    assert "February 19" not in text


def test_no_due_date_and_what_is_not_so(server: httpx.Client) -> None:
    send(server, "Homework 3", due="")
    answer = ask(server)
    assert "has no due date" in answer["answer"]
    assert "February 19" not in answer["answer"]
    send(server, "Homework 3", "restore")
    assert "not so" in send(server, "Homework 3", "remove").text
    assert "February 19" not in str(ask(server).get("answer"))


def test_a_work_that_no_document_names_is_added(server: httpx.Client) -> None:
    assert send(server, "", name="Reading response", due="2026-04-01").status_code == 200
    assert "1 April" in ask(server, "When is the reading response due?")["answer"]
    again = send(server, "", name="Reading response", due="2026-05-01")
    assert (again.status_code, "one of this name already" in again.text) == (422, True)
    assert 'value="2026-05-01"' in again.text


def test_an_exam_is_moved(server: httpx.Client) -> None:
    key = "Midterm"
    assert send(server, key, at="2026-03-12T10:00", until="12:00", place="Hall 1").status_code == 200
    answer = ask(server, "When is the midterm?")["answer"]
    assert "12 March" in answer
    assert "10 March" not in answer
    assert "March 10" not in answer


def test_a_correction_lasts_over_loading_the_course_again(material: Path, tmp_path: Path) -> None:
    file, course = tmp_path / "course.yaml", "id: small\ntitle: Small 2026\n"
    folders = {"logistics": "logistics", "assignment": "assignments"}
    named = "material:\n" + "".join(f"  {source}: {material / folder}\n" for source, folder in folders.items())
    file.write_text(course + named, encoding="utf-8")
    assert edumod(tmp_path, "course", "load", str(file)).returncode == 0
    with live(settings_in(tmp_path), real_embedder=True) as server:
        send(server, "Homework 3", due="2026-03-06 23:59")
        loaded = edumod(tmp_path, "course", "load", str(file), "--prune")
        assert (loaded.returncode, "calendar.Homework 3 stays as" in loaded.stderr) == (0, True)
        assert (NEW in ask(server)["answer"], sources(ask(server))[0]) == (True, "edumod/set dates")
        source = ("--course", "small", "--source", "logistics", "--prune")
        assert edumod(tmp_path, "ingest", str(material / "logistics"), *source).returncode == 0
        assert NEW in ask(server)["answer"]
        file.write_text(f"{course}calendar:\n  Homework 3: {{due: 2026-03-13}}\n{named}", encoding="utf-8")
        assert edumod(tmp_path, "course", "load", str(file), "--as-file").returncode == 0
        # Another process notices within a second.
        deadline = monotonic() + 30
        while "13 March" not in (answer := ask(server)["answer"]):
            assert monotonic() < deadline, answer
        assert "From the course file." in server.get(PAGE).text


@pytest.mark.parametrize(
    ("key", "name", "text", "error"),
    [
        ("Homework 3", "due", "next week", "Write a day as 2026-03-06"),
        ("Homework 3", "due", "2026-02-30", "Write a day as 2026-03-06"),
        ("Homework 3", "points", "many", "Write a number from 0"),
        ("Homework 3", "name", "", "Say what it is called."),
        ("Midterm", "at", "", "Say when it is"),
        ("Midterm", "until", "noon", "Write a time of day"),
        ("Midterm", "until", "09:00", "Write a time of day"),
    ],
)
def test_a_wrong_value_is_named_at_its_field(server: httpx.Client, key: str, name: str, text: str, error: str) -> None:
    page = send(server, key, **{name: text})
    assert page.status_code == 422
    assert re.search(rf'id="{anchor_of(key)}-{name}-e">{re.escape(error)}', page.text)
    assert f'value="{text}"' in page.text
    assert "Nothing was changed here yet" in page.text


def test_of_two_who_change_the_same_row_the_second_is_told(server: httpx.Client) -> None:
    old = form_of(server.get(PAGE).text, "Homework 3") | {"do": "save"}
    other = form_of(server.get(PAGE).text, "Homework 1") | {"do": "save"}
    send(server, "Homework 3", due="2026-03-06")
    refused = server.post(PAGE, data=old | {"due": "2026-03-07"})
    assert refused.status_code == 422
    assert "has changed this meanwhile; the row is now" in unescape(refused.text)
    assert "due 2026-03-06" in refused.text
    assert server.post(PAGE, data=other | {"due": "2026-03-08"}, follow_redirects=True).status_code == 200
    again = form_of(refused.text, "Homework 3") | {"do": "save"}
    assert again["due"] == "2026-03-07"
    assert server.post(PAGE, data=again, follow_redirects=True).status_code == 200
    assert "7 March" in ask(server)["answer"]


def test_a_row_that_nobody_touched_changes_nothing_and_names_are_data(server: httpx.Client) -> None:
    send(server, "Homework 3")
    assert "Nothing was changed here yet" in server.get(PAGE).text
    send(server, "", name="# <b>Essay</b> [x](y)", due="2026-04-01")
    page = server.get("/courses/small").text
    assert "<b>Essay" not in page
    document = re.search(r'href="(/courses/small/documents/[0-9a-f]+)"><span>Dates set', page)
    assert document is not None
    assert "<b>Essay" not in server.get(document[1]).text


def test_names_with_dots_are_saved_and_taken_back(server: httpx.Client) -> None:
    send(server, "", name="Lab 4.5", due="2026-04-01")
    assert "1 April" in ask(server, "When is Lab 4.5 due?")["answer"]
    send(server, "Lab 4.5", "restore")
    assert "1 April" not in ask(server, "When is Lab 4.5 due?")["answer"]


@pytest.mark.parametrize("name", ["homework 3", "HW3", "Homework  3", "Midterm"])
def test_what_has_a_row_is_not_added_under_another_spelling(server: httpx.Client, name: str) -> None:
    page = send(server, "", name=name, due="2026-04-01")
    assert page.status_code == 422
    assert "The calendar has one of this name already: " in page.text


def test_a_work_is_not_added_without_anything_to_say(server: httpx.Client) -> None:
    assert "Say when it is due." in send(server, "", name="Essay").text


def test_a_name_has_no_control_characters(server: httpx.Client) -> None:
    page = send(server, "", name="Es\x00say", due="2026-04-01")
    assert "Es say" in page.text
    assert "Answers do not cite yet" not in page.text


def test_two_entries_for_one_work_have_a_row_each() -> None:
    entries = {"Homework 3": {"due": "2026-03-06"}, "homework 3": {"due": "2026-03-07"}, "HW 4": {"due": "none"}}
    own = Course.model_validate({"id": "small", "calendar": entries}).calendar
    rows = calendar_rows(Calendar(), Calendar(), own, {}).works
    assert {row.key: row.is_disputed for row in rows} == {"Homework 3": True, "homework 3": True, "HW 4": False}


def test_only_those_who_administer_the_course_see_the_page(server: httpx.Client, own_home: Path) -> None:
    reader = headers(made_key(own_home, Permission.ANSWER, Permission.DRAFTS_READ))
    assert server.get(PAGE, headers=reader).status_code == 403
    assert server.post(PAGE, headers=reader).status_code == 403
    assert server.post("/courses/other/calendar", data={}).status_code == 403
    assert server.post(PAGE, data={}).status_code == 422
    assert server.post(PAGE, data={"row-kind": "work", "do": "save", "key": "Nothing"}).status_code == 422


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_a_date_is_corrected_in_a_browser(own_home: Path, browser_page: Any, width: int, scheme: str) -> None:
    with live(settings_in(own_home)) as local:
        context = browser_page.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=True
        )
        page = context.new_page()
        page.goto(f"{local.base_url}/courses/small")
        page.get_by_role("link", name="Correct works").click()
        row = page.get_by_role("region", name="Homework 3")
        row.get_by_text("Correct").click()
        row.get_by_label("Due").fill("soon")
        row.get_by_role("button", name="Save").click()
        assert "Write a day as" in page.get_by_role("region", name="Homework 3").inner_text()
        assert not violations(page, page.url, axe())
        row.get_by_label("Due").fill("2026-03-06 23:59")
        row.get_by_role("button", name="Save").click()
        page.get_by_text("Saved.").wait_for()
        assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert not violations(page, page.url, axe())
        text = page.get_by_role("region", name="Homework 3").inner_text()
        assert ("set by staff" in text, "due 2026-03-06 23:59" in text) == (True, True)
        context.close()


def test_an_exam_with_two_days_is_one_row_which_is_settled_as_it_stands(tmp_path: Path) -> None:
    material = tmp_path / "material"
    for name, day in (("syllabus.md", "March 10"), ("news.md", "March 17")):
        (material / "logistics").mkdir(parents=True, exist_ok=True)
        (material / "logistics" / name).write_text(f"# Dates\n\n- The midterm is on {day}, 2026.\n", encoding="utf-8")
    for folder in ("textbook", "assignments", "qa"):
        (material / folder).mkdir()
    ingest(tmp_path, material)
    with live(settings_in(tmp_path)) as local:
        page = local.get(PAGE).text
        assert (page.count("several dates"), page.count(f'id="{anchor_of("Midterm")}"')) == (1, 1)
        assert "set by staff" in send(local, "Midterm").text
        answer = ask(local, "When is the midterm?")["answer"]
        assert ("10 March" in answer) is not ("17 March" in answer)
