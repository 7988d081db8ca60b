"""The pages of quizzes and their JSON twin, on a real server and in a real browser."""

from __future__ import annotations

import asyncio
import io
import json
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from pygiftparser import parser as gift_parser

from app.quizzes.sections import REMOVED
from core.access import Permission
from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, headers, made_key
from tests.app.people.test_sign_in import csrf_of, signed_in
from tests.app.quizzes.conftest import BOOK, ingest, write
from tests.app.quizzes.test_formats import read_qti
from tests.app.review.browsing import read
from tests.app.review.test_axe import axe, violations

WHOLE = "/courses/bio/quizzes"
HTML = {"Accept": "text/html"}
MEGABYTE = "x" * 2**20


@pytest.fixture
def quiz(server: httpx.Client) -> str:
    """The address of a new quiz."""
    for one in server.get(WHOLE).json():
        assert server.delete(f"{WHOLE}/{one['id']}").status_code == 204
    return f"{WHOLE}/{made(server, source='textbook')}"


def made(server: httpx.Client, **material: Any) -> str:
    """The id of the quiz about this material, once it is made."""
    started = server.post(WHOLE, json=material)
    assert started.status_code == 202, started.text
    name: str = started.json()["id"]
    while server.get(f"{WHOLE}/{name}").json()["making"] is not None:
        time.sleep(0.02)
    return name


def questions(server: httpx.Client, quiz: str) -> dict[int, dict[str, Any]]:
    return {one["number"]: one for one in server.get(quiz).json()["questions"]}


def submit(server: httpx.Client, quiz: str, number: int, **fields: Any) -> httpx.Response:
    version = questions(server, quiz)[number]["version"]
    return server.post(f"{quiz}/questions/{number}/page", data={"version": version, **fields}, headers=HTML)


def test_a_question_is_kept_edited_dropped_and_restored_by_its_form(server: httpx.Client, quiz: str) -> None:
    first = questions(server, quiz)[1]
    words = {"question": first["question"], "answer": first["answer"]}
    kept = submit(server, quiz, 1, do="keep", following=2, **words)
    assert (kept.status_code, kept.headers["location"]) == (303, f"{quiz}?view=&page=1#q-2")
    assert questions(server, quiz)[1]["state"] == "kept"
    submit(server, quiz, 1, do="keep", question="What is a cell?\r\nSay it.", answer=first["answer"])
    edited = questions(server, quiz)[1]
    assert (edited["state"], edited["question"]) == ("edited", "What is a cell?\nSay it.")
    submit(server, quiz, 1, do="drop")
    assert questions(server, quiz)[1]["state"] == "dropped"
    assert "What is a cell?" not in server.get(f"{quiz}/files/md").text
    submit(server, quiz, 1, do="keep", question=edited["question"], answer=edited["answer"])
    assert questions(server, quiz)[1]["state"] == "edited"
    submit(server, quiz, 1, do="reset")
    back = questions(server, quiz)[1]
    assert (back["state"], back["question"]) == ("kept", first["question"])


def test_a_change_that_is_refused_keeps_what_was_typed(server: httpx.Client, quiz: str) -> None:
    long = submit(server, quiz, 2, do="keep", question="<b>Why</b>" * 200, answer="A.")
    assert long.status_code == 422
    assert "has 2,000 characters" in long.text
    assert "&lt;b&gt;Why&lt;/b&gt;" * 200 in long.text
    late = submit(server, quiz, 2, do="keep", question="Mine?", answer="Mine.", version=99)
    assert late.status_code == 412
    assert "Somebody changed question 2" in late.text
    assert "Mine?" in late.text
    assert "As it is stored now" in late.text
    assert "As it is stored now" not in long.text
    assert submit(server, quiz, 2, do="keep", question=" ", answer="A.").status_code == 422
    assert submit(server, quiz, 2, do="keep", question=MEGABYTE, answer="A.").status_code == 413
    assert server.post(f"{quiz}/questions/2", json={"state": "kept", "answer": MEGABYTE}).status_code in (413, 422)
    assert questions(server, quiz)[2]["state"] == "open"


