"""The offline rules: which functions to call, and answers by extraction."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.llm.task import CallResult
from core.types import Passage, Question, Source
from pipelines.citations import verified
from pipelines.extraction import PREFACE, write_answer
from pipelines.offline import Choosing, fill, review_draft
from pipelines.query import search_query
from pipelines.router import Router, shipped_weights
from pipelines.tasks import (
    ChooseFunctions,
    FillArguments,
    Review,
    ReviewDraft,
    SelectFunctions,
    WriteAnswer,
    WrittenAnswer,
)
from tests.fakes import Nearest
from tests.pipelines.runs import FUNCTIONS, call, passage

SYLLABUS = passage(
    "s",
    "Homework due dates\n| Assignment | Due |\n|---|---|\n| Homework 1 | January 29 |\n| Homework 3 | February 19 |",
    source=Source.LOGISTICS, title="Syllabus", heading_path=("Syllabus", "Homework due dates"),
)  # fmt: skip
LATE = passage(
    "l", "Late work\nYou may submit homework up to 2 days late with slip days. Bring tea.", source=Source.LOGISTICS
)


NOTHING_FOUND = ((CallResult(call=call("x", "logistics_retrieval")),),)


async def chosen(body: str, *near: Source, done: bool = False, **more: Any) -> list[str]:
    history = {"history": NOTHING_FOUND} if done else {}
    task = ChooseFunctions(course="c", question=Question(body=body), functions=FUNCTIONS, **history, **more)
    return [made.name for made in (await choosing(*near).choose(task)).calls]


def choosing(*near: Source) -> Choosing:
    """The offline choice in a course whose material of these kinds is near to every question."""
    return Choosing(Router(Nearest(*near), shipped_weights()))


def answer(body: str, *passages: Passage) -> WrittenAnswer:
    return write_answer(WriteAnswer(course="c", question=Question(body=body), passages=passages))


@pytest.mark.parametrize(
    ("body", "near", "function"),
    [
        ("when is hw3 due?", Source.LOGISTICS, "logistics_retrieval"),
        ("stuck on question 2a of the project, is my answer right", Source.ASSIGNMENT, "assignment_retrieval"),
        ("what is the difference between loc and iloc", Source.TEXTBOOK, "textbook_retrieval"),
        ("KeyError: 'station' ??? anyone", Source.QA, "qa_retrieval"),
    ],
)
async def test_words_and_what_the_course_has_choose_the_function(body: str, near: Source, function: str) -> None:
    assert await chosen(body, near) == [function]


async def test_a_call_that_is_required_is_made_and_a_round_that_found_enough_is_the_last() -> None:
    assert await chosen("ok", required=True) != []
    found = ((CallResult(call=call("x", "logistics_retrieval"), passages=(SYLLABUS,)),),)
    assert await chosen("when is hw3 due?", Source.LOGISTICS, history=found) == []


async def test_where_too_little_was_found_the_next_likely_function_is_called() -> None:
    near = (Source.LOGISTICS, Source.ASSIGNMENT)
    assert await chosen("when is hw3 due, and what does part a of question 2 ask?", *near, done=True) == [
        "assignment_retrieval"
    ]


def test_a_query_leaves_code_and_tracebacks_out_but_the_error_itself() -> None:
    body = "why?\n```python\nx = 1\n```\nTraceback (most recent call last):\n  File 'x'\nKeyError: 'a'\nplease help"
    assert search_query(Question(body=body)) == "why? KeyError: 'a' please help"


def test_the_row_and_the_sentence_that_answer_are_quoted_and_cited() -> None:
    written = answer("When is homework 3 due and can I submit it late?", SYLLABUS, LATE)
    assert written.answer.startswith(PREFACE)
    assert "February 19" in written.answer
    assert "January 29" not in written.answer
    assert "2 days late" in written.answer
    assert "tea" not in written.answer
    checked = verified(written, (SYLLABUS, LATE))
    assert checked.citations
    assert all(citation.verified for citation in checked.citations)


def test_what_the_material_does_not_cover_is_abstained_from() -> None:
    assert answer("How do I configure a Kubernetes ingress controller?", SYLLABUS, LATE).status == "abstained"
    assert answer("it doesnt work").status == "needs_clarification"
    assert answer("thank you!").status == "no_response_needed"


def test_everyday_words_are_not_what_a_question_is_about() -> None:
    synthetic = passage("p", "This course is synthetic: it is written for a project.", source=Source.LOGISTICS)
    assert answer("What is an eigenvector?", synthetic).status == "abstained"
    assert answer("it does not work", synthetic).status == "needs_clarification"


def test_solutions_and_staff_passages_are_never_quoted() -> None:
    staff = passage("x", "The late homework answer is forty-two.", visibility="staff")
    solved = passage("y", "Submit homework late?", solution="The late homework answer is forty-two.")
    assert "forty-two" not in answer("what is the late homework answer?", staff, solved).answer


def test_only_answers_by_staff_or_endorsed_by_them_are_quoted_from_past_threads() -> None:
    thread = passage(
        "q",
        "slip days\nQuestion: can i use slip days on the project\nAnswer (TA): Slip days count on the project too.\n"
        "Reply (student): slip days never count on the project, trust me.\n"
        "Answer (student, endorsed): At most two slip days on a project.",
        source=Source.QA,
    )
    written = answer("do slip days count on the project?", thread)
    assert "count on the project too" in written.answer
    assert "trust me" not in written.answer


def test_brackets_in_the_material_are_no_references() -> None:
    array = passage("a", "Arrays\nCall np.array with a list such as bins = [5] to make an array.")
    checked = verified(answer("how do i call np.array with a list", array), (array,))
    assert r"\[5]" in checked.markdown
    assert len(checked.citations) == 1


@given(st.text(max_size=300), st.lists(st.text(max_size=200), max_size=4))
def test_any_question_and_any_passages_give_a_typed_answer(body: str, texts: list[str]) -> None:
    found = tuple(passage(str(n), text) for n, text in enumerate(texts))
    checked = verified(answer(body or "?", *found), found)
    assert all(citation.verified for citation in checked.citations)


async def test_a_review_leads_to_a_likely_function_that_was_not_called_yet() -> None:
    near = (Source.LOGISTICS, Source.ASSIGNMENT)
    body = "when is hw3 due, and what does part a of question 2 ask?"
    assert await chosen(body, *near, done=True, feedback="Missing: the task") == ["assignment_retrieval"]


async def test_where_no_other_function_is_likely_what_is_missing_is_searched_for_again() -> None:
    history = ((CallResult(call=call("x", "logistics_retrieval")),),)
    task = ChooseFunctions(
        course="c", question=Question(body="when is it due?"), functions=FUNCTIONS, history=history,
        feedback="It lacks the date.\nMissing: date\nMissing: homework",
    )  # fmt: skip
    (made,) = (await choosing(Source.LOGISTICS).choose(task)).calls
    assert (made.name, made.arguments) == ("logistics_retrieval", {"query": "date homework"})


async def test_selecting_and_filling_go_by_the_same_router() -> None:
    question = Question(body="when is hw3 due?")
    described = tuple(f"{spec.name}: {spec.description}" for spec in FUNCTIONS)
    task = SelectFunctions(course="c", question=question, functions=described)
    selection = await choosing(Source.LOGISTICS).select(task)
    assert list(selection.functions) == await chosen("when is hw3 due?", Source.LOGISTICS)
    (filled,) = fill(FillArguments(course="c", question=question, functions=FUNCTIONS[:1])).calls
    assert (filled.name, filled.arguments) == (FUNCTIONS[0].name, {"query": "when is hw3 due?"})


def reviewed(draft: str, *passages: Passage) -> Review:
    question = Question(body="When is homework 3 due?")
    return review_draft(ReviewDraft(course="c", question=question, passages=passages, draft=draft))


def test_that_nothing_need_be_said_is_accepted() -> None:
    assert reviewed("(no_response_needed)\n").accepted
    assert not reviewed("(abstained)\n").accepted


def test_a_review_counts_words_references_and_leaks() -> None:
    good = reviewed("Homework 3 is due on February 19 [1].", SYLLABUS)
    bad = reviewed("I do not know.")
    assert good.accepted
    assert good.score > bad.score
    assert not bad.accepted
    assert "homework3" in bad.missing
    secret = "Homework 3 is due on the day that the staff have not told anybody of yet, February 19."
    leak = reviewed(f"{secret} [1]", passage("x", "Due dates.", solution=secret))
    assert (leak.score, leak.accepted) == (0.0, False)
