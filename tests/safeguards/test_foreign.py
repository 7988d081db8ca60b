"""Links to where no cited passage leads and invisible characters do not reach a reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Answer, Question, Status
from safeguards import without_invisible
from safeguards.checks import Checks, checked
from safeguards.statements import Examined
from tests.pipelines.runs import passage, unmarked, written

BOOK = passage(
    "1", "See https://scikit-learn.org/stable/impute.html and ![plot](figures/plot.png), or https://docs.example."
)


def answered(text: str, question: str = "Why?", **staff: str) -> Answer:
    said = Examined(written(text), [BOOK], Question(body=question))
    return unmarked(checked(said, Checks(said.question, [BOOK, passage("2", **staff)])))


@pytest.mark.parametrize(
    "text",
    [
        "See [the page](https://scikit-learn.org/other) [1].",
        "See <https://docs.example/a> or https://scikit-learn.org [1].",
        "![plot](figures/plot.png) [1].",
        "`requests.get('https://scikit-learn.org/a')` [1].",
        "```python\nfrom a.b import c\npath = 'data/rides.csv'\nurl = 'https://docs.example/x'\n```\nDone [1].",
        "Call `test_that_a_very_long_function_name_is_left()` in /home/u1/data/2024/01/hw3/q2a/notebook.ipynb [1].",
        "y~x1+x2+x3+x4+x5+x6+x7+x8+x9+x10+x11+x12, 3.14159265358979323846264338327950288419 [1].",
        "Ten [1] of f(x)[0] and a<b [1].",
    ],
)
def test_what_a_cited_passage_leads_to_is_kept(text: str) -> None:
    answer = answered(text)
    assert answer.markdown == text
    assert not [warning for warning in answer.warnings if "removed" in warning]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("See [the page](https://evil.example/a) [1].", "See the page [1]."),
        ("See [the page](//evil.example/a 'title') [1].", "See the page [1]."),
        ("See [the page](https://scikit-learn.org@evil.example) [1].", "See the page [1]."),
        (
            "See [it](javascript:alert) or [me](mailto:a@evil.example) or [this](other.md) [1].",
            "See it or me or this [1].",
        ),
        ("Look ![a plot](https://evil.example/a.png) here [1].", "Look  here [1]."),
        ("[![a](https://evil.example/a)](https://evil.example) Go [1].", "Go [1]."),
        ("Look <https://evil.example/a> [1].", "Look  [1]."),
        ("Look at https://evil.example/a. Then go [1].", "Look at . Then go [1]."),
        ("Look at www.evil.example/a [1].", "Look at  [1]."),
        ("Look [here][a] [1].\n\n[a]: https://evil.example/a 'b'\n", "Look [here][a] [1]."),
        ('Look <img src="https://evil.example/a"> <a href="https://evil.example">here</a> [1].', "Look  here [1]."),
    ],
)
def test_foreign_links_are_removed_with_a_warning(text: str, left: str) -> None:
    answer = answered(text)
    assert answer.markdown == left
    assert [warning for warning in answer.warnings if "removed" in warning]


def test_a_warning_names_the_host() -> None:
    assert (
        "A link to a host that no cited passage names was removed: evil.example."
        in answered("Look <https://evil.example/a> [1].").warnings
    )


def test_a_host_in_a_passage_that_is_not_cited_does_not_count() -> None:
    assert answered("See [it](https://scikit-learn.org).").markdown == "See it."


def test_a_warning_does_not_repeat_a_secret_in_a_hosts_name() -> None:
    secret = "there are six of thirtysix outcomes with that sum hence the probability is one sixth"
    host = ".".join(secret.split()) + ".example"
    answer = answered(f"Good start [1]. Look <https://{host}/> [1].", solution=secret)
    assert "thirtysix" not in answer.model_dump_json()


def test_words_kept_apart_by_what_is_removed_are_checked_again() -> None:
    secret = "there are six of thirtysix outcomes with that sum hence the probability is one sixth"
    apart = " ".join(f"{word[:1]}![zzzz](https://evil.example){word[1:]}" for word in secret.split())
    assert answered(f"Good start [1]. {apart.capitalize()}.", solution=secret).markdown == "Good start [1]."


def test_an_answer_that_is_only_a_link_elsewhere_is_an_abstention() -> None:
    assert answered("https://evil.example").status is Status.ABSTAINED


@pytest.mark.parametrize(
    "text",
    ["می‌خواهم", "क्‍या", "👩‍🔬 ❤️ 1️⃣ 🇫🇷 👍🏽", "e\u0301a\u0308", "a\tb\nc", "१२३ ٣ 한국어 中文 日本語", "\u0600\u0661"],
)
def test_what_writing_needs_is_kept(text: str) -> None:
    assert without_invisible(text) == text


@pytest.mark.parametrize(
    "char",
    [
        "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u115f", "\u1160", "\u3164",
        "\uffa0", "\U000e0041", "\U000e0101", "\ufe0f", "\ufe00", "\x00", "\x1b", "\x7f", "\x9f", "\ue000",
        "\U000f0000", "\ufdd0", "\uffff", "\u034f", "\u0378",
    ],
)  # fmt: skip
def test_what_nobody_sees_goes_from_every_answer(char: str) -> None:
    assert answered(f"It{char} is{char}{char} so [1].").markdown == "It is so [1]."


@given(st.text())
def test_dropping_the_invisible_twice_is_dropping_it_once(text: str) -> None:
    assert without_invisible(without_invisible(text)) == without_invisible(text)