def test_the_address_of_a_change_leads_to_the_question_for_staff_alone(
    server: httpx.Client, quiz: str, home: Path
) -> None:
    address = f"{quiz}/questions/2/page"
    assert server.get(address).headers["location"] == f"{quiz}?question=2#q-2"
    assert server.get(address.replace("bio", "other")).status_code == 404
    student = headers(made_key(home, Permission.ANSWER, courses=("bio",), name="a student"))
    assert server.get(address, headers=student).status_code == 403


def test_programs_review_as_the_page_does(server: httpx.Client, quiz: str) -> None:
    address = f"{quiz}/questions/1"
    changed = server.post(f"/v1{address}", json={"state": "kept", "question": "What is a cell?", "version": 1})
    assert (changed.status_code, changed.json()["state"], changed.json()["version"]) == (200, "edited", 2)
    again = server.post(address, json={"state": "dropped", "version": 1})
    assert (again.status_code, again.json()["type"]) == (412, "urn:edumod:problem:question-changed")
    assert server.post(f"{quiz}/questions/99", json={"state": "kept"}).status_code == 404
    assert server.post(address, json={"state": "gone"}).status_code == 422
    count = len(questions(server, quiz))
    assert server.post(f"{quiz}/kept").json() == {"kept": count - 1}
    (listed,) = server.get(WHOLE).json()
    assert listed["states"] == {"open": 0, "kept": count - 1, "edited": 1, "dropped": 0}


def test_the_page_starts_a_quiz_which_is_then_shown_and_deleted(server: httpx.Client, quiz: str) -> None:
    fields = {"source": "textbook", "document": "material/book.md", "per_section": "1"}
    started = server.post(f"{WHOLE}/page", data=fields)
    assert started.status_code == 303
    address = started.headers["location"]
    made(server, source="textbook", document="material/book.md", per_section=1)
    assert len(questions(server, address)) == 3
    assert "material/book.md" in server.get(WHOLE, headers=HTML).text
    assert server.post(f"{address}/deletion").headers["location"] == WHOLE
    assert server.get(address).status_code == 404
    refused = server.post(f"{WHOLE}/page", data={"source": "textbook", "document": "bok.md"}, headers=HTML)
    assert refused.status_code == 422
    assert "material/book.md" in refused.text
    assert 'value="bok.md"' in refused.text
    assert made(server, source="textbook") == quiz.rpartition("/")[2]
    assert server.post(WHOLE, json={"source": "qa"}).status_code == 422
    assert server.post(WHOLE, json={"source": "logistics"}).status_code == 404


def test_files_are_downloaded_in_each_format(server: httpx.Client, quiz: str) -> None:
    files = {name: server.get(f"{quiz}/files/{name}") for name in ("json", "gift", "qti", "md")}
    assert all("attachment" in one.headers["content-disposition"] for one in files.values())
    count = len(questions(server, quiz))
    assert len(files["json"].json()["questions"]) == count
    assert len(gift_parser.parseFile(io.StringIO(files["gift"].text))) == count
    assert len(read_qti(files["qti"].content)) == count
    assert server.get(f"{quiz}/files/pdf").status_code == 422


def test_the_source_opens_with_the_sentence_marked_for_staff_alone(server: httpx.Client, quiz: str, home: Path) -> None:
    heart = next(one for one in questions(server, quiz).values() if one["heading_path"][-1] == "The heart")
    link = f"/courses/bio/blocks/{heart['block_id']}?quiz={quiz.rpartition('/')[2]}&question={heart['number']}"
    page = server.get(link, follow_redirects=True)
    assert "<mark>The heart consists of two atria, two ventricles, and valves" in page.text
    assert f"Back to question {heart['number']}" in page.text
    student = headers(made_key(home, Permission.ANSWER, courses=("bio",), name="a student"))
    seen = server.get(link, headers=student, follow_redirects=True)
    assert "<mark>" not in seen.text
    assert heart["question"] not in seen.text


