"""However a link is written, a renderer finds none in an answer that leads where no cited passage leads."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.web.render import markdown as page
from core.types import Answer, Question
from safeguards.checks import Checks, checked
from safeguards.statements import Examined
from tests.pipelines.runs import passage, unmarked, written

BOOK = passage(
    "1",
    "See https://docs.example/guide, <help@desk.example> and section 2.1 on np.linalg, hw1.csv, `X@beta.T` and 7//2; "
    "the plot is ![plot](plot.png).",
)
RENDERERS = [MarkdownIt("commonmark", {"html": html}).enable("table").render for html in (False, True)]
LIVE = re.compile(
    r"(?:href|src)\s*=\s*[\"']?[^\"'>]*(?:evil|javascript)|@import|//(?:hw1|np\.|beta|2\.1|2/)", re.IGNORECASE
)


def answered(text: str) -> Answer:
    said = Examined(written(f"See [1] for more.\n\n{text}"), [BOOK], Question(body="Why?"))
    return unmarked(checked(said, Checks(said.question, [BOOK])))


def live(markdown: str) -> list[str]:
    """Foreign targets in what three renderers make of the text."""
    shown = [str(page(markdown)), *(render(markdown) for render in RENDERERS)]
    return [match[0] for one in shown for match in LIVE.finditer(one)]


HIDDEN = [
    "[r]\n\n- [r]: //evil.example/x",
    "[r]\n\n1. [r]: //evil.example/x",
    "[r]\n\n> - [r]: //evil.example/x",
    "[r]\n\n> 1. > [r]:\n>    > <//evil.example/x>\n",
    "![x][r]\n\n* [r]: //evil.example/i.png",
    "[r\\]]\n\n[r\\]]: //evil.example/x",
    "![r\\]]\n\n[r\\]]: //evil.example/i.png",
    "[r]\n\n[r]: https://docs.example/a\n\n- [q]: //evil.example\n\n[q]",
    "\\`[a](//evil.example)\\`",
    "\\`[a](//evil.example) `x`",
    "    ```\n[a](//evil.example)\n    ```",
    "\t~~~\n[a](//evil.example)\n\t~~~",
    "x ```\n[a](//evil.example)\n```",
    "> ```\n[a](//evil.example)\n> ```",
    "- ```\n\n[a](//evil.example)\n\n- ```",
    "``` a`b\n[a](//evil.example)\n```",
    "<pre>\n```\n</pre>\n[a](//evil.example)",
    "`a\n\n[b](//evil.example)\n\nc`",
    "- `a\n- [b](//evil.example)`",
    "| `a | b |\n|---|---|\n| [x](//evil.example) | ` |",
    "[a [b [c [d]]]](//evil.example/x)",
    "![a [b [c [d]]] e](//evil.example/i.png)",
    "[a](//evil.example/(x(y(z))))",
    "[a](&sol;&sol;evil.example)",
    "[a](\\//evil.example)",
    "https&colon;//evil.example/x and <a href=//evil.example>here</a>",
    '<a href="//evil.example""x>a</a> and <img src = //evil.example/i.png',
    "x[a](//evil.example/x) and f(x)[a](https:evil.example)",
    "[a](//hw1.csv/x) [a](https://np.linalg/x) [a](https://2.1/x) [a](//beta.T/x) [a](//2/x)",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_a_foreign_link_is_removed_however_it_is_hidden_with_a_warning(text: str) -> None:
    assert live(text)
    answer = answered(text)
    assert not live(answer.markdown)
    assert answer.markdown.startswith("See [1] for more.")
    assert [warning for warning in answer.warnings if "removed" in warning]


PIECES = [
    "[", "]", "(", ")", "!", "`", "```", "~~~", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ", "\\", "|", "\n|-|-|\n",
    "//evil.example", "https://evil.example/x", "[r]: ", "[r]", "[a](//evil.example)", "a", " ", "&sol;", "<!--",
    "<pre>", "*", "<", ">",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_no_mix_of_marks_makes_a_foreign_link(pieces: list[str]) -> None:
    assert not live(answered("".join(pieces)).markdown)


@pytest.mark.parametrize(
    "text",
    [
        "Compare array[i](j), f[1](x), matrix[0](1) and call[k]() in prose.",
        "See [the section](#groups).",
        "`array[i](j)`, `http://localhost:8888/tree` and `f[0](https://evil.example)`.",
        "```bash\ncurl https://example.org/data.csv -o data.csv\nopen http://127.0.0.1:8888\n```",
        "- Run it:\n\n  ~~~\n  git clone https://example.com/a.git\n  ~~~\n",
        "    curl https://example.org/data.csv",
        "Write to <help@desk.example> or see [the guide](https://docs.example/guide/2), ![plot](plot.png).",
        "The commits 3f78685 and 89e6c98d9288.",
        "a < b, c // d, x[0] (see below) and the interval [2](3,4].",
    ],
)
def test_code_and_what_is_no_link_are_left_alone(text: str) -> None:
    answer = answered(text)
    assert answer.markdown == f"See [1] for more.\n\n{text}".strip()
    assert not [warning for warning in answer.warnings if "removed" in warning]


def test_an_expression_that_would_be_a_link_to_a_file_is_shown_as_it_is() -> None:
    answer = answered("Call model[i](x.T) twice.")
    assert answer.markdown.endswith("Call model\\[i](x.T) twice.")
    assert "model[i](x.T)" in str(page(answer.markdown))


@pytest.mark.parametrize("part", ["[a](//e.example) ", "[", "`", "> ", "[a][r]\n\n[r]: //e.example\n\n", "<a ", "| a "])
def test_the_work_of_looking_for_links_grows_with_the_text_alone(part: str) -> None:
    assert "e.example" not in answered(part * (19_000 // len(part))).markdown
