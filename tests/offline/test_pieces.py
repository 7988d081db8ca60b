"""What can be quoted of a passage: sentences with their code, formulas and brackets whole."""

from __future__ import annotations

import pytest

from core.types import Answer, Question
from offline.pieces import MAX_CODE_CHARS, displayed, layout, pieces
from safeguards.citations import verified
from tasks import WriteAnswer
from tests.offline.writing import written
from tests.pipelines.runs import passage

CODE = '```python\nrows = df[df["x"].isna()]\nfirst = rows[0]\n```'


def texts(text: str) -> list[str]:
    return [words for words, _ in pieces(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The formula $f(x) = 1. X$ is not cut here.",
        "Call `a.b(1). Then` to see what it does.",
        "A bracket (see Sec. 3. It says more.) is not cut at its full stop.",
        r"The slope \(b. Y\) is what we look for here.",
    ],
)
def test_no_sentence_ends_within_code_a_formula_or_brackets(sentence: str) -> None:
    assert texts(f"Here we begin. {sentence} Here we end.") == ["Here we begin.", sentence, "Here we end."]


def test_a_bracket_that_is_never_closed_holds_nothing_together() -> None:
    assert texts("There is (no end. Here is the next.") == ["There is (no end.", "Here is the next."]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_sentence_that_leads_to_code_comes_with_it(between: str) -> None:
    found = pieces(f"Missing values are NaN. Find the missing rows so:{between}{CODE}\nThis is what follows it.")
    assert found == [
        ("Missing values are NaN.", "Missing values are NaN."),
        ("Find the missing rows so:", f"Find the missing rows so:\n\n{CODE}"),
        ("This is what follows it.", "This is what follows it."),
    ]


@pytest.mark.parametrize("code", ["```\nx = 1", "```\n" + "x = 1\n" * MAX_CODE_CHARS + "```", "~~~\n```\nx = 1"])
def test_code_that_is_cut_off_or_long_does_not_come_along(code: str) -> None:
    assert pieces(f"Find the missing rows so:\n{code}") == [("Find the missing rows so:",) * 2]


def test_code_in_a_list_is_shown_without_its_indentation() -> None:
    found = pieces("1. Find the missing rows so:\n\n   ```\n   if x:\n       y\n   ```\n")
    assert found == [("Find the missing rows so:", "Find the missing rows so:\n\n```\nif x:\n    y\n```")]


def test_a_displayed_formula_belongs_to_its_sentence() -> None:
    assert texts("The mean is\n$$\n\\bar x = \\frac{1}{n}\n- \\sum x\n$$\nwhich is a number.") == [
        r"The mean is $$\bar x = \frac{1}{n} - \sum x$$ which is a number."
    ]


def test_a_sentence_full_of_formulas_and_code_is_prose() -> None:
    sentence = r"The estimator $\hat\beta = (X^T X)^{-1} X^T y$ is `lm(y ~ x + z, data = d)` in R."
    assert texts(sentence) == [sentence]
    assert texts("`x = 1` $y = 2$") == []


def shown(question: str, text: str) -> str:
    return answered(question, text).markdown


def answered(question: str, text: str) -> Answer:
    found = (passage("p", text),)
    task = WriteAnswer(course="c", question=Question(body=question), passages=found, abstain_below=0)
    return verified(written(task), found)


def test_an_answer_keeps_code_as_code() -> None:
    answer = shown("how do I find the missing rows?", f"Find the missing rows of a table so:\n\n{CODE}\n")
    assert "> Find the missing rows of a table so:\n>\n" + "\n".join(f"> {line}" for line in CODE.split("\n")) in answer


def test_an_answer_keeps_formulas_and_code_with_brackets_as_they_are() -> None:
    text = "The interval of a probability is $p \\in [0, 1]$ and `x[0]` is the first probability of list [3]."
    answer = shown("what is the interval of a probability?", text)
    assert "$p \\in [0, 1]$" in answer
    assert "`x[0]`" in answer
    assert r"list \[3]" in answer


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("`isna()` finds the missing values.", "what finds the missing values?"),
        (r"The estimator of the slope is $\hat\beta$.", "what is the estimator of the slope?"),
        ("Missing values are counted (as NaN).", "how are missing values counted?"),
    ],
)
def test_a_citations_quote_has_both_ends_of_code_formula_and_brackets(text: str, question: str) -> None:
    (citation,) = answered(question, text).citations
    assert citation.quote == text.removesuffix(".")


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\n\ndef estimate(X, y):\n    # The intercept comes first.\n    return fit(X, y)[0]",
        "x <- c(1, 2)\nmean(x)",
        "SELECT name\nFROM lakes\nWHERE depth > 3",
        "df.groupby('x').mean()",
    ],
)
def test_code_that_ingestion_stored_without_fences_is_shown_with_them(code: str) -> None:
    found = pieces(f"Compute the estimate with this program:\n\n{code}\n\nThe rest of the text follows here.")
    assert found == [
        ("Compute the estimate with this program:", f"Compute the estimate with this program:\n\n```\n{code}\n```"),
        ("The rest of the text follows here.", "The rest of the text follows here."),
    ]


def test_prose_and_tables_behind_a_colon_are_no_code() -> None:
    text = "Two kinds:\n\n  First come the numbers. Then names.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert all("```" not in shown for _, shown in pieces(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("First one.\nStill first.\n\nThen two.", "First one. Still first.\n\nThen two."),
        ("- a thing\n- another\n  thing\n\nAn end of it.", "- a thing\n- another thing\n\nAn end of it."),
        (
            "Run this now\n\npip uninstall one\npip install two",
            "Run this now\n\n```\npip uninstall one\npip install two\n```",
        ),
        ("Part | Share\nQuizzes | 20 %", "| Part | Share |\n|---|---|\n| Quizzes | 20 % |"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        (
            "The loop is this one.\n\nfor n in ns:\n    print(n)",
            "The loop is this one.\n\n```\nfor n in ns:\n    print(n)\n```",
        ),
    ],
)
def test_all_pieces_together_are_the_text_as_markdown(text: str, shown: str) -> None:
    assert displayed(layout(text)) == shown


def test_a_formula_behind_an_empty_line_stays_with_the_sentence_that_leads_to_it() -> None:
    (first, *_) = layout("The tension is measured as follows:\n\n$$\nT = kx\n$$\n\nIt grows with the length.")
    assert first.shown == "The tension is measured as follows:\n\n$$T = kx$$"
    assert "$$T = kx$$" in displayed(layout("Looms are old.\n\n$$\nT = kx\n$$\n"))


def test_an_item_without_a_sentence_is_an_item_and_no_code() -> None:
    assert displayed(layout("- Winter 2019\n- Winter 2019 keys\n- 1.2")) == "- Winter 2019\n- Winter 2019 keys\n- 1.2"


def test_items_that_end_in_a_semicolon_are_no_code() -> None:
    items = "The parts:\n\n- C_in, inflow;\n- k = decay;\n- V"
    assert "```" not in displayed(layout(items))
