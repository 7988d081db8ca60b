"""Unpacks archives of strangers: nothing outside the folder, no links, no bombs."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from core.errors import EncryptedDocument, HostileDocument, OversizedDocument, UnreadableDocument

MAX_ARCHIVE_BYTES = 4 * 2**30
"""Of the archive itself. Exports of this size hold films, which are not read."""
MAX_MEMBERS = 50_000
MAX_UNPACKED_BYTES = 2 * 2**30
"""Of the files that are unpacked, together."""
MAX_RATIO, RATIO_FROM_BYTES = 250, 20 * 2**20
"""How many times its packed size a file of a zip may have, once it is longer than this. Texts reach about 20."""
_CHUNK = 2**20

Wanted = Callable[[str], bool]


@dataclass(frozen=True)
class _Member:
    name: str
    size: int
    packed: int | None
    open: Callable[[], IO[bytes]]


def unpack(archive: Path, folder: Path, wanted: Wanted, max_file_bytes: int) -> tuple[str, ...]:
    """Unpack the wanted files below `folder`; returns the names of wanted files over `max_file_bytes`, left out.

    Raises `HostileDocument` for a name that leads out of the folder, a link, or a bomb; `OversizedDocument` over a
    limit; `EncryptedDocument`; `UnreadableDocument` for what is neither a zip nor a tar file.
    """
    if (size := archive.stat().st_size) > MAX_ARCHIVE_BYTES:
        raise OversizedDocument(
            f"{archive.name} has {size / 2**30:.1f} GiB; at most {MAX_ARCHIVE_BYTES // 2**30} are read. "
            "Export the course again without videos and other large files."
        )
    unpacked, left_out = 0, []
    with _reading(archive.name):
        for number, member in enumerate(_members(archive), 1):
            if number > MAX_MEMBERS:
                raise OversizedDocument(f"{archive.name} has more than {MAX_MEMBERS:,} files. Split the export.")
            name = _safe_name(archive.name, member.name)
            if not wanted(name):
                continue
            if member.size > max_file_bytes:
                left_out.append(name)
                continue
            is_bomb = member.packed is not None and member.size > max(RATIO_FROM_BYTES, MAX_RATIO * member.packed)
            if is_bomb:
                raise HostileDocument(f"{archive.name}: {name} is packed {member.size:,} : {member.packed:,}, a bomb.")
            unpacked = _write(archive.name, member, folder / name, unpacked)
    return tuple(left_out)


def _write(archive: str, member: _Member, path: Path, unpacked: int) -> int:
    """Copy a member, whatever its head says of its size; returns how much is unpacked by now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    left = member.size
    with member.open() as packed, path.open("wb") as file:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            unpacked += len(chunk)
            if left < 0:
                raise HostileDocument(f"{archive}: {member.name} is longer than the archive says.")
            if unpacked > MAX_UNPACKED_BYTES:
                raise OversizedDocument(
                    f"{archive} has more than {MAX_UNPACKED_BYTES // 2**30} GiB of documents when unpacked. Split it."
                )
            file.write(chunk)
    return unpacked


def _members(archive: Path) -> Iterator[_Member]:
    """The regular files of a zip or tar file. Raises `HostileDocument` for links and devices."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as package:
            for info in package.infolist():
                if info.flag_bits & 1:
                    raise EncryptedDocument(f"{archive.name} asks for a password. Export it without one.")
                _refuse_link(archive.name, info.filename, is_link=(info.external_attr >> 16) & 0o170000 == 0o120000)
                if not info.is_dir():
                    opened = _opener(package, info)
                    yield _Member(info.filename, info.file_size, info.compress_size, opened)
        return
    # As a stream: a tar file is read from beginning to end once, and never held.
    with tarfile.open(archive, "r|*") as tar:
        for entry in tar:
            _refuse_link(archive.name, entry.name, is_link=not (entry.isreg() or entry.isdir()))
            if entry.isreg() and (stream := tar.extractfile(entry)) is not None:
                yield _Member(entry.name, entry.size, None, lambda stream=stream: stream)  # type: ignore[misc]


def _opener(package: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: package.open(info)


def _refuse_link(archive: str, name: str, *, is_link: bool) -> None:
    if is_link:
        raise HostileDocument(f"{archive}: {name} is a link or a device. Exports have files only; nothing was read.")


def _safe_name(archive: str, name: str) -> str:
    """The member's name with forward slashes. Raises `HostileDocument` unless it stays below the folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    is_drive = len(path.parts) > 0 and path.parts[0].endswith(":")
    if path.is_absolute() or is_drive or ".." in path.parts or "\0" in name or not path.parts:
        raise HostileDocument(f"{archive}: the name {name!r} leads out of the archive. Nothing was read.")
    return str(path)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Raises `UnreadableDocument` for an archive that is damaged or none."""
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise UnreadableDocument(
            f"{name} is no zip or tar file that can be read ({error}). Export it again."
        ) from error
