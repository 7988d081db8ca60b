"""What a post asks of its writer."""

from __future__ import annotations

from core.types import Message, Passage, Question, Role, Source
from pipelines.running.briefing import brief_for, task_location
from tests.pipelines.runs import passage

TASK = passage("task", source=Source.ASSIGNMENT, label="2c", title="Homework 3", heading_path=("Homework 3", "2c"))
BOOK = passage("book")


def parts(body: str, **more: object) -> tuple[str, ...]:
    return brief_for(Question.model_validate({"body": body, **more}), ()).parts


def tasks(body: str, *shown: Passage) -> tuple[Passage, ...]:
    return brief_for(Question(body=body), shown).task


def test_a_post_with_several_questions_has_them_as_parts() -> None:
    assert parts("When is homework 3 due? How many slip days do I have left in the course?") == (
        "When is homework 3 due?", "How many slip days do I have left in the course?",
    )  # fmt: skip
    listed = "I have questions:\n1. what does a p-value mean\n2. when is the midterm exam\n3. where is section held"
    assert len(parts(listed)) == 3


def test_a_short_title_is_no_part_of_its_own() -> None:
    asked = Question(title="caption help?", body="Does each plot need one? And where does the source go, below it?")
    assert brief_for(asked, ()).parts == (
        "caption help? Does each plot need one?",
        "And where does the source go, below it?",
    )
    assert (
        brief_for(Question(title="Is this a good Q4?", body="We count per day. Is that one question?"), ()).parts == ()
    )
    asked = Question(title="When does the project milestone close on Friday?", body="Does a slip day help there?")
    assert len(brief_for(asked, ()).parts) == 2


def test_a_post_with_one_question_has_no_parts() -> None:
    assert parts("Why is the mean larger than the median here? Thanks!") == ()


def test_questions_in_code_are_no_parts() -> None:
    assert parts("Why does this fail?\n```python\n# what is the mean? what is the median?\nx\n```") == ()


def test_of_a_thread_the_students_last_words_have_the_parts() -> None:
    thread = (
        Message(role=Role.TA, body="On Thursday."),
        Message(body="And where do I hand in the homework? Is a scanned page of paper fine as well?"),
    )
    assert len(parts("When is homework 3 due?", thread=thread)) == 2


def test_a_student_whose_best_passage_is_a_task_is_stuck_at_it() -> None:
    assert tasks("I have no idea how to start with the mean", TASK, BOOK) == (TASK,)


def test_a_task_that_is_named_counts_wherever_it_was_found() -> None:
    assert tasks("stuck on 2c of homework 3", BOOK, TASK) == (TASK,)
    assert tasks("what is a mean?", BOOK, TASK) == ()


def test_who_asks_what_a_task_wants_may_be_told_its_wording() -> None:
    brief = brief_for(Question(body="what format does 2c want for the answer?"), (TASK, BOOK))
    assert brief.task == (TASK,)
    assert brief.asks_for_wording


def test_the_task_is_named_by_its_place_and_the_number_of_its_passage() -> None:
    assert task_location(brief_for(Question(body="stuck on homework 3 2c"), (BOOK, TASK)), (BOOK, TASK)) == (
        "Homework 3 › 2c (passage 2)"
    )


def test_a_list_counted_within_a_line_is_cut_at_its_numbers() -> None:
    listed = "1) can we bring a cheat sheet? 2) in homework 6 which into recall, which not. 3) a photo is ok?"
    assert parts(listed) == (
        "can we bring a cheat sheet?", "in homework 6 which into recall, which not.", "a photo is ok?",
    )  # fmt: skip
    assert parts("Hi. (1) wrong lab, sorry. (1) what is a p value (2) is one report enough for both partners?") == (
        "what is a p value", "is one report enough for both partners?",
    )  # fmt: skip
    assert parts("I have (1) only people who eat there, and (2) people who agree to answer, also too high?") == ()


def test_a_task_of_another_work_than_the_post_names_is_not_its_task() -> None:
    assert tasks("lab 6: which column goes on the axis?", TASK, BOOK) == ()
