"""Files that are replaced as a whole, on a real file system."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.errors import TooLarge
from core.files import read_regular, readable, write_atomically
from tests.core.modes import mode

pytestmark = pytest.mark.usefixtures("open_umask")


def test_a_file_is_replaced_and_missing_folders_are_created(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_atomically(path, b"first")
    write_atomically(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_is_for_its_owner_alone_unless_it_need_not_be(tmp_path: Path) -> None:
    write_atomically(tmp_path / "own" / "file", b"x")
    write_atomically(tmp_path / "page" / "file", b"x", private=False)
    assert [mode(tmp_path / name) for name in ("own", "own/file")] == [0o700, 0o600]
    assert [mode(tmp_path / name) for name in ("page", "page/file")] == [0o755, 0o644]


def test_many_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    contents = [bytes([n]) * 100_000 for n in range(16)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: write_atomically(tmp_path / "file", content), contents))
    assert (tmp_path / "file").read_bytes() in contents
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError):  # noqa: PT011 - its kind differs between systems
        write_atomically(tmp_path / "file", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(IsADirectoryError) as refused:
        write_atomically(tmp_path / "folder", b"x")
    assert refused.value.filename == str(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_a_full_device_is_named_and_stays_a_device() -> None:
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        write_atomically(Path("/dev/full"), b"x")
    assert not Path("/dev/full").is_file()


def test_links_pipes_and_large_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    assert read_regular(tmp_path / "file", 5) == b"12345"
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=name):
            read_regular(tmp_path / name, 5)
    with pytest.raises(TooLarge, match="file has 5 bytes"):
        read_regular(tmp_path / "file", 4)


def test_any_name_of_a_file_is_made_readable() -> None:
    assert readable("Müller") == "Müller"
    assert readable(os.fsdecode(b"M\xfcller")) == "Müller"
    assert readable("a\x1b[2J\nb") == "a\ufffd[2J\ufffdb"
