from __future__ import annotations

from pathlib import Path

import pytest

from retrievers.sealed import read_sealed, write_sealed


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_sealed(tmp_path / "new" / "file", b"payload")
    assert read_sealed(tmp_path / "new" / "file") == b"payload"


@pytest.mark.parametrize("content", [b"", b"short", b"0" * 40])
def test_a_broken_file_gives_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert read_sealed(tmp_path / "file") is None


def test_an_absent_file_is_told_from_a_broken_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_sealed(tmp_path / "file")
