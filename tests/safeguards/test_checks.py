"""What a written answer goes through before anybody sees it."""

from __future__ import annotations

from core.types import Question, Status
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
