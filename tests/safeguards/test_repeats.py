"""Words of texts for staff alone stay out of answers; everybody else's words do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.code import CodeTest, LintMessage
from core.text.sentences import units
from core.types import Message, Question, Role
from safeguards import asker_texts, readable_texts, staff_texts, without_leaks
from tests.pipelines.runs import passage
from tests.sweeps import sweep

Disguise = Callable[[list[str]], str]
LONG = 20
"""Words of two letters that are enough for a copy."""


def each(form: str, between: str = " ") -> Disguise:
    """Every word in that form."""
    return lambda words: between.join(form.format(word=word, head=word[:1], tail=word[1:]) for word in words)


DISGUISES: dict[str, Disguise] = {
    "bold in words": each("{head}**{tail}**"),
    "italic in words": each("_{head}_{tail}"),
    "code in words": each("{head}`{tail}`"),
    "escapes in words": each("{head}\\_{tail}"),
    "links": each("[{word}](#)"),
    "links with titles": each('[{word}](https://x.example/a "so")'),
    "links by reference": each("[{word}][a]"),
    "linked references": each("{word} [1](#a)"),
    "footnotes": each("{word}[^1]"),
    "struck out": each("~~{word}~~"),
    "dots between": each("{word}", "·"),
    "symbols between": each("{word}", " § "),
    "slashes between": each("{word}", " / "),
    "tags around words": each("<b>{word}</b>"),
    "tags in words": each('{head}<span class="a. B">{tail}</span>'),
    "line breaks": each("{word}", "<br>"),
    "LaTeX around all": lambda words: rf"$\text{{{' '.join(words)}}}$",
    "LaTeX around words": each(r"\mathrm{{{word}}}", r"\ "),
    "grapheme joiners": each("{head}\u034f{tail}"),
    "variation selectors": each("{head}\ufe0f{tail}"),
    "tag characters": each("{head}\U000e0041{tail}"),
    "fillers": each("{head}\u115f{tail}"),
    "accents": each("{head}\u0301{tail}"),
    "other hyphens": each("{word}", "\u2011"),
    "no spaces": each("{word}", ""),
    "entities": each("{word}", "&shy;&nbsp;"),
    "list of words": each("1. {word}", "\n"),
}
COPY = "there are six of thirtysix outcomes with that sum hence the probability is one sixth"
TERMS = (
    "mean",
    "median",
    "mode",
    "variance",
    "plot",
    "table",
    "sort",
    "group",
    "query",
    "index",
    "join",
    "null",
    "axis",
)
WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyzäéñßđ", min_size=2, max_size=9), min_size=LONG, max_size=30)

SOLUTION = """There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth.
```python
def busiest(rides, n=5):
    totals = rides.groupby("station")["rides"].sum()
    return totals.sort_values(ascending=False).head(n)
```
**Solution:** By symmetry the variance is 36 percent.

