from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
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


def test_many_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    payloads = [bytes([n]) * 100_000 for n in range(16)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda payload: write_sealed(tmp_path / "file", payload), payloads))
    assert read_sealed(tmp_path / "file") in payloads
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError):  # noqa: PT011 - its kind differs between systems
        write_sealed(tmp_path / "file", b"payload")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
