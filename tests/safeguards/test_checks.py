"""What a written answer goes through before anybody sees it."""

from __future__ import annotations

from core.text.marks import without_mark
from core.types import Audience, Doubt, Question, Status
from safeguards.checks import Checks, checked
from safeguards.statements import Examined
from tests.pipelines.runs import passage, written

QUESTION = Question(body="When is it due?")
BOOK = passage("1", "Homework is due on Thursdays at noon.")


def test_statements_without_a_reference_are_named() -> None:
    text = (
        "Hi! Homework is due on Thursdays at noon [1]. Late work loses twenty percent for each day. "
        "Try the next part before you read on in the book. What would you count first in this table?\n\n"
        "From **Late work. All of the rules** [1]:\n\n> The rule for late work is written here. Nobody may change it "
        "after that.\n\n*This was extracted, and not written by a model.*\n\n"
        "```python\nx = 1 + 2 + 3 + 4 + 5 + 6\n```\nGood luck!"
    )
    answer = checked(Examined(written(text, (1, "Homework is due")), [BOOK], QUESTION), Checks(QUESTION, [BOOK]))
    assert answer.warnings == (
        "1 statement(s) have no quote from the material that supports them, the first: "
        "“Late work loses twenty percent for each day.”",
    )


def test_the_time_to_find_statements_grows_with_the_text_alone() -> None:
    for line in (" " * 19_000, " " * 19_000 + "x", f"[1]{' ' * 19_000}x", "[1]" + ":" * 19_000 + "x"):
        assert len(Examined(written(line), [BOOK], QUESTION).sentences) <= 2


def test_an_answer_with_its_sources_has_no_warning() -> None:
    answer = checked(
        Examined(written("It is due on Thursdays at noon [1].", (1, "due on thursdays")), [BOOK], QUESTION),
        Checks(QUESTION, [BOOK]),
    )
    assert (answer.status, answer.warnings, answer.citations[0].verified) == (Status.ANSWERED, (), True)


def test_only_answers_need_sources() -> None:
    asked = written(
        "The course has three homework assignments with that question in them.", status="needs_clarification"
    )
    assert checked(Examined(asked, [BOOK], QUESTION), Checks(QUESTION, [BOOK])).warnings == ()


def test_an_answer_of_which_nothing_is_left_is_an_abstention() -> None:
    secret = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
    solved = passage("1", "Two dice.", solution=secret)
    answer = checked(Examined(written(f"{secret} [1]"), [solved], QUESTION), Checks(QUESTION, [solved]))
    assert (answer.status, answer.markdown, answer.citations, answer.confidence) == (Status.ABSTAINED, "", (), 0.0)
    assert len(answer.warnings) == 2
    assert checked(Examined(written("  "), [], QUESTION), Checks(QUESTION)).status is Status.ABSTAINED


def test_a_passage_cut_out_of_the_prompt_is_secret_all_the_same() -> None:
    secret = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
    unseen = passage("2", "Two dice.", solution=secret)
    answer = checked(Examined(written(f"Well [1]. {secret}"), [BOOK], QUESTION), Checks(QUESTION, [BOOK, unseen]))
    assert answer.markdown == "Well [1]."


SECRET = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
CODE = 'totals = rides.groupby("station")["rides"].sum()\nbest = totals.sort_values(ascending=False).head(n)'
SOLVED = passage("1", "Two dice.", solution=f"{SECRET}\n```python\n{CODE}\n```")


def test_a_draft_for_staff_is_marked_where_it_repeats_a_text_for_staff_and_not_cut() -> None:
    said = Examined(written(f"Count them. {SECRET} Why is that so?", (1, "Two dice")), [SOLVED], QUESTION)
    answer = checked(said, Checks(QUESTION, [SOLVED], audience=Audience.STAFF))
    assert answer.markdown == (
        f"Count them [1]. {SECRET.removesuffix('.')} [1]. *(repeats a text for staff)* Why is that so [1]?"
    )
    assert answer.doubts == (Doubt.STAFF_TEXT,)
    assert answer.warnings == (
        "1 sentence(s) repeat a text for staff alone, such as a solution: see “(repeats a text for staff)”.",
    )


def test_code_of_a_solution_is_marked_under_other_names() -> None:
    said = f"Like so:\n\n```python\n{CODE.replace('totals', 'sums')}\n```\n\nTry it."
    marked, count = Checks(QUESTION, [SOLVED], audience=Audience.STAFF).with_marks(said)
    assert (count, marked) == (1, said.replace("\n\nTry", "\n\n*(repeats a text for staff)*\n\nTry"))
    assert without_mark(marked, "") == said


def test_a_draft_for_students_loses_what_it_repeats() -> None:
    said = Examined(written(f"Count them. {SECRET} Why?", (1, "Two dice")), [SOLVED], QUESTION)
    answer = checked(said, Checks(QUESTION, [SOLVED]))
    assert (answer.markdown, answer.doubts) == ("Count them [1]. Why [1]?", (Doubt.CUT,))


def test_a_draft_for_staff_that_repeats_nothing_has_no_mark() -> None:
    said = Examined(written("Count the outcomes [1].", (1, "Two dice")), [SOLVED], QUESTION)
    answer = checked(said, Checks(QUESTION, [SOLVED], audience=Audience.STAFF))
    assert (answer.markdown, answer.doubts, answer.warnings) == ("Count the outcomes [1].", (), ())


def test_texts_that_nobody_edits_are_cut_in_a_run_for_staff_too() -> None:
    left = Checks(QUESTION, [SOLVED], audience=Audience.STAFF).texts(["Good start.", f"Well. {SECRET}"])
    assert (left.texts, left.withheld) == (["Good start.", "Well."], 1)