|---|---|---|---|"""


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (
            "Good start. There are six of thirty-six outcomes with that sum, hence the probability is one sixth [1]. "
            "Can you see why?",
            "Good start. Can you see why?",
        ),
        (
            "THERE ARE SIX OF **THIRTY-SIX** OUTCOMES, with that sum, hence\nthe   probability is exactly one sixth!",
            "",
        ),
        (
            'Like so:\n\n```python\ntotals = rides.groupby("station")["rides"].sum()\n```\n\nThen plot it.',
            "Like so:\n\nThen plot it.",
        ),
        ('Write `totals.sort_values(ascending=False).head(n)` [1]. Done.', "Done."),
        ("By symmetry the variance is 36 percent, I think [1]. Why?", "Why?"),
        ("| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |",) * 2,
        ("- Group first.\n- `rides.groupby('station')`", "- Group first.\n- `rides.groupby('station')`"),
        ("Count the outcomes with that sum, then divide by all of them [1].",) * 2,
        ("There a\u200bre six of thir\u200bty-six outcomes with that sum, hence the probability is one sixth.", ""),
    ],
    ids=[
        "prose", "other marks", "code block", "code in a sentence", "a short result", "a table", "short code",
        "own words", "invisible letters",
    ],
)  # fmt: skip
def test_sentences_and_code_that_repeat_a_solution_are_withheld(answer: str, left: str) -> None:
    assert without_leaks(answer, [SOLUTION], [])[0] == left


def test_a_copy_cut_into_short_sentences_is_a_copy_all_the_same() -> None:
    solution = "First sort the table by date. Then take the last row. Then read its price column."
    shown, withheld = without_leaks(
        "Ok.\n- First sort the table by date\n- Then take the last row\n- Then read its price column", [solution], []
    )
    assert (shown, withheld) == ("Ok.", 3)


def test_what_the_student_wrote_or_may_read_is_no_secret() -> None:
    said = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
    question = Question(body="Is this right?", thread=(Message(role=Role.STUDENT, body=said),))
    assert without_leaks(said, [SOLUTION], [], asker=asker_texts(question)) == (said, 0)
    assert without_leaks(said, [SOLUTION], readable_texts([passage("1", said)])) == (said, 0)
    assert without_leaks(said, [SOLUTION], [], asker=asker_texts(Question(body="x", code=said))) == (said, 0)


def test_solutions_and_passages_for_staff_are_secret_and_no_others() -> None:
    staff = passage("1", "For staff.", visibility="staff", solution="Solved.")
    assert staff_texts([staff, passage("2", "For all."), passage("3", "AskedQuestion.", solution="S.")]) == [
        "Solved.", "For staff.", "S.",
    ]  # fmt: skip


@given(st.text(max_size=400))
def test_units_joined_are_the_text_again(text: str) -> None:
    assert "".join(unit.text for unit in units(text)) == text


@given(st.lists(st.sampled_from("abcdefgh"), min_size=LONG, max_size=60), st.text(max_size=40), st.text(max_size=40))
def test_a_copied_stretch_is_withheld_wherever_it_stands(words: list[str], before: str, after: str) -> None:
    secret = " ".join(f"{word}{place}" for place, word in enumerate(words))
    shown, withheld = without_leaks(f"{before}\n\n{secret}\n\n{after}", [secret], [])
    assert secret not in shown
    assert withheld >= 1


@given(st.text(max_size=200), st.lists(st.text(max_size=60), max_size=3))
def test_an_answer_without_a_leak_is_left_as_it_is(answer: str, secrets: list[str]) -> None:
    shown, withheld = without_leaks(answer, secrets, [answer])
    assert (shown, withheld) == (answer, 0)


@pytest.mark.parametrize("disguise", sweep(DISGUISES, every=3))
@given(words=WORDS)
def test_a_copied_sentence_is_withheld_in_every_disguise(disguise: Disguise, words: list[str]) -> None:
    shown, withheld = without_leaks(f"Good start.\n\n{disguise(words)}.\n\nWhy?", [f"{' '.join(words)}."], [])
    assert withheld >= 1
    assert shown == "Good start.\n\nWhy?"


@pytest.mark.parametrize("disguise", [one for name, one in DISGUISES.items() if name != "no spaces"])
def test_a_disguise_of_the_secret_itself_helps_nobody(disguise: Disguise) -> None:
    assert without_leaks(f"Well. {COPY}", [disguise(COPY.split())], [])[1] >= 1


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_what_may_be_read_may_be_read_in_every_form(disguise: Disguise) -> None:
    answer = f"Well.\n\n{disguise(COPY.split())}"
    assert without_leaks(answer, [COPY], [f"It is said: {COPY}"]) == (answer, 0)


def test_a_short_result_is_withheld_in_disguise_too() -> None:
    assert without_leaks("B**y** symmetr**y** the·variance is 36 per**cent** [1]. Why?", [SOLUTION], []) == ("Why?", 1)


def test_digits_that_only_read_alike_are_no_copy() -> None:
    table = " ".join("0" * 40)
    assert without_leaks("It is 100000000000000000000 in all.", [table], [])[1] == 0


@given(st.data())
def test_an_answer_that_shares_no_word_with_a_secret_is_left_as_it_is(data: st.DataObject) -> None:
    mine = data.draw(st.sets(st.sampled_from(TERMS)))
    marks = [*"*_~`·<>[]()$\\|#", "\n", " ", ". ", "](#)", "<b>"]
    answer = "".join(data.draw(st.lists(st.sampled_from([*sorted(mine), *marks]), max_size=60)))
    others = [word for word in TERMS if word not in mine] or ["nothing"]
    secret = " ".join(data.draw(st.lists(st.sampled_from(others), max_size=60)))
    assert without_leaks(answer, [secret], []) == (answer, 0)


SECRET_SENTENCE = "the posterior equals prior times likelihood divided by total evidence so roughly one tenth remains"
FILLED = " ".join(f"{word} well" if place % 3 == 2 else word for place, word in enumerate(SECRET_SENTENCE.split()))


@pytest.mark.parametrize(
    "told",
    [
        FILLED,
        " ".join(reversed(SECRET_SENTENCE.split())),
        SECRET_SENTENCE.replace("the ", "").replace(" so ", " "),
    ],
    ids=["words strewn in", "backwards", "little words left out"],
)
def test_a_sentence_repeated_word_by_word_is_withheld(told: str) -> None:
    left, withheld = without_leaks(f"Think of Bayes. {told.capitalize()}. Can you see why?", [SECRET_SENTENCE], [])
    assert withheld == 1
    assert left == "Think of Bayes. Can you see why?"


def test_a_hint_with_some_of_a_solutions_words_is_no_copy() -> None:
    hint = "Write down the prior and the likelihood first. Which total do you divide by? What remains of one tenth?"
    assert without_leaks(hint, [SECRET_SENTENCE], []) == (hint, 0)


def test_what_the_task_says_in_the_same_order_may_be_said_again() -> None:
    task = f"Show that {FILLED}, and say why."
    assert without_leaks(f"You are to show that {FILLED}.", [SECRET_SENTENCE], [task])[1] == 0


def test_a_list_of_words_excuses_no_sentence_that_they_make() -> None:
    told = " ".join(f"{word} ~~no~~" for word in SECRET_SENTENCE.split())
    listed = " ".join(sorted({*SECRET_SENTENCE.split(), "able", "zebra"}))
    for asked in (
        Question(body="How?", thread=(Message(role=Role.STUDENT, body=listed),)),
        Question(body="How?", thread=(Message(role=Role.TA, body=f"{listed} " * 20),)),
        Question(body="How?", tests=(CodeTest(name=listed, accepted=False),)),
        Question(body="How?", code=listed, linting=(LintMessage(line=1, message=listed),), images=(listed,)),
    ):
        assert without_leaks(told, [SECRET_SENTENCE], [], asker=asker_texts(asked))[1] == 1


def test_a_sentence_that_the_student_wrote_may_be_told_again_with_words_between() -> None:
    told = " ".join(f"{word} ~~no~~" for word in SECRET_SENTENCE.split())
    assert without_leaks(told, [SECRET_SENTENCE], [], asker=[f"I think {SECRET_SENTENCE}?"])[1] == 0
