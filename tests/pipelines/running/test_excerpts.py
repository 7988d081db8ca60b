"""What a writer is sent of the passages found."""

from __future__ import annotations

from core.types import Match, Passage, Question
from pipelines.running.excerpts import (
    GAP,
    MAX_PIECES,
    MIN_CHARS,
    SHORT_CHARS,
    TEXT_CHARS,
    TOTAL_CHARS,
    _pieces,
    excerpts,
)
from tests.pipelines.runs import passage

QUESTION = Question(body="When is the report on pendulums due?")
FILLER = "Nothing of interest is told in this line about weather.\n"
LONG = f"Rules of the lab\n{FILLER * 60}The report on pendulums is due in May.\n{FILLER * 60}"


def matching(number: str, meaning: float, text: str = LONG, **changed: object) -> Passage:
    match = Match(words=0.0, meaning=meaning)
    return passage(number, text).model_copy(update={"match": match, **changed})


def test_a_short_text_is_sent_whole() -> None:
    (sent,) = excerpts([passage("1", "The report is due in May.")], QUESTION, ())
    assert sent.text == "The report is due in May."


def test_of_a_long_text_the_first_line_and_what_is_asked_for_are_sent() -> None:
    (sent,) = excerpts([passage("1", LONG)], QUESTION, ())
    assert sent.text.startswith("Rules of the lab\n")
    assert "The report on pendulums is due in May." in sent.text
    assert GAP in sent.text
    assert len(sent.text) <= TEXT_CHARS + 5 * len(GAP)


def test_the_words_of_a_search_count_as_those_of_the_question() -> None:
    question = Question(body="Wann ist die Abgabe?")
    (sent,) = excerpts([passage("1", LONG)], question, ("report pendulums",))
    assert "The report on pendulums is due in May." in sent.text


def test_the_better_a_passage_matches_the_more_of_it_is_sent() -> None:
    best, worse, far = excerpts([matching("1", 0.8), matching("2", 0.6), matching("3", 0.2)], QUESTION, ())
    assert len(best.text) > len(worse.text) > MIN_CHARS
    assert far.text == ""


def test_what_an_earlier_draft_rests_on_is_sent_like_the_best() -> None:
    _, cited = excerpts([matching("1", 0.8), matching("2", 0.2)], QUESTION, (), whole=("2",))
    assert "The report on pendulums is due in May." in cited.text


def test_all_texts_together_are_bounded_and_their_numbers_stay() -> None:
    found = [passage(str(number), LONG) for number in range(12)]
    sent = excerpts(found, QUESTION, ())
    assert [one.block_id for one in sent] == [one.block_id for one in found]
    assert sum(len(one.text) for one in sent) <= TOTAL_CHARS + 12 * 5 * len(GAP)
    assert sent[-1].text == ""


def test_a_solution_is_sent_without_the_lines_of_its_task() -> None:
    task = "Two dice are rolled.\nWhat is the chance of seven?"
    (sent,) = excerpts([passage("1", task).model_copy(update={"solution": f"{task}\nOne in six."})], QUESTION, ())
    assert sent.text == task
    assert sent.solution == "One in six."


def test_a_text_without_a_word_of_the_question_is_sent_from_its_beginning() -> None:
    (sent,) = excerpts([passage("1", FILLER * 80)], Question(body="Pendulums?"), ())
    assert sent.text.startswith(FILLER.strip())
    assert 0 < len(sent.text) <= TEXT_CHARS


def test_a_text_in_one_line_is_cut_at_sentences() -> None:
    text = LONG.replace("\n", " ")
    (sent,) = excerpts([passage("1", text)], QUESTION, ())
    assert "The report on pendulums is due in May." in sent.text


def test_a_column_of_numbers_is_cut_in_a_bounded_number_of_pieces() -> None:
    column = "".join(f"{n}\n" for n in range(5_000))
    assert len(_pieces(column)) <= MAX_PIECES
    assert "".join(_pieces(column)) == column


def test_a_text_of_a_few_sentences_is_sent_whole_or_not_at_all() -> None:
    rule = "\n".join(f"Rule {number} of the laboratory says what it says about coats." for number in range(10))
    assert 500 < len(rule) <= SHORT_CHARS
    _, near, far = excerpts([matching("1", 0.9), matching("2", 0.45, rule), matching("3", 0.2, rule)], QUESTION, ())
    assert (near.text, far.text) == (rule, "")


def test_a_row_of_a_table_brings_its_head() -> None:
    rows = "".join(f"| {number} | weather, weather and again nothing but weather |\n" for number in range(60))
    table = f"Rules\n{FILLER * 30}\n| Work | Due |\n|---|---|\n{rows}| report on pendulums | in May |\n{rows}"
    (sent,) = excerpts([passage("1", table)], QUESTION, ())
    assert "| Work | Due |\n|---|---|\n" in sent.text
    assert "| report on pendulums | in May |" in sent.text
