"""Archives of strangers: what is refused, and why."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from core.errors import InvalidInput, OversizedDocument, UnreadableDocument
from core.types import Source
from ingestion.exports import archive, open_export
from tests.ingestion.exports.exported import CARTRIDGE, write_json, write_zip


def refused(path: Path, source: Source | None = Source.TEXTBOOK) -> str:
    with pytest.raises((UnreadableDocument, InvalidInput)) as error, open_export(str(path), source):
        pass
    return f"{type(error.value).__name__}: {error.value}"


@pytest.mark.parametrize("name", ["../out.md", "/etc/out.md", "a/../../out.md", "..\\out.md", "C:\\out.md"])
def test_a_name_that_leads_out_of_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(write_zip(tmp_path / "bad.zip", {name: "text"})).startswith("HostileDocument")
    assert not (tmp_path / "out.md").exists()


def test_a_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.tar"
    with tarfile.open(path, "w") as tar:
        link = tarfile.TarInfo("secret.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert "is a link or a device" in refused(path)
    packed = zipfile.ZipInfo("secret.md")
    packed.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as package:
        package.writestr(packed, "/etc/passwd")
    assert "is a link or a device" in refused(tmp_path / "bad.zip")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bomb.zip", {"zeros.txt": b"\0" * 50 * 2**20})
    assert "a bomb" in refused(path)


def test_an_archive_over_the_limits_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.imscc"
    with path.open("wb") as file:
        file.truncate(5 * 2**30)
    with pytest.raises(
        OversizedDocument, match=r"5\.0 GiB; at most 4 are read\. Export the course again without videos"
    ):
        archive.unpack(path, tmp_path / "out", lambda name: True, 10)
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 10)
    assert "OversizedDocument" in refused(write_zip(tmp_path / "more.zip", {"a.md": "more than ten bytes"}))
    monkeypatch.setattr(archive, "MAX_MEMBERS", 1)
    assert "more than 1 files" in refused(write_zip(tmp_path / "many.zip", {"a.md": "a", "b.md": "b"}))


def test_a_manifest_cannot_name_files_outside_or_entities(tmp_path: Path) -> None:
    entity = '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    pages = {**CARTRIDGE, "imsmanifest.xml": entity + CARTRIDGE["imsmanifest.xml"].replace("Sampling", "S &x;")}
    with open_export(str(write_zip(tmp_path / "data.imscc", pages)), None) as export:
        texts = [path.read_text() for path in export.root.rglob("*.*") if path.is_file()]
    assert texts
    assert not any("root:" in text for text in texts)


def test_other_files_are_named_with_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_bytes(b"no archive")
    assert "is no zip or tar file that can be read" in refused(tmp_path / "no.zip")
    assert "no export of Ed, Piazza or Discourse" in refused(write_json(tmp_path / "data.json", {"a": 1}))
    assert "has nothing that can be read" in refused(write_zip(tmp_path / "films.zip", {"a.mp4": "film"}))


def test_a_plain_archive_is_read_as_a_folder(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "notes.zip", {"week1/a.md": "# A", ".git/config.md": "no", "film.mp4": "film"})
    with open_export(str(path), Source.TEXTBOOK) as export:
        assert export.sources() == [Source.TEXTBOOK]
        assert (export.folder(Source.TEXTBOOK) / "week1" / "a.md").read_text() == "# A"
