"""Code in Markdown, as a parser finds it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.fences import code_blocks, split_at_blocks, split_at_code

MARKDOWN = st.text(st.sampled_from("a `~\n\r>-[1]"), max_size=60)


def code(markdown: str) -> list[str]:
    return [text for text, is_code in split_at_code(markdown) if is_code]


@pytest.mark.parametrize(
    ("markdown", "block"),
    [
        ("a\n```py\nx\n```\nb", "```py\nx\n```\n"),
        ("a\r\n~~~\r\nx\r\n~~~\r\nb", "~~~\r\nx\r\n~~~\r\n"),
        ("````\n```\nx\n```\n````", "````\n```\nx\n```\n````"),
        ("- a\n  ```\n  x\n  ```\n- b", "  ```\n  x\n  ```\n"),
        ("<div>\n```\nx\n```\n</div>", "```\nx\n```\n"),
    ],
)
def test_a_block_goes_from_fence_to_fence(markdown: str, block: str) -> None:
    assert [text for text, is_code in split_at_blocks(markdown) if is_code] == [block]
    assert code_blocks(markdown)[0].is_closed


@pytest.mark.parametrize("markdown", ["```\nx", "```\nx\n", "```\n", "```\nx\n~~~", "a\n```\nx\n```py\ny"])
def test_a_block_without_a_closing_fence_goes_on_to_the_end(markdown: str) -> None:
    (block,) = code_blocks(markdown)
    assert not block.is_closed
    assert markdown.endswith("".join(text for text, is_code in split_at_blocks(markdown) if is_code))


def test_the_fences_of_a_block_are_known() -> None:
    closed, open_ = code_blocks("a\n```\nx\n```\n\n~~~\ny")
    assert (closed.fences, list(closed.lines)) == ((1, 3), [1, 2, 3])
    assert open_.fences == (5,)


@pytest.mark.parametrize("markdown", ["a ~~~ b [1]", "```x = 1``` and", "no code"])
def test_marks_within_a_line_begin_no_block(markdown: str) -> None:
    assert code_blocks(markdown) == []


def test_a_span_ends_with_as_many_backticks_as_it_begins_with_in_its_paragraph() -> None:
    assert code("`a[1]` and ``b`[2]`` and ```c``` here") == ["`a[1]`", "``b`[2]``", "```c```"]
    assert code("one ` mark\n\nand another ` mark") == []
    assert code(r"a \` b ` c") == []


@given(MARKDOWN)
def test_the_pieces_are_the_text_again(markdown: str) -> None:
    assert "".join(text for text, _ in split_at_blocks(markdown)) == markdown
    assert "".join(text for text, _ in split_at_code(markdown)) == markdown
