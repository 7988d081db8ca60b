"""A block of a draft in which each sentence can be struck."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import FormData

from app.review.merging import joined, merged_text, parts_of
from app.review.working_text import WorkingText, fields_of
from app.web.markdown import markdown
from app.web.sentences import Notes, block_html

LABEL = re.compile(r'</?label[^>]*>|<input[^>]*>|</?span class="say">|</span>(?=</label>)')
TABLE = "| Columns | Step |\n|---|---|\n| as they are | 0.01 [2] |\n| scaled | 1 |"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("One sentence. Another one [1].", ["1.1", "1.2"]),
        ("The **step** is. _After_ it `a. b` ends. Math $a. b$ is.", ["1.1", "1.2", "1.3"]),
        ("**Bold one. Bold two.** Plain. Last.", ["1.1 1.2", "1.3"]),
        ("1. Read it. Run it.\n2. Print it.\n   - Nested one.", ["1.1", "1.2", "1.3", "1.4"]),
        (TABLE, ["1.3", "1.4"]),
        ("> Quoted. Twice.", ["1.1", "1.2"]),
        ("# Head", ["1.1"]),
        ("```\na. b\n```", ["1.1"]),
        ("$$\na = b\n$$", ["1.1 1.2 1.3"]),
        ("Say so:\n\n- First. Second.\n\n  ```\n  a. b\n  ```\n\n- Third.", ["1.1", "1.2", "1.3", "1.6"]),
        ("A line with ⸢brackets⸣. Two.", ["1.1 1.2"]),
        ("---", ["1.1"]),
        ("<b>no html. here</b>", ["1.1"]),
    ],
)
def test_sentences_are_checkboxes_and_the_rest_is_as_it_was(text: str, values: list[str]) -> None:
    html = str(block_html(text, 1, Notes()))
    assert re.findall(r'name="strike" value="([^"]+)"', html) == values
    if "<label" in html:
        assert LABEL.sub("", html) == str(markdown(text))
    else:
        assert str(markdown(text)) in html


@given(st.text(alphabet="ab. *_`[]1()#>-|$\n\\!<&", max_size=80))
def test_whatever_is_written_is_shown_as_it_is_and_kept(text: str) -> None:
    working = WorkingText.of(text)
    assert working.markdown == text.strip()
    assert WorkingText.of_fields(form(working)).final == working.final
    for number, block in enumerate(working.blocks, 1):
        html = str(block_html(block.text, number, Notes()))
        plain = str(markdown(block.text))
        assert LABEL.sub("", html) == plain or plain in html


def test_a_sentence_says_what_it_rests_on_and_what_is_doubtful() -> None:
    notes = Notes("(unverified)", ("Two.",), grounds={"Two.": ("ground-method", 3)}, struck=(1,))
    html = str(block_html("One [4] [2]. Two.", 2, notes))
    assert 'data-ev="2 4"><input type="checkbox" name="strike" value="2.1" checked>' in html
    assert 'data-ev="ground-method" data-line="3"' in html
    assert '<span class="tag warn">(unverified)</span>' in html


def form(text: WorkingText, **fields: list[str]) -> FormData:
    values = {**fields_of(text), **fields}
    return FormData([(name, value) for name, own in values.items() for value in own])


def test_blocks_are_the_text_and_struck_sentences_are_left_out() -> None:
    text = "First. Second.\n- one\n- two\n\n```\ncode\n```"
    working = WorkingText.of(text)
    assert (len(working.blocks), working.markdown, working.final) == (3, text, text)
    struck = WorkingText.of_fields(form(working, strike=["1.2", "2.1"]))
    assert struck.final == "First.\n- two\n\n```\ncode\n```"
    assert struck.markdown == text


def test_a_block_that_is_edited_keeps_what_was_struck_in_it() -> None:
    working = WorkingText.of("First. Second. Third.")
    edited = WorkingText.of_fields(form(working, strike=["1.2"], block=["First. New one. Second. Third."]))
    assert edited.final == "First. New one. Third."
    changed = WorkingText.of_fields(form(working, strike=["1.2"], block=["First. Second, changed. Third."]))
    assert changed.final == "First. Second, changed. Third."
    assert WorkingText.of_fields(form(working, block=[""])).final == ""


def test_two_texts_are_merged_part_by_part() -> None:
    draft = "One.\n\nTwo.\n\nThree."
    parts = joined(parts_of("One.\n\nMine.\n\nThree.", "One.\n\nTwo.\n\nTheirs.", draft))
    assert [(part.mine, part.theirs) for part in parts] == [("One.", "One."), ("Mine.\n\nThree.", "Two.\n\nTheirs.")]
    chosen = {"parts": "2", "same-0": "One.", "choice-1": "merged", "merged-1": "Both.", "mine-1": "Mine."}
    assert merged_text(chosen) == "One.\n\nBoth."
    assert merged_text({**chosen, "choice-1": "mine"}) == "One.\n\nMine."
    taken = joined(parts_of("One.\n\nTwo.", "One.\n\nNew.", "One.\n\nTwo."))
    assert [part.is_unchanged_by_me for part in taken] == [True, True]
