"""`POST /feedback`: a student's homework in, a verdict by criterion and a draft for review out."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest

from core.homework import CRITERIA, Verdict
from core.llm.scripted import ScriptedLLM
from tasks import WriteFeedback, WrittenCriterion, WrittenFeedback
from tests.app.live import live, settings_in


def sent(submission: Any, question: str = "1", **fields: Any) -> dict[str, Any]:
    return {"course": "mech", "assignment": "hw1", "question": question, "submission": submission, **fields}


def verdicts(response: httpx.Response) -> dict[str, str]:
    assert response.status_code == 200, response.text
    return {name: given["verdict"] for name, given in response.json()["criteria"].items()}


def test_every_criterion_has_a_verdict_and_the_line_is_named(client: httpx.Client) -> None:
    response = client.post("/feedback", json=sent("Given: 5 m/s\nv = 5 + 2*3 = 12 m"))
    assert verdicts(response) == {
        "completeness": "right",
        "method": "cannot_tell",
        # Metres are no speed: what cannot be compared is not called wrong.
        "final_answer": "cannot_tell",
        "arithmetic": "partly",
        "units": "wrong",
    }
    assert response.json()["criteria"]["arithmetic"]["where"] == "v = 5 + 2*3 = 12 m"
    assert "without a language model" in response.json()["comment"]


def test_nothing_of_the_official_solution_is_told(client: httpx.Client) -> None:
    response = client.post("/feedback", json=sent("v = 5 + 2*3 = 12 m"))
    assert "11" not in {word for text in (response.json()["feedback"],) for word in text.split()}


def test_a_question_with_parts_is_checked_as_a_whole_or_by_part(client: httpx.Client) -> None:
    both = "(a) t = sqrt(2*20/9.81) = 2.02 s\n(b) v = 9.81*2.02 = 19.8 m/s"
    assert verdicts(client.post("/feedback", json=sent(both, "2")))["final_answer"] == "right"
    one = client.post("/feedback", json=sent("(a) t = 2.02 s", "2"))
    assert verdicts(one)["completeness"] == "partly"
    assert verdicts(client.post("/feedback", json=sent("v = 19.8 m/s", "2b")))["final_answer"] == "right"


def test_a_pdf_and_a_notebook_are_read(client: httpx.Client) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "v = 5 + 2*3 = 11 m/s")
    data = base64.b64encode(pdf.tobytes()).decode()
    assert verdicts(client.post("/feedback", json=sent({"name": "hw1.pdf", "data": data})))["final_answer"] == "right"


def test_feedback_is_a_draft_with_a_trace(client: httpx.Client) -> None:
    given = client.post("/feedback", json=sent("v = 5 + 2*3 = 11 m/s")).json()
    draft = client.get(f"/drafts/{given['draft_id']}").json()
    assert draft["state"] == "pending"
    assert [step["kind"] for step in given["trace"]] == ["check", "write"]
    page = client.get(f"/review/{given['draft_id']}")
    assert page.status_code == 200
    assert "5 + 2*3 = 11" in page.text


def test_a_key_gives_the_same_feedback_again(client: httpx.Client) -> None:
    first, again = (
        client.post("/feedback", json=sent("v = 11 m/s"), headers={"Idempotency-Key": "k1"}) for _ in range(2)
    )
    assert first.json()["draft_id"] == again.json()["draft_id"]
    assert again.headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (sent("x = 1", "9"), "Allowed: Homework 1 1, Homework 1 2"),
        (sent("  "), "submission has no text"),
        (sent({"name": "a.exe", "data": "aGk="}), "cannot be read"),
        (sent({"name": "a.md", "data": "?"}), "not base64"),
        (sent({"name": "a.md", "data": "//4AAQ=="}), "a.md is not text"),
        (sent({"name": "hw.png", "data": "bm90IGEgcGljdHVyZQ=="}), "hw.png cannot be read as a picture"),
    ],
)
def test_what_cannot_be_used_is_a_clear_error(client: httpx.Client, body: dict[str, Any], says: str) -> None:
    response = client.post("/feedback", json=body)
    assert response.status_code == 422
    assert says in response.json()["detail"]


def test_what_is_for_staff_is_neither_found_nor_named(client: httpx.Client) -> None:
    response = client.post("/feedback", json={**sent("x = 3"), "assignment": "final"})
    assert response.status_code == 422
    assert "Final" not in response.json()["detail"].partition("Allowed")[2]


def test_pipelines_for_questions_and_for_homework_are_not_mixed_up(client: httpx.Client) -> None:
    question = {"course": "mech", "question": {"body": "When is it due?"}}
    assert "POST /feedback" in client.post("/answer?pipeline=homework", json=question).json()["detail"]
    assert "homework" in client.post("/feedback?pipeline=fc", json=sent("x = 1")).json()["detail"]


def criterion(verdict: Verdict, **more: Any) -> WrittenCriterion:
    return WrittenCriterion(reasons="Read.", verdict=verdict, **more)


def test_what_was_computed_counts_and_a_model_that_contradicts_it_is_noted(home: Path) -> None:
    right = dict.fromkeys(CRITERIA, criterion(Verdict.RIGHT))
    written = WrittenFeedback(**right, comment="Well done. The speed is 11 m/s, you see.")
    with live(settings_in(home), llm=ScriptedLLM({WriteFeedback: [written]})) as client:
        response = client.post("/feedback", json=sent("v = 5 + 2*3 = 12 m"))
    assert verdicts(response)["arithmetic"] == "partly"
    assert verdicts(response)["method"] == "right"
    assert response.json()["comment"] == "Well done."
    warnings = " ".join(response.json()["warnings"])
    assert "the model wrote right" in warnings
    assert "official answer was left out" in warnings


def test_the_name_of_a_picture_is_kept_from_the_question(client: httpx.Client) -> None:
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 9, 9), False)
    data = base64.b64encode(picture.tobytes("png")).decode()
    given = client.post("/feedback", json=sent({"name": "Gwendolyn_Frost.png", "data": data})).json()
    draft = client.get(f"/drafts/{given['draft_id']}").text
    assert "picture 1" in draft
    assert "Gwendolyn" not in draft
