from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.yaml_file import MAX_PARTS, read_yaml


def read(tmp_path: Path, text: str) -> dict[str, object]:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    return read_yaml(tmp_path / "a.yaml", "course", "id").content


def test_aliases_that_multiply_are_refused_with_their_line(tmp_path: Path) -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30)]
    with pytest.raises(InvalidInput, match=rf"a\.yaml line \d+: .*more than {MAX_PARTS:,} parts"):
        read(tmp_path, "\n".join(["id: x", "l0: &l0 [lol]", *levels]))


def test_an_alias_stands_for_its_part(tmp_path: Path) -> None:
    assert read(tmp_path, "id: x\na: &a [1, 2]\nb: *a\nc: *a\n") == {"id": "x", "a": [1, 2], "b": [1, 2], "c": [1, 2]}


def test_a_part_that_holds_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot hold itself"):
        read(tmp_path, "id: x\na: &a [1, *a]\n")
