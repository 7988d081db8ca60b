"""Reading JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from eval.datasets.jsonl import read_rows, read_unique


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


def test_a_row_knows_its_line_and_its_id_is_text(path: Path) -> None:
    path.write_text('{"id": "a", "text": "x"}\n{"id": 7, "text": null, "more": [1]}\n')
    first, second = read_rows(path, "text")
    assert (first.id, first.location) == ("a", f"{path} line 1")
    assert second.content == {"id": "7", "text": None, "more": [1]}


def test_a_mark_of_utf_8_at_the_beginning_is_no_part_of_the_first_line(path: Path) -> None:
    path.write_text('{"id": "a"}\r\n{"id": "b"}\r\n', encoding="utf-8-sig")
    assert [row.id for row in read_rows(path)] == ["a", "b"]


@pytest.mark.parametrize("row", ["{broken", "[]", '"id and text"', "7", "", '{"text": "x"}', '{"id": "b"}', "[" * 9999])
def test_a_line_that_is_no_such_object_is_named(path: Path, row: str) -> None:
    path.write_text(f'{{"id": "a", "text": "x"}}\n{row}\n{{"id": "c", "text": "x"}}\n')
    with pytest.raises(InvalidInput, match=r"rows\.jsonl line 2: not a JSON object with id and text\."):
        list(read_rows(path, "text"))


def test_an_id_stands_for_one_row(path: Path) -> None:
    path.write_text('{"id": "a"}\n{"id": "b"}\n{"id": "a"}')
    assert [row.id for row in read_rows(path)] == ["a", "b", "a"]
    with pytest.raises(InvalidInput, match="line 3: the id 'a' is also on line 1"):
        read_unique(path)


@pytest.mark.parametrize(("content", "complaint"), [(b" \n", "is empty"), (b"\xff", "is not UTF-8")])
def test_a_file_without_text_is_named(path: Path, content: bytes, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=r"There is no .*rows\.jsonl"):
        read_unique(path)
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=f"rows.jsonl {complaint}"):
        read_unique(path)


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_no_character_of_a_text_ends_its_line(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = (json.dumps({"id": n, "text": text}, ensure_ascii=False) for n, text in enumerate(texts))
    path.write_text("\n".join(rows), encoding="utf-8", newline="")
    assert [row.content["text"] for row in read_rows(path, "text")] == texts
