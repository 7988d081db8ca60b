"""Words of texts for staff alone stay out of answers; everybody else's words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Message, Question, Role
from pipelines.leaks import LEAK, open_texts, staff_texts, without_leaks
from pipelines.sentences import units
from tests.pipelines.runs import passage

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
    assert without_leaks(said, [SOLUTION], open_texts(question, ())) == (said, 0)
    assert without_leaks(said, [SOLUTION], open_texts(Question(body="x"), [passage("1", said)])) == (said, 0)
    assert without_leaks(said, [SOLUTION], open_texts(Question(body="x", code=said), ())) == (said, 0)


def test_solutions_and_passages_for_staff_are_secret_and_no_others() -> None:
    staff = passage("1", "For staff.", visibility="staff", solution="Solved.")
    assert staff_texts([staff, passage("2", "For all."), passage("3", "Asked.", solution="S.")]) == [
        "Solved.", "For staff.", "S.",
    ]  # fmt: skip


@given(st.text(max_size=400))
def test_units_joined_are_the_text_again(text: str) -> None:
    assert "".join(unit.text for unit in units(text)) == text


@given(st.lists(st.sampled_from("abcdefgh"), min_size=LEAK, max_size=60), st.text(max_size=40), st.text(max_size=40))
def test_a_copied_stretch_is_withheld_wherever_it_stands(words: list[str], before: str, after: str) -> None:
    secret = " ".join(f"{word}{place}" for place, word in enumerate(words))
    shown, withheld = without_leaks(f"{before}\n\n{secret}\n\n{after}", [secret], [])
    assert secret not in shown
    assert withheld >= 1


@given(st.text(max_size=200), st.lists(st.text(max_size=60), max_size=3))
def test_an_answer_without_a_leak_is_left_as_it_is(answer: str, secrets: list[str]) -> None:
    shown, withheld = without_leaks(answer, secrets, [answer])
    assert (shown, withheld) == (answer, 0)
