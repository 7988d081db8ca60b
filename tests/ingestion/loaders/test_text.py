from __future__ import annotations

import codecs

import pytest

from core.errors import UnreadableDocument
from core.text.lines import tidy
from ingestion.loaders.decoding import decode, title_from
from ingestion.loaders.text import load


def texts(data: bytes) -> list[str]:
    return [line.text for line in load("notes.txt", data).lines]


def test_lines_stay_where_they_are() -> None:
    assert texts(b"\n1. One\r\n\r\n\r\n    indented\rlast\n\n") == ["", "1. One", "", "", "    indented", "last"]


def test_form_feeds_start_pages() -> None:
    document = load("notes.txt", b"a\nb\n\x0cc\x0cd")
    assert [(line.text, line.page) for line in document.lines] == [("a", 1), ("b", 1), ("c", 2), ("d", 3)]


def test_a_text_without_form_feeds_has_no_pages() -> None:
    assert load("notes.txt", b"a\nb").lines[0].page is None


@pytest.mark.parametrize(
    "data",
    [
        "Größe 数据".encode(),
        codecs.BOM_UTF8 + "Größe 数据".encode(),
        "Größe 数据".encode("utf-16"),
        codecs.BOM_UTF16_BE + "Größe 数据".encode("utf-16-be"),
        "Größe 数据".encode("utf-32"),
    ],
)
def test_unicode_is_read_with_and_without_a_mark(data: bytes) -> None:
    document = load("notes.txt", data)
    assert document.text == "Größe 数据"
    assert document.warnings == ()


def test_another_encoding_is_guessed_and_said() -> None:
    document = load("notes.txt", "Größe – “x”".encode("cp1252"))
    assert document.text == "Größe – “x”"
    assert "cp1252" in document.warnings[0]


@pytest.mark.parametrize("data", [b"a\0b", b"text " + bytes(range(1, 9)) * 10, "plain text".encode("utf-16-le")])
def test_binary_data_is_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="binary"):
        load("notes.txt", data)


def test_a_cut_utf_16_file_is_unreadable() -> None:
    with pytest.raises(UnreadableDocument, match="UTF-16"):
        decode("notes.txt", codecs.BOM_UTF16_LE + b"a\0b")


def test_lines_hold_nothing_a_database_chokes_on() -> None:
    assert tidy("a\0b\x1b[0m\u2028c\ud800\td  ") == "a b [0m c\ufffd\td"


def test_a_title_is_never_empty() -> None:
    assert title_from("x/.txt", None, " \n ") == ".txt"
    assert title_from("", "") == "untitled"
    assert title_from("a.pdf", "", " A\n title ") == "A title"
