"""The computed judges: what raises and lowers a score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CannotTell
from judging.computed.disagreements import alters
from judging.computed.features import features
from judging.computed.model import ACCEPTABLE, assess
from judging.computed.reading import read
from judging.computed.verdicts import check_statements, judge_disclosure, judge_teaching_points
from judging.computed.word_order import naturalness
from judging.rubric import shipped_rubric
from judging.tasks import CheckStatements, JudgeDisclosure, JudgeTeachingPoints

QUESTION = "What does a left join keep?"
REFERENCE = "A left join keeps all 12 rows of the left table and fills in missing values for other keys."
GOOD = "All 12 rows of the left table are kept, and for other keys missing values are filled in."


def score(answer: str) -> float:
    return assess(features(QUESTION, REFERENCE, answer)).score


def accepts(answer: str, question: str = QUESTION, reference: str = REFERENCE) -> bool | None:
    """Whether the computed judge accepts the answer; None where it cannot tell."""
    given = shipped_rubric("teaching_points").given
    try:
        reply = judge_teaching_points(
            JudgeTeachingPoints(given=given, question=question, reference=reference, answer=answer)
        )
    except CannotTell:
        return None
    return reply.score >= ACCEPTABLE


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I don't know.",
        QUESTION,
        "Gradient descent diverges when the learning rate is too large.",
        "tahle rwqs fxo lleft kejp thx vqlues mixsing anf",
    ],
)
def test_what_leaves_nothing_of_an_answer_is_rejected(answer: str) -> None:
    assert accepts(GOOD)
    assert accepts(answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        "filled table are of kept, for the rows All in. other missing keys left values and 12 are",
        "Not all 12 rows of the left table are kept, and for other keys missing values are filled in.",
        "All 12 rows of the left table are hardly kept, and for other keys missing values are filled in.",
        "All 17 rows of the left table are kept, and for other keys missing values are filled in.",
        "All 12 rows of the left table are discarded, and for other keys missing values are filled in.",
        "All 12 rows of the left sigmoid are kept, and for other keys missing values are filled in.",
        f"{GOOD} A left join keeps all 12 rows of the right table and fills in missing values for other keys.",
        "A left join keeps all 12 rows of the left table and fills in missing keys for other values.",
    ],
    ids=["shuffled", "negated", "hardly", "number", "opposite", "foreign term", "false claim", "roles"],
)
def test_a_judge_does_not_accept_what_it_cannot_tell_from_a_wrong_answer(answer: str) -> None:
    assert not accepts(answer)


def test_a_doubt_leaves_the_estimate_in_the_explanation_and_the_score_of_a_bad_answer_alone() -> None:
    swapped = GOOD.replace("table", "sigmoid")
    with pytest.raises(CannotTell, match="a word that neither question nor reference explains") as raised:
        judge_teaching_points(
            JudgeTeachingPoints(
                given=shipped_rubric("teaching_points").given, question=QUESTION, reference=REFERENCE, answer=swapped
            )
        )
    assert f"{score(swapped):.1f} of 5" in raised.value.details
    assert accepts("A sigmoid is not 17.") is False


@pytest.mark.parametrize(
    ("old", "new"),
    [("keeps", "retains"), ("missing", "absent"), ("other", "different"), ("12", "twelve")],
)
def test_everyday_words_of_the_same_meaning_leave_a_repeated_sentence_as_it_is(old: str, new: str) -> None:
    reference = "A left join keeps all twelve rows of the left table and fills in missing values for other keys."
    answer = reference.replace("twelve", "12").replace(old, new)
    assert not alters(read(answer), read(reference))


def test_a_statement_in_everyday_synonyms_does_not_alter_its_passage() -> None:
    passage = "Check the keys of both tables before you merge them. A smear down the whole lane means too much DNA."
    said = "Verify the keys of both tables before you merge them. A smear down the entire lane means too much DNA."
    assert not any(alters(sentence, read(passage)) for sentence in read(said).sentences)


@pytest.mark.parametrize(("old", "new"), [("before", "after"), ("Friday", "Monday"), ("two", "3"), ("higher", "lower")])
def test_opposites_other_days_and_other_numbers_in_a_repeated_sentence_are_not_accepted(old: str, new: str) -> None:
    reference = "Hand in your notebook before noon on Friday, at most two days late, for a higher share of the points."
    assert accepts(reference, "When do I hand in?", reference)
    assert accepts(reference.replace(old, new), "When do I hand in?", reference) is None


def test_formatting_and_invisible_characters_do_not_change_a_score() -> None:
    assert abs(score(f"- **{GOOD}** [1]") - score(GOOD)) < 0.1
    assert score("\u200b".join(GOOD)) == score(GOOD)


def test_a_reading_is_free_of_marks_and_has_statements() -> None:
    found = read("## Title\n- **Rows** stay [2]; keys go\n")
    assert found.text == "Title. Rows stay; keys go."
    assert found.sentences[1].statements == ("Rows stay", "keys go.")


def test_shuffled_words_have_no_natural_order() -> None:
    assert naturalness(GOOD) > 0.6
    assert naturalness("filled table are of kept no the rows all in where missing key left values and") < 0.4
    assert naturalness("two words") == 1


@given(st.text(max_size=60))
def test_any_text_gets_a_score_on_the_scale(answer: str) -> None:
    assert 0 <= score(answer) <= 5


def test_claims_are_supported_contradicted_or_absent_with_the_passage_s_words() -> None:
    passages = ("A left join keeps all 12 rows of the left table. Labs have no slip days.",)
    answer = "A left join keeps all 12 rows of the left table. Labs have slip days. The midterm is on Friday."
    task = CheckStatements(given=shipped_rubric("grounded").given, question=QUESTION, passages=passages, answer=answer)
    found = check_statements(task).statements
    assert [statement.verdict for statement in found] == ["supported", "contradicted", "absent"]
    assert found[1].quote == "Labs have no slip days."


@pytest.mark.parametrize(
    ("answer", "verdicts"),
    [
        ("Which rows do you mean?", []),
        ("A left join keeps all 12 rows of the left sigmoid.", ["absent"]),
        ("rows keeps left A all left the table of 12 join", ["absent"]),
        ("Which one? A left join keeps all 12 rows of the left table.", ["supported"]),
    ],
    ids=["question", "foreign term", "shuffled", "question and statement"],
)
def test_questions_are_no_statements_and_unreadable_ones_say_nothing(answer: str, verdicts: list[str]) -> None:
    passages = ("A left join keeps all 12 rows of the left table.",)
    task = CheckStatements(given=shipped_rubric("grounded").given, question=QUESTION, passages=passages, answer=answer)
    assert [one.verdict for one in check_statements(task).statements] == verdicts


def test_a_solution_given_away_is_noticed_and_a_pointer_is_not() -> None:
    def withheld(answer: str) -> float:
        solution = "Use groupby on the neighborhood column and take the median of price."
        given = shipped_rubric("disclosure").given
        return judge_disclosure(
            JudgeDisclosure(given=given, question="How do I do 2b?", solution=solution, answer=answer)
        ).withheld

    assert withheld("Group by the neighborhood column with groupby, then take the median of the price.") < 1
    assert withheld("Reread section 2.4 of the textbook and think about what one row stands for.") > 2
    assert withheld("") == 3
    assert withheld("The median of price.") < 1.5  # A result alone, of a solution that says much more.


def test_a_hint_gives_nothing_away_where_the_question_has_every_word_of_the_solution() -> None:
    def withheld(answer: str) -> float:
        question = "My loop over the numbers adds each number to the total, but the function returns None?"
        solution = "The loop adds each number to the total, and the function returns the total."
        given = shipped_rubric("disclosure").given
        return judge_disclosure(
            JudgeDisclosure(given=given, question=question, solution=solution, answer=answer)
        ).withheld

    assert withheld("What stands on the screen is not handed to the caller. Which keyword does that?") > 2
    assert withheld("The loop adds each number to the total, and then the function returns the total.") < 1
