"""What Office files may do to the reader, and what they may not."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from core.errors import EncryptedDocument, OversizedDocument, UnreadableDocument
from ingestion.loaders import load
from tests.ingestion.loaders.office.packages import deck, document, rewritten, saved
from tests.ingestion.parsing.parsers import file_parser

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
SUFFIX = pytest.mark.parametrize("suffix", [".pptx", ".docx"])
PARTS = {".pptx": "ppt/slides/slide1.xml", ".docx": "word/document.xml"}


def _sample(suffix: str) -> bytes:
    return saved(deck(("Bayes", "WORDS"))) if suffix == ".pptx" else saved(document(("", "WORDS")))


@SUFFIX
def test_a_file_with_a_password_says_so(suffix: str) -> None:
    with pytest.raises(EncryptedDocument, match="asks for a password"):
        load(f"l{suffix}", OLE + "EncryptedPackage".encode("utf-16-le"))


@SUFFIX
def test_a_file_of_the_old_format_says_so(suffix: str) -> None:
    with pytest.raises(UnreadableDocument, match="before 2007"):
        load(f"l{suffix}", OLE)


@SUFFIX
def test_an_archive_of_something_else_is_unreadable(suffix: str) -> None:
    other = ".docx" if suffix == ".pptx" else ".pptx"
    with pytest.raises(UnreadableDocument):
        load(f"l{suffix}", _sample(other))


@SUFFIX
def test_a_part_that_unpacks_to_hundreds_of_megabytes_is_refused(suffix: str) -> None:
    buffer = io.BytesIO(_sample(suffix))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as package, package.open("bomb.xml", "w") as bomb:
        for _ in range(110):
            bomb.write(bytes(2**20))
    with pytest.raises(OversizedDocument, match="unpacked"):
        load(f"l{suffix}", buffer.getvalue())


@SUFFIX
def test_a_part_is_not_unpacked_beyond_its_stated_size(suffix: str) -> None:
    data = _sample(suffix)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        size = package.getinfo(PARTS[suffix]).file_size
    stated = data.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert stated != data
    with pytest.raises(UnreadableDocument):
        load(f"l{suffix}", stated)


def _with_entities(data: bytes, part: str, entities: str, words: bytes) -> bytes:
    def changed(content: bytes) -> bytes:
        declaration, _, rest = content.partition(b"?>")
        return declaration + f"?><!DOCTYPE x [{entities}]>".encode() + rest.replace(b"WORDS", words)

    return rewritten(data, part, changed)


@SUFFIX
def test_entities_that_multiply_are_refused(suffix: str) -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    with pytest.raises(UnreadableDocument):
        load(f"l{suffix}", _with_entities(_sample(suffix), PARTS[suffix], f'<!ENTITY e0 "lol">{levels}', b"&e9;"))


@SUFFIX
def test_an_entity_opens_no_other_file(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("beyond")
    entity = f'<!ENTITY f SYSTEM "{(tmp_path / "secret").as_uri()}">'
    found = load(f"l{suffix}", _with_entities(_sample(suffix), PARTS[suffix], entity, b"words &f; end"))
    assert "words" in found.text
    assert "beyond" not in found.text


@SUFFIX
def test_deep_nesting_is_no_crash(suffix: str) -> None:
    def nested(part: bytes) -> bytes:
        return part.replace(b"WORDS", b"<w>" * 100_000 + b"</w>" * 100_000)

    with pytest.raises(UnreadableDocument):
        load(f"l{suffix}", rewritten(_sample(suffix), PARTS[suffix], nested))


async def test_the_parsers_process_reads_both() -> None:
    async with file_parser(seconds=60, memory_mb=512) as parsers:
        assert "WORDS" in (await parsers.load("l.pptx", _sample(".pptx"))).text
        assert "WORDS" in (await parsers.load("l.docx", _sample(".docx"))).text