def test_instructors_make_assistants_review_and_students_see_nothing(
    server: httpx.Client, quiz: str, home: Path
) -> None:
    by = {name: headers(made_key(home, *ACTORS[name], courses=("bio",), name=name)) for name in ACTORS}
    assert server.get(quiz, headers=by["student"]).status_code == 403
    assert server.get(f"{quiz}/files/json", headers=by["student"]).status_code == 403
    assert server.get(quiz.replace("bio", "other"), headers=by["ta"]).status_code == 403
    shown = server.get(quiz, headers=by["ta"] | HTML).text
    assert "Keep<span" in shown
    assert "Delete this quiz" not in shown
    assert "Make a quiz" not in server.get(WHOLE, headers=by["ta"] | HTML).text
    assert server.delete(quiz, headers=by["ta"]).status_code == 403
    assert server.get(quiz.replace("bio", "other")).status_code == 404
    assert server.post(f"{quiz}/questions/1", json={"state": "kept"}, headers=by["ta"]).status_code == 200
    assert server.delete(quiz, headers=by["instructor"]).status_code == 204


def test_questions_whose_sentences_changed_have_a_view(tmp_path: Path) -> None:
    write(tmp_path / "material")
    asyncio.run(ingest(tmp_path / "home", tmp_path / "material", "bio"))
    with live(settings_in(tmp_path / "home")) as own:
        address = f"{WHOLE}/{made(own, source='textbook')}"
        assert "sentences changed" not in own.get(address, headers=HTML).text
        changed = BOOK.replace("The heart consists", "Your heart consists").replace("## Mites", "## Ticks")
        write(tmp_path / "material", changed.replace("The itch mite causes", "The mite causes"))
        asyncio.run(ingest(tmp_path / "home", tmp_path / "material", "bio"))
        shown = own.get(f"{address}?view=changed", headers=HTML).text
        gone = own.get(f"{address}?view=gone", headers=HTML).text
    assert re.findall(r"Question \d+: ([\w ]+)</a>", shown) == ["The heart"]
    assert "sentences changed" in shown
    assert re.findall(r"Question \d+: ([\w ]+)</a>", gone) == ["Mites"]
    assert REMOVED in gone


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_pages_have_no_violations_and_fit_a_phone(
    server: httpx.Client, quiz: str, browser_page: Any, width: int, scheme: str
) -> None:
    submit(server, quiz, 1, do="drop")
    submit(server, quiz, 2, do="keep", question="What else?", answer="That.")
    program = axe()
    context = browser_page.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    for path in (WHOLE, quiz, f"{quiz}?view=dropped", f"{quiz}?view=kept", "/courses/other/quizzes"):
        assert violations(page, f"{server.base_url}{path}", program) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_reviewer_decides_by_keyboard_without_a_script(server: httpx.Client, quiz: str, browser_page: Any) -> None:
    context = browser_page.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.base_url}{quiz}")
    article = page.locator("article").first
    number = int((article.get_attribute("id") or "").removeprefix("q-"))
    article.get_by_label("Question").fill("What is a cell?")
    article.get_by_label("Question").press("Tab")
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**#q-*")
    assert questions(server, quiz)[number]["state"] == "edited"
    page.locator("article").nth(1).get_by_role("button", name="Drop").press("Enter")
    page.get_by_role("link", name="dropped").click()
    assert page.locator("article").count() == 1
    page.get_by_role("button", name="Keep all").click()
    assert server.get(quiz).json()["states"]["open"] == 0
    context.close()


