"""Hostile files cost at most their limit, and their errors say what to do."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from core.errors import EncryptedDocument, HostileDocument, SetupError, UnreadableDocument
from ingestion.loaders import load
from tests.ingestion.parsing.hostile import EVERYTHING
from tests.ingestion.parsing.parsers import file_parser


@pytest.fixture(autouse=True)
def hostile_loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets workers, which get our module search path, find the loaders that misbehave."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


async def test_a_document_comes_back_as_its_loader_made_it() -> None:
    async with file_parser(loaders="hostile") as parser:
        assert await parser.load("everything", b"") == EVERYTHING


async def test_real_files_give_the_same_document_as_in_this_process(
    make_pdf: Callable[..., pymupdf.Document],
) -> None:
    files = {
        "a.pdf": make_pdf([[(72, 72, "Question 1")]]).tobytes(),
        "a.md": b"# Title\n\n```\ncode\n```",
        "a.jsonl": b'{"id": "1", "question": {"body": "Why?"}}',
    }
    async with file_parser(60, 1024) as parser:
        for name, data in files.items():
            assert await parser.load(name, data) == load(name, data)


@pytest.mark.parametrize(
    ("action", "problem"),
    [
        ("hang", r"1 s.*EDUMOD_PARSE_SECONDS"),
        ("allocate", r"256 MiB.*EDUMOD_PARSE_MEMORY_MB"),
        ("crash", r"crashed.*SIGSEGV"),
        ("lie", r"Do not trust this file"),
    ],
)
async def test_a_file_over_a_limit_is_hostile_and_the_next_one_is_served(action: str, problem: str) -> None:
    async with file_parser(1, 256, loaders="hostile") as parser:
        with pytest.raises(HostileDocument, match=f"{action}: .*{problem}"):
            await parser.load(action, b"300")
        assert (await parser.load("length", b"123")).text == "3"


async def test_the_limits_of_submissions_have_settings_of_their_own() -> None:
    async with file_parser(1, 256, loaders="hostile", setting="EDUMOD_SUBMISSION") as parser:
        with pytest.raises(HostileDocument, match="EDUMOD_SUBMISSION_SECONDS"):
            await parser.load("hang", b"")


async def test_a_loaders_error_keeps_its_type_and_message() -> None:
    async with file_parser(loaders="hostile") as parser:
        with pytest.raises(EncryptedDocument, match=r"^file: a password is needed$"):
            await parser.load("refuse", b"")
        with pytest.raises(UnreadableDocument, match=r"fail: .*KeyError: 'lost'"):
            await parser.load("fail", b"")


async def test_a_parser_that_cannot_be_imported_is_an_error_of_the_installation() -> None:
    async with file_parser(loaders="no_such_module") as parser:
        with pytest.raises(SetupError, match="no_such_module"):
            await parser.load("a.txt", b"a")


def bomb() -> bytes:
    """A PDF of a few kilobytes whose one page holds 400,000 lines of text, compressed twice."""
    page = b"BT /F 10 Tf " + b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj 0 12 Td " * 400_000 + b"ET"
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "x", fontname="helv")
    (content,) = document[0].get_contents()
    document.update_stream(content, zlib.compress(zlib.compress(page, 9), 9), compress=False)
    document.xref_set_key(content, "Filter", "[/FlateDecode/FlateDecode]")
    return document.tobytes()


async def test_a_decompression_bomb_is_stopped() -> None:
    data = bomb()
    assert len(data) < 20_000
    async with file_parser(3, 256) as parser:
        with pytest.raises(HostileDocument, match=r"bomb\.pdf"):
            await parser.load("bomb.pdf", data)
        assert (await parser.load("a.txt", b"fine")).text == "fine"


@pytest.mark.parametrize(
    ("name", "data"),
    [("deep.ipynb", b"[" * 2_000_000), ("deep.jsonl", b'{"a":' * 100_000), ("big.html", b"<div>" * 500_000)],
)
async def test_deeply_nested_files_are_refused(name: str, data: bytes) -> None:
    async with file_parser(3, 256) as parser:
        with pytest.raises(UnreadableDocument, match=name):
            await parser.load(name, data)
