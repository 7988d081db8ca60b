"""What a written answer states, what each statement rests on, and what happens to one that rests on nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.course import Unsupported, Writing
from core.types import Answer, Doubt, Question, Source, Visibility
from safeguards.checks import Checks, checked
from safeguards.statements import NOT_QUOTED, TASK_WORDING, Brief, Examined
from tasks import Quoted, Statement, WrittenAnswer
from tests.pipelines.runs import passage

QUESTION = Question(body="My loop never ends, and when is homework 3 due?", code="while True:\n    step()")
RULES = passage("rules", "Homework 3 is due on Thursday, February 19, at noon. Late work loses ten points a day.")
BOOK = passage("book", "A while loop runs as long as its condition holds.")
TASK = passage(
    "task", "Write a function that counts how many of the rolls in a list are larger than the mean of all rolls.",
    source=Source.ASSIGNMENT, label="2c",
)  # fmt: skip
DUE = Statement(
    text="Homework 3 is due on February 19 at noon.",
    sources=(Quoted(passage=1, quote="due on Thursday, February 19, at noon"),),
)
LOOP = Statement(
    text="A while loop goes on as long as its condition is true.",
    sources=(Quoted(passage=2, quote="as long as its condition holds"),),
)
NEVER_ENDS = Statement(
    text="The condition of your loop is the constant True and never changes.",
    sources=(Quoted(passage=0, quote="while True"),),
)
INVENTED = Statement(text="Late work is accepted for a whole week without any penalty.")
MISQUOTED = Statement(
    text="Late work loses twenty points for each day that passes.",
    sources=(Quoted(passage=1, quote="loses twenty points a day"),),
)
LEAVES_OUT = Writing(unsupported=Unsupported.LEAVE_OUT)


def examined(*statements: Statement, brief: Brief = Brief(), **changed: Any) -> Examined:  # noqa: B008  (frozen)
    written = WrittenAnswer(**{"status": "answered", "statements": statements, "confidence": 0.8, **changed})
    return Examined(written, (RULES, BOOK, TASK), QUESTION, brief)


def answered(*statements: Statement, writing: Writing = Writing(), **changed: Any) -> Answer:  # noqa: B008  (frozen)
    return checked(examined(*statements, **changed), Checks(QUESTION, (RULES, BOOK, TASK)), writing)


def test_each_sentence_gets_the_numbers_of_its_sources_before_its_full_stop() -> None:
    answer = answered(LOOP, DUE)
    assert answer.markdown == (
        "A while loop goes on as long as its condition is true [1]. Homework 3 is due on February 19 at noon [2]."
    )
    assert [(one.block_id, one.verified) for one in answer.citations] == [("book", True), ("rules", True)]
    assert (answer.warnings, answer.confidence) == ((), 0.8)


def test_sentences_of_one_statement_share_its_sources_unless_they_name_their_own() -> None:
    both = "Homework 3 is due in February this year. It is handed in on a Thursday at noon."
    assert answered(DUE.model_copy(update={"text": both})).markdown == (
        "Homework 3 is due in February this year [1]. It is handed in on a Thursday at noon [1]."
    )
    own = "Homework 3 is due in February this year [1]. The course has no other homework than that."
    problems = examined(DUE.model_copy(update={"text": own})).problems
    assert list(problems) == [1]


def test_a_statement_about_the_students_own_code_needs_no_reference() -> None:
    answer = answered(NEVER_ENDS)
    assert answer.markdown == NEVER_ENDS.text
    assert (answer.warnings, answer.citations) == ((), ())


def test_a_statement_without_a_source_is_marked_and_lowers_the_confidence() -> None:
    answer = answered(DUE, INVENTED)
    assert answer.markdown.endswith("Late work is accepted for a whole week without any penalty *(not verified)*.")
    assert answer.confidence == 0.4
    assert answer.warnings == (
        "1 statement(s) have no quote from the material that supports them, the first: "
        "“Late work is accepted for a whole week without any penalty.”",
    )


def test_a_quote_that_stands_nowhere_supports_nothing_although_its_passage_exists() -> None:
    assert examined(MISQUOTED).problems == {0: NOT_QUOTED}
    assert "[1] *(not verified)*." in answered(MISQUOTED).markdown


def test_a_course_may_leave_unsupported_statements_out() -> None:
    answer = answered(INVENTED, DUE, MISQUOTED, writing=LEAVES_OUT)
    assert answer.markdown == "Homework 3 is due on February 19 at noon [1]."
    assert answer.warnings == ("2 statement(s) were left out: no quote from the material supports them.",)


def test_an_answer_of_which_every_statement_is_left_out_is_an_abstention() -> None:
    answer = answered(INVENTED, writing=LEAVES_OUT)
    assert (answer.status, answer.markdown) == ("abstained", "")


def test_paragraphs_stay_apart_where_a_statement_between_them_is_left_out() -> None:
    second = DUE.model_copy(update={"text": "\nHomework 3 is due on February 19 at noon."})
    markdown = answered(LOOP, INVENTED, second, writing=LEAVES_OUT).markdown
    assert markdown.count("\n\n") == 1


def test_a_course_writes_the_mark_in_its_own_language() -> None:
    assert "*(nicht belegt)*" in answered(INVENTED, writing=Writing(mark="(nicht belegt)")).markdown


def test_numbers_of_passages_that_do_not_exist_are_no_source() -> None:
    wrong = DUE.model_copy(update={"sources": (Quoted(passage=9, quote="due on Thursday"),)})
    answer = answered(wrong)
    assert answer.citations == ()
    assert answer.markdown == "Homework 3 is due on February 19 at noon *(not verified)*."


def test_a_quote_may_say_that_it_leaves_something_out() -> None:
    shortened = DUE.model_copy(update={"sources": (Quoted(passage=1, quote="Homework 3 is due … at noon"),)})
    assert examined(shortened).problems == {}


def test_greetings_questions_and_asides_need_no_source() -> None:
    greeting = Statement(text="Hi, thanks for the question about your homework and the loop!")
    asked = Statement(text="What do you expect the loop to print in its first round?")
    assert examined(greeting, asked).asserted == 0


def test_only_answers_are_asked_for_their_sources() -> None:
    assert answered(INVENTED, status="needs_clarification").markdown == INVENTED.text


def test_staff_text_supports_a_statement_without_being_cited() -> None:
    staff = RULES.model_copy(update={"visibility": Visibility.STAFF})
    found = Examined(examined(DUE).written, (staff,), QUESTION)
    assert found.problems == {}
    assert checked(found, Checks(QUESTION, (staff,))).citations == ()


def test_a_hint_that_repeats_the_task_is_named() -> None:
    copied = Statement(
        text="You need a function that counts how many of the rolls in a list are larger than the mean of all rolls.",
        sources=(Quoted(passage=3, quote="counts how many of the rolls"),),
    )
    assert "wording of the task" in answered(copied, brief=Brief(task=(TASK,))).warnings[0]
    assert answered(copied).warnings == ()


def test_code_for_a_task_that_nobody_wrote_before_is_named() -> None:
    code = (
        "```python\ndef count(rolls):\n    mean = sum(rolls) / len(rolls)\n    return sum(r > mean for r in rolls)\n```"
    )
    assert "shows code" in answered(LOOP, Statement(text=code), brief=Brief(task=(TASK,))).warnings[0]
    own = Statement(text=f"```python\n{QUESTION.code}\n```")
    assert answered(LOOP, own, brief=Brief(task=(TASK,))).warnings == ()


def test_parts_stand_in_paragraphs_and_one_without_an_answer_is_named() -> None:
    brief = Brief(parts=("Why does my loop never end?", "When is it due?", "Where do I hand it in?"))
    first, second = (one.model_copy(update={"part": n}) for n, one in enumerate((LOOP, DUE), 1))
    answer = answered(first, second, brief=brief)
    assert answer.markdown.count("\n\n") == 1
    assert answer.warnings == ("Question 3 of the 3 in the post is not answered.",)
    assert examined(first, second, brief=brief).findings == ("No statement answers part 3.",)


def test_code_lists_and_tables_keep_their_form() -> None:
    markdown = answered(
        Statement(text="Do this:"),
        Statement(text="- first step", sources=LOOP.sources),
        Statement(text="- second step"),
        Statement(text="```python\nx = [1]\n```"),
        Statement(text="| day | points |\n|---|---|\n| 1 | 10 |", sources=DUE.sources),
    ).markdown  # fmt: skip
    assert markdown == (
        "Do this:\n\n- first step [1]\n- second step\n\n```python\nx = [1]\n```\n\n"
        "| day | points |\n|---|---|\n| 1 | 10 |\n\n[2]"
    )


TEXTS = st.lists(
    st.sampled_from(
        [
            "One sentence that says something here. ",
            "Two [1]. ",
            "- item\n",
            "```\ncode\n```\n",
            "| a |\n",
            "$$x$$",
            "> q\n",
        ]
    ),
    max_size=5,
).map("".join)


@given(st.lists(TEXTS, max_size=5))
def test_the_sentences_of_an_answer_joined_are_the_answer(texts: list[str]) -> None:
    found = examined(*(Statement(text=text) for text in texts))
    assert "".join(sentence.text for sentence in found.sentences) == found.written.answer


@given(st.lists(TEXTS, max_size=5))
def test_whatever_is_written_is_examined_without_an_error(texts: list[str]) -> None:
    sources = (Quoted(passage=1, quote="Late work"), Quoted(passage=7, quote=""), Quoted(passage=-3, quote="…"))
    found = examined(*(Statement(text=text, sources=sources) for text in texts))
    for writing in (Writing(), LEAVES_OUT):
        checked(found, Checks(QUESTION, (RULES,)), writing)
    assert 0 <= found.confidence <= 0.8


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2. Run the tests of the exercise once more today.", "2. Run the tests of the exercise once more today [1]."),
        ("Use a short name, as others do, for files etc.", "Use a short name, as others do, for files etc. [1]"),
        ("Many of them are handed in late, i.e. After noon.", "Many of them are handed in late, i.e. After noon [1]."),
        ("It costs 3.5 points, see [p. Two](http://x.example/a.b).", None),
        ("## 2. Run the tests of the exercise", None),
    ],
)
def test_a_reference_stands_in_no_number_abbreviation_code_or_link(text: str, shown: str | None) -> None:
    sources = (Quoted(passage=1, quote="x"),)
    written = WrittenAnswer(status="answered", statements=(Statement(text=text, sources=sources),), confidence=1.0)
    sentences = Examined(written, (), Question(body="?")).sentences
    joined = "".join(sentence.shown() for sentence in sentences)
    assert joined.replace(" [1]", "") == text
    assert shown in (None, joined)


POINTER = Statement(kind="pointer", text="All weights stand in the table of the syllabus under the heading Grading.")
EXAMPLE = Statement(kind="example", text="With the numbers 1, 2 and 6 the mean would be 3 and the median 2.")
REQUEST = Statement(kind="request", text="The numbers may still differ, in which case you post your code here.")


@pytest.mark.parametrize("statement", [POINTER, EXAMPLE, REQUEST], ids=lambda one: one.kind)
def test_only_claims_need_a_source(statement: Statement) -> None:
    claimed = statement.model_copy(update={"kind": "claim"})
    assert answered(DUE, statement).confidence == 0.8
    assert answered(DUE, claimed).confidence == 0.4


@pytest.mark.parametrize("statement", [POINTER, EXAMPLE, REQUEST], ids=lambda one: one.kind)
def test_what_is_no_claim_is_not_posted_without_a_person_either(statement: Statement) -> None:
    assert Doubt.UNVERIFIED in answered(DUE, statement).doubts


def test_an_answer_may_say_what_the_task_asks_beside_other_things() -> None:
    rule = Statement(text=TASK.text, sources=(Quoted(passage=3, quote="counts how many of the rolls in a list"),))
    assert not examined(DUE, rule, brief=Brief(task=(TASK,))).problems


def test_a_kind_hides_no_wording_of_the_task() -> None:
    copied = Statement(kind="example", text=TASK.text)
    assert TASK_WORDING in str(examined(copied, brief=Brief(task=(TASK,))).findings)


def test_quoted_code_of_a_passage_is_no_code_of_ones_own() -> None:
    code = "```python\ntotal = 0\nfor roll in rolls:\n    total += roll\nmean = total / len(rolls)\n```"
    source = passage("code", f"As in the chapter:\n{code}")
    quoted = "\n".join(f"> {line}" for line in code.splitlines())
    statement = Statement(text=quoted, sources=(Quoted(passage=1, quote="for roll in rolls:"),))
    written = WrittenAnswer(status="answered", statements=(statement,), confidence=0.8)
    assert not Examined(written, (source, TASK), QUESTION, Brief(task=(TASK,))).problems


def test_who_asks_for_a_tasks_wording_may_be_told_it() -> None:
    told = Statement(text=TASK.text, sources=(Quoted(passage=3, quote="larger than the mean of all rolls"),))
    assert TASK_WORDING in examined(told, brief=Brief(task=(TASK,))).problems.values()
    assert not examined(told, brief=Brief(task=(TASK,), asks_for_wording=True)).problems
