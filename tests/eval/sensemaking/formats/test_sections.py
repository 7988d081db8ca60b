"""Folders of ELOQUENT Sensemaking."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest

from core.errors import InvalidInput
from eval.sensemaking.formats.sections import read_sections


def _section(folder: Path, path: str, **files: str) -> Path:
    place = folder / path
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return place


def test_sections_are_read_at_any_depth_with_their_questions(tmp_path: Path) -> None:
    rows = [["Що таке вид?"], ["Яка клітина?", "Жива."]]
    _section(tmp_path, "book/one/a", text__txt="Вид.", text__en__txt="A species.", questions__json=json.dumps(rows))
    _section(tmp_path, "video/b", text__txt="Ein Text.")
    first, second = read_sections(tmp_path).found
    assert (first.path, second.path) == ("book/one/a", "video/b")
    assert (first.readable, second.readable) == ("A species.", "Ein Text.")
    assert first.questions == {"questions.json": (("Що таке вид?",), ("Яка клітина?", "Жива."))}


def test_an_empty_section_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    empty = _section(tmp_path, "a/empty", text__txt=" \n")
    _section(tmp_path, "a/full", text__txt="Words.")
    sections = read_sections(tmp_path)
    assert [one.path for one in sections.found] == ["a/full"]
    assert sections.problems == (f"{empty}: the section is empty. Write its text to text.txt, or remove the folder.",)


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    place = tmp_path / "material" / "a" / "b"
    place.mkdir(parents=True)
    (place / "text.txt").symlink_to(tmp_path / "secret.txt")
    sections = read_sections(tmp_path / "material")
    assert not sections.found
    assert "leaves" in sections.problems[0]


def test_a_linked_folder_is_not_followed_but_named(tmp_path: Path) -> None:
    _section(tmp_path, "elsewhere/secret", text__txt="secret")
    _section(tmp_path, "material/a/c", text__txt="Words.")
    (tmp_path / "material" / "b").symlink_to(tmp_path / "elsewhere")
    sections = read_sections(tmp_path / "material")
    assert [one.path for one in sections.found] == ["a/c"]
    assert sections.problems == (
        f"{tmp_path}/material/b is a link to a folder, which is not followed. Copy that folder here.",
    )


@pytest.mark.parametrize("content", ["{", '{"a": 1}', "[[1]]", "[[]]"])
def test_questions_that_cannot_be_used_are_named_with_their_file(tmp_path: Path, content: str) -> None:
    place = _section(tmp_path, "a/b", text__txt="Words.", questions__json=content)
    sections = read_sections(tmp_path)
    assert str(place / "questions.json") in sections.problems[0]
    assert [(one.text, one.questions) for one in sections.found] == [("Words.", {})]


@pytest.mark.parametrize("named", ["a/b", "a"])
def test_a_chapter_or_section_is_refused_with_the_folder_to_name(tmp_path: Path, named: str) -> None:
    _section(tmp_path, "a/b", text__txt="Words.")
    with pytest.raises(InvalidInput, match=f"Name the folder that holds the sources, such as {tmp_path}."):
        read_sections(tmp_path / named)


def test_a_section_that_lies_too_deep_is_refused_with_a_folder_further_down(tmp_path: Path) -> None:
    place = _section(tmp_path, "a/b/c/d", text__txt="Words.")
    with pytest.raises(InvalidInput, match=f"{place} lies deeper than source/chapter/section .* such as {tmp_path}/a,"):
        read_sections(tmp_path)


def test_a_source_that_may_have_chapters_is_remarked_on(tmp_path: Path) -> None:
    _section(tmp_path, "econ/one/supply", text__txt="Words.")
    assert not read_sections(tmp_path).remarks
    (remark,) = read_sections(tmp_path / "econ").remarks
    assert remark.endswith(f"name {tmp_path} instead.")


def test_a_folder_without_any_text_is_named(tmp_path: Path) -> None:
    _section(tmp_path, "a/full", text__txt="Words.")
    (tmp_path / "a" / "full" / "pictures").mkdir()
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    bare = _section(tmp_path, "a/bare", notes__md="To do.")
    assert read_sections(tmp_path).problems == (
        f"{bare}: the section is empty. Write its text to text.txt, or remove the folder.",
    )


def test_a_text_in_another_encoding_is_named(tmp_path: Path) -> None:
    place = _section(tmp_path, "a/b")
    (place / "text.txt").write_bytes("größer".encode("latin-1"))
    assert "UTF-8" in read_sections(tmp_path).problems[0]


def test_a_folder_without_sections_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no section"):
        read_sections(tmp_path)
    with pytest.raises(InvalidInput, match="is not a folder"):
        read_sections(tmp_path / "none")


def test_a_section_without_a_text_is_read_from_its_pdf_slides_or_transcript(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "Bees dance to tell others where nectar is.")
    for name, data in (
        ("paper/source.pdf", pdf.tobytes()),
        ("talk/source.vtt", b"WEBVTT\n\n00:00.000 --> 00:04.000\nBees dance in the dark.\n"),
    ):
        (tmp_path / "bees" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bees" / name).write_bytes(data)
    paper, talk = read_sections(tmp_path).found
    assert "where nectar is" in paper.readable
    assert talk.readable == "Bees dance in the dark."


def test_audio_needs_a_transcript(tmp_path: Path) -> None:
    (tmp_path / "bees" / "hum").mkdir(parents=True)
    (tmp_path / "bees" / "hum" / "source.mp3").write_bytes(b"ID3")
    (problem,) = read_sections(tmp_path).problems
    assert "audio is not transcribed" in problem