def test_on_a_conflict_the_words_of_the_colleague_stand_beside_what_was_typed(
    server: httpx.Client, quiz: str, browser_page: Any
) -> None:
    context = browser_page.new_context()
    page = context.new_page()
    page.goto(f"{server.base_url}{quiz}#q-1")
    article = page.locator("#q-1")
    article.get_by_label("Question").fill("Mine?")
    submit(server, quiz, 1, do="keep", question="Hers?", answer="Her answer.")
    article.get_by_role("button", name="Keep").click()
    page.get_by_role("alert").wait_for()
    assert article.get_by_label("Question").input_value() == "Mine?"
    stored = article.get_by_role("group", name="As it is stored now").inner_text()
    assert all(one in stored for one in ("Hers?", "Her answer.", "edited", "Save replaces it"))
    assert article.get_by_text("You changed this question").is_visible()
    page.goto(page.url)
    assert page.url.endswith(f"{quiz}?question=1#q-1")
    assert page.locator("#q-1").get_by_label("Question").input_value() == "Hers?"
    context.close()


def test_typed_words_are_not_lost_without_a_warning(server: httpx.Client, quiz: str, browser_page: Any) -> None:
    context = browser_page.new_context()
    page = context.new_page()
    answers: list[bool] = []
    dialogs: list[str] = []

    def decide(dialog: Any) -> None:
        dialogs.append(dialog.type)
        dialog.accept() if answers.pop(0) else dialog.dismiss()

    page.on("dialog", decide)
    page.goto(f"{server.base_url}{quiz}")
    first, second = page.locator("article").nth(0), page.locator("article").nth(1)
    hint = first.get_by_text("You changed this question")
    assert not hint.is_visible()
    first.get_by_label("Question").fill("What is a cell?")
    assert hint.is_visible()
    for button in (second.get_by_role("button", name="Keep"), page.get_by_role("button", name="Keep all")):
        answers.append(False)
        button.click(no_wait_after=True)
        first.locator("textarea:focus").wait_for()
        page.evaluate("document.activeElement.blur()")
    assert dialogs == ["beforeunload"] * 2
    assert {one["state"] for one in questions(server, quiz).values()} == {"open"}
    first.get_by_role("button", name="Keep").click()
    page.wait_for_url("**#q-*")
    assert dialogs == ["beforeunload"] * 2
    assert sorted(one["state"] for one in questions(server, quiz).values())[:2] == ["edited", "open"]
    second.get_by_label("Question").fill("And this?")
    answers.append(True)
    page.goto(f"{server.base_url}{WHOLE}")
    assert dialogs == ["beforeunload"] * 3
    context.close()


def test_keys_go_from_question_to_question(server: httpx.Client, quiz: str, browser_page: Any) -> None:
    context = browser_page.new_context()
    page = context.new_page()
    page.goto(f"{server.base_url}{quiz}#q-2")
    shown = page.locator("article").evaluate_all("found => found.map(one => one.id)")
    read(page)
    page.keyboard.press("j")
    focused = "document.activeElement.closest('article').id"
    assert page.evaluate(focused) == shown[shown.index("q-2") + 1]
    page.keyboard.press("k")
    assert page.evaluate(focused) == "q-2"
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.type("jk")
    assert page.locator("#q-2").get_by_label("Reference answer").input_value().startswith("jk")
    context.close()


def test_forms_must_come_from_a_page_of_the_same_session(server: httpx.Client, quiz: str, home: Path) -> None:
    with signed_in(server, home, "Ada", "--course", "bio", "--role", "instructor") as mine:
        token = csrf_of(mine.get(quiz).text)
        forms: dict[str, dict[str, Any]] = {
            f"{quiz}/questions/1/page": {"do": "drop", "version": 1},
            f"{quiz}/page": {},
            f"{WHOLE}/page": {"source": "textbook"},
            f"{quiz}/deletion": {},
        }
        for address, fields in forms.items():
            assert mine.post(address, data=fields).status_code == 403
            assert mine.post(address, data={**fields, "csrf": token}).status_code == 303
    assert server.get(WHOLE).json() == []


def test_json_of_a_quiz_names_its_material(server: httpx.Client, quiz: str) -> None:
    shown = json.loads(server.get(quiz).text)
    assert (shown["source"], shown["document"], shown["making"]) == ("textbook", "", None)
    assert {one["place"] for one in shown["questions"]} == {"found"}
