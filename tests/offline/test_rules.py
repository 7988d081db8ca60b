"""The offline rules: which functions to call, and answers by extraction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.llm.task import CallResult
from core.types import Message, Passage, Question, Role, Source
from offline.phrases import PHRASES
from offline.router import Needs, Router, shipped_weights
from offline.rules import Choosing, fill, review_draft
from posts.intents import is_stuck
from posts.query import search_query
from safeguards.citations import verified
from tasks import (
    ChooseFunctions,
    FillArguments,
    Review,
    ReviewDraft,
    SelectFunctions,
    WriteAnswer,
    WrittenAnswer,
)
from tests.fakes import Nearest
from tests.offline.writing import written
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


def answer(body: str, *passages: Passage, abstain_below: float | None = None) -> WrittenAnswer:
    question = Question(body=body)
    return written(WriteAnswer(course="c", question=question, passages=passages, abstain_below=abstain_below))


@pytest.mark.parametrize(
    ("body", "near", "function"),
    [
        ("when is hw3 due?", Source.LOGISTICS, "logistics_retrieval"),
        ("question 2a of the project, is my answer right", Source.ASSIGNMENT, "assignment_retrieval"),
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


async def test_a_category_that_guides_the_choice_tells_which_homework_is_searched() -> None:
    task = ChooseFunctions(course="c", question=Question(body="stuck on 2b"), functions=FUNCTIONS, required=True)
    for category, query in (("Homework 3", "Homework 3 stuck on 2b"), ("", "stuck on 2b")):
        guided = task.model_copy(update={"category": category})
        (first, *_) = (await choosing(Source.ASSIGNMENT).choose(guided)).calls
        assert first.arguments == {"query": query}


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
    assert written.answer.startswith(PHRASES["en"].preface)
    assert "February 19" in written.answer
    assert "January 29" not in written.answer
    assert "2 days late" in written.answer
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


DICE = passage(
    "d", "2. Two dice\nRoll both dice a hundred times. Then draw the sums of both in a histogram.",
    source=Source.ASSIGNMENT, label="2", title="Homework 3", heading_path=("Homework 3", "2. Two dice"),
)  # fmt: skip
COINS = passage(
    "e", "2. Coins\nToss a coin ten times, please.", source=Source.ASSIGNMENT, label="2", title="Homework 1",
    heading_path=("Homework 1", "2. Coins"),
)  # fmt: skip


def test_a_question_that_is_named_is_quoted_though_it_shares_no_word() -> None:
    written = answer("what does q2 of hw3 ask?", COINS, DICE)
    assert "Roll both dice" in written.answer
    assert "draw the sums" in written.answer
    assert "coin" not in written.answer
    assert answer("what does q2 of hw7 ask?", COINS, DICE).status == "abstained"


def test_a_rule_for_all_homework_counts_for_each() -> None:
    rules = passage("r", "The lowest homework score is dropped. Labs are never dropped.", source=Source.LOGISTICS)
    assert "lowest homework score" in answer("is hw4 dropped if it is my lowest", rules).answer


def test_a_cell_is_read_with_the_name_of_its_column() -> None:
    weeks = "\n".join(f"| {week} | Topic number {week * 7} |" for week in (1, 9, 10))
    schedule = passage("w", f"| Week | Topics |\n|---|---|\n{weeks}", source=Source.LOGISTICS)
    written = answer("what happens in week 10", schedule, abstain_below=0)
    assert "Topic number 70" in written.answer
    assert "Topic number 7 " not in written.answer


def test_a_sentence_that_leans_on_another_is_quoted_with_it() -> None:
    exams = passage("x", "The midterm is in March. It covers chapters 1 to 7. The final is in May.")
    written = answer("which chapters does it cover?", exams, abstain_below=0)
    assert "The midterm is in March. It covers" in written.answer


def test_what_a_term_means_comes_before_where_it_is_used() -> None:
    text = (
        "The bootstrap SE is 1.6 here, as computed above. "
        "The **bootstrap** lets the sample stand in for the population by drawing from it again."
    )
    assert "stand in for" in answer("what is the bootstrap?", passage("b", text), abstain_below=0).answer


def test_code_and_output_without_fences_are_quoted_as_code() -> None:
    text = (
        "The interquartile range tells how far the middle half of the data reaches.\n\n"
        'q1, q3 = lake["t"].quantile([0.25, 0.75]); iqr = q3 - q1\n\niqr 10.95 median 1.63 95 8.8 14.7'
    )
    written = answer("what does iqr, the interquartile range, tell?", passage("i", text))
    assert "> The interquartile range tells how far the middle half of the data reaches." in written.answer
    assert '> ```\n> q1, q3 = lake["t"].quantile([0.25, 0.75]); iqr = q3 - q1\n> ```' in written.answer
    assert written.citations[0].quote.startswith("The interquartile range")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("", "Good luck on the midterm everyone!"),
        ("", "perfect, that helped"),
        ("", "That worked, thank you!"),
        ("", "Merci beaucoup !"),
        ("nvm", "found my mistake in it, all good"),
    ],
)
def test_thanks_and_wishes_need_no_answer(title: str, body: str) -> None:
    question = Question(title=title, body=body)
    assert written(WriteAnswer(course="c", question=question, passages=(LATE,))).status == "no_response_needed"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("hw5 q2 standard error", "thanks in advance"),
        ("When is homework 5 due", "Thanks!"),
        ("", "thanks. when is hw5 due"),
        ("", "Thanks, but it still fails with the same error"),
        ("", "solved 1a and 1b, my 1c gives 0.5"),
        ("", "The grader gave me 0 on hw2. thanks"),
    ],
)
def test_a_question_that_gives_thanks_is_a_question(title: str, body: str) -> None:
    question = Question(title=title, body=body)
    assert written(WriteAnswer(course="c", question=question, passages=(LATE,))).status != "no_response_needed"


def test_a_follow_up_is_what_is_asked() -> None:
    thread = (
        Message(role=Role.TA, body="It is due on Friday."),
        Message(role=Role.STUDENT, body="and how many slip days can I use?"),
    )
    asked = Question(title="hw3", body="When is it due?", thread=thread)
    assert search_query(asked) == "hw3 and how many slip days can I use?"
    more = Question(body="When is it due?", thread=(Message(role=Role.STUDENT, body="I mean the project."),))
    assert search_query(more) == "When is it due? I mean the project."
    thanked = asked.model_copy(update={"thread": (thread[0], Message(role=Role.STUDENT, body="thanks!"))})
    assert written(WriteAnswer(course="c", question=thanked, passages=(LATE,))).status == "no_response_needed"


def test_the_category_tells_which_homework_a_question_is_in_where_the_text_does_not() -> None:
    assert search_query(Question(body="stuck on 2b", category="Homework 3")) == "Homework 3 stuck on 2b"
    assert search_query(Question(body="stuck on 2b of hw4", category="Homework 3")) == "stuck on 2b of hw4"
    assert search_query(Question(body="how is it graded", category="Homework 3")) == "how is it graded"


def test_a_code_block_that_is_never_closed_hides_nothing_behind_it() -> None:
    assert search_query(Question(body="my code:\n```python\nx = 1\nwhy is it slow?")).endswith("why is it slow?")


def test_a_fence_of_another_kind_does_not_end_a_code_block() -> None:
    body = "my code:\n```\nx = 1\n~~~\ny = 2\n```\nwhy is it slow?"
    assert search_query(Question(body=body)) == "my code: why is it slow?"


def test_code_on_one_line_between_fences_is_no_block() -> None:
    body = "I ran ```x = 1```\n```y = 2```\nwhy is it slow?"
    assert search_query(Question(body=body)).endswith("why is it slow?")


def test_the_error_in_code_that_came_along_is_searched_for() -> None:
    code = "x.foo()\nAttributeError: no attribute 'foo'"
    assert search_query(Question(body="what is wrong?", code=code)).endswith("AttributeError: no attribute 'foo'")


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
    assert "homework 3" in bad.missing
    secret = "Homework 3 is due on the day that the staff have not told anybody of yet, February 19."
    leak = reviewed(f"{secret} [1]", passage("x", "Due dates.", solution=secret))
    assert (leak.score, leak.accepted) == (0.0, False)


async def test_several_questions_in_a_post_are_each_searched_for_with_the_work_they_are_about() -> None:
    task = ChooseFunctions(
        course="c", question=Question(body="When is hw3 due, and can I use a late token for it?"), functions=FUNCTIONS
    )
    calls = (await choosing(Source.LOGISTICS).choose(task)).calls
    assert {call.name for call in calls} == {"logistics_retrieval"}
    queries = [call.arguments["query"] for call in calls]
    assert queries[1:] == ["When is hw3 due", "homework 3 can I use a late token for it?"]
    assert len({call.id for call in calls}) == len(calls)


async def test_a_student_who_is_stuck_at_a_task_gets_the_textbook_and_past_threads_searched_too() -> None:
    names = await chosen("hw3 2b: no idea how to mark the fastest ship", Source.ASSIGNMENT)
    assert names[0] == "assignment_retrieval"
    assert {"textbook_retrieval", "qa_retrieval"} <= set(names)
    assert await chosen("hw3 2b: do we have to mark the fastest ship?", Source.ASSIGNMENT) == ["assignment_retrieval"]


@pytest.mark.parametrize(
    ("body", "is_helped"),
    [
        ("hw3 2b, how do I even start?", True),
        ("can I get a hint for hw3 2b", True),
        ("I don't understand question 2b of hw3 at all", True),
        ("How do I do problem 2b of hw3?", True),
        ("How do I do a left join?", False),
        ("hw3 2b: my slope is (below - above)/n, is that right? I don't understand the hint", False),
        ("hw3 2b: how do I make the rest of the pattern optional?", False),
    ],
)
def test_who_is_at_work_and_asks_about_a_detail_is_not_stuck(body: str, is_helped: bool) -> None:
    assert is_stuck(body) is is_helped


class _LogisticsAsAWhole(Router):
    """Knows that posts of several questions need logistics, and takes each of these for the textbook's.

    `certainty` is how sure it is of that.
    """

    def __init__(self, certainty: float) -> None:
        super().__init__(Nearest(), shipped_weights())
        self._certainty = certainty

    async def needs(self, course_id: str, question: Question, functions: Sequence[str], category: str = "") -> Needs:
        is_whole = question.body.count("?") > 1
        likely = "logistics_retrieval" if is_whole else "textbook_retrieval"
        return Needs(0.01, {name: self._certainty if name == likely else 0.1 for name in functions})


@pytest.mark.parametrize(("certainty", "searched"), [(0.8, "logistics_retrieval"), (0.95, "textbook_retrieval")])
async def test_a_part_of_a_post_is_searched_where_the_whole_post_may_need_it_unless_it_is_clear(
    certainty: float, searched: str
) -> None:
    question = Question(body="Is a phone calculator allowed? What about a dictionary in Vietnamese?")
    task = ChooseFunctions(course="c", question=question, functions=FUNCTIONS)
    calls = (await Choosing(_LogisticsAsAWhole(certainty)).choose(task)).calls
    assert [call.name for call in calls] == ["logistics_retrieval", searched, searched]


@pytest.mark.parametrize(
    ("body", "is_searched"),
    [("Lab 9: on what data do we work?", True), ("When is lab 9 due?", False), ("On what data do we work?", False)],
)
async def test_the_tasks_of_a_work_that_is_named_are_searched_unless_its_date_is_asked_for(
    body: str, is_searched: bool
) -> None:
    course = Nearest(Source.LOGISTICS, named={Source.ASSIGNMENT: 0.4} if "lab 9" in body.casefold() else {})
    task = ChooseFunctions(course="c", question=Question(body=body), functions=FUNCTIONS)
    calls = (await Choosing(Router(course, shipped_weights())).choose(task)).calls
    assert ("assignment_retrieval" in [call.name for call in calls]) is is_searched


async def test_a_part_that_speaks_of_nothing_before_it_is_searched_as_it_stands() -> None:
    body = "When is hw3 due, and how many labs are dropped?"
    task = ChooseFunctions(course="c", question=Question(body=body), functions=FUNCTIONS)
    calls = (await choosing(Source.LOGISTICS).choose(task)).calls
    assert [call.arguments["query"] for call in calls] == [body, "When is hw3 due", "how many labs are dropped?"]


async def test_for_a_student_who_is_stuck_at_a_task_help_is_searched_by_its_words_and_their_own() -> None:
    wording = "Compute the variance of the loaded die."
    course = Nearest(Source.ASSIGNMENT, named={Source.ASSIGNMENT: 1.0}, task=wording)

    async def queries(body: str) -> dict[str, str]:
        task = ChooseFunctions(course="c", question=Question(body=body), functions=FUNCTIONS)
        calls = (await Choosing(Router(course, shipped_weights())).choose(task)).calls
        return {call.name: call.arguments["query"] for call in calls}

    only = await queries("I'm stuck on hw3 2b, how do I even start?")
    assert only["assignment_retrieval"] == "I'm stuck on hw3 2b, how do I even start?"
    assert only["textbook_retrieval"] == only["qa_retrieval"] == wording
    body = "I'm stuck on hw3 2b, my variance is negative"
    own = await queries(body)
    assert own["assignment_retrieval"] == body
    assert own["textbook_retrieval"] == own["qa_retrieval"] == f"{body} {wording}"
