"""`edumod quiz`."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pygiftparser import parser as gift_parser

from app.cli.labels_in import labels_in
from app.wiring import build_services
from core.access import LOCAL
from core.types import Source
from teaching.course import NOT_ENGLISH
from tests.app.commands import edumod
from tests.app.live import settings_in
from tests.app.quizzes.conftest import write
from tests.fakes import FakeEmbedder

COURSE = """id: bio
title: Biology
material:
  textbook: [material]
documents:
  - {match: 'staff/*', visibility: staff}
"""


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of its own, embedded with the built-in model as commands do."""
    folder = tmp_path_factory.mktemp("quiz")
    write(folder / "material")
    (folder / "course.yaml").write_text(COURSE, encoding="utf-8")
    loaded = edumod(folder / "home", "course", "load", str(folder / "course.yaml"))
    assert loaded.returncode == 0, loaded.stderr
    return folder / "home"


async def keep_all(home: Path) -> None:
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    quiz = await services.store.quizzes.about("bio", Source.TEXTBOOK, "")
    assert quiz is not None
    await services.store.quizzes.keep_open(quiz, LOCAL)
    await services.aclose()


def test_a_quiz_is_made_reviewed_and_written_in_each_format(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = edumod(own_home, "quiz", "bio")
    assert made.returncode == 0, made.stderr
    assert "made by rules from English sentences" in made.stdout
    assert "/courses/bio/quizzes/" in made.stdout
    assert re.search(r"^\d+ questions from 4 of 5 sections; \d+ added", made.stdout)
    assert made.stderr == f"material/book.md > Cells > Code: {NOT_ENGLISH}\n"
    facts = json.loads(edumod(own_home, "quiz", "bio", "--out", str(tmp_path / "quiz.json"), "--json").stdout)
    assert (facts["added"], facts["states"]["open"]) == (0, facts["exported"])
    assert len(json.loads((tmp_path / "quiz.json").read_text())["questions"]) == facts["exported"]
    printed = edumod(own_home, "quiz", "bio", "--as", "gift").stdout
    assert all(one.valid for one in gift_parser.parseFile(io.StringIO(printed)))
    assert edumod(own_home, "quiz", "bio", "--out", str(tmp_path / "x"), "--as", "md").returncode == 0
    assert (tmp_path / "x").read_text().startswith("# Quiz: Biology\n")
    assert edumod(own_home, "quiz", "bio", "--out", str(tmp_path / "quiz.zip")).returncode == 0
    assert zipfile.is_zipfile(tmp_path / "quiz.zip")
    labels = ("quiz", "bio", "--as", "labels", "--out", str(tmp_path / "labels"))
    refused = edumod(own_home, *labels)
    assert (refused.returncode, "is not reviewed" in refused.stderr) == (2, True)
    asyncio.run(keep_all(own_home))
    assert "replaced 0 of this quiz, kept 0 others" in edumod(own_home, *labels).stdout
    assert f"replaced {facts['exported']} of this quiz, kept 0 others" in edumod(own_home, *labels).stdout
    monkeypatch.chdir(tmp_path)
    assert "bio.gift" in edumod(own_home, "quiz", "bio", "--out", "gift").stdout
    assert (tmp_path / "bio.gift").read_text() == printed
    assert len(labels_in(tmp_path / "labels")["retrieval"]) == facts["exported"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bio", "--out", "quiz.pdf"), "Cannot tell the format"),
        (("bio", "--source", "qa"), "words of students"),
        (("bio", "--source", "logistics"), "no logistics material"),
        (("bio", "--source", "logistics", "--as", "labels"), "Make it: edumod quiz"),
        (("bio", "--document", "bok.md"), "material/book.md"),
        (("bio", "--out", "/proc/none/quiz.md"), "cannot be written"),
        (("biology",), "Did you mean 'bio'"),
        (
            ("bio", "--language", "German"),
            "no use for --language. Name one with --model",
        ),
        (("bio", "--concurrency", "2", "--max-cost", "1"), "no use for --concurrency and --max-cost"),
        (("bio", "--as", "labels", "--model", "offline"), "no use for --model. Leave that out"),
        (("bio", "--as", "labels", "--per-section", "2"), "no use for --per-section"),
        (("bio", "--as", "gift", "--json"), "prints the quiz, so --json has no place. Name a file with --out"),
        (("bio", "--as", "gift", "--out", "quiz.md"), "--as gift contradicts --out quiz.md, whose format is md"),
        (("bio", "--as", "labels", "--out", "quiz.json"), "--as labels contradicts --out quiz.json"),
        (("bio", "--as", "md", "--out", "gift"), "--as md contradicts --out gift"),
    ],
)
def test_what_cannot_be_done_is_said_with_what_to_do(own_home: Path, arguments: tuple[str, ...], words: str) -> None:
    refused = edumod(own_home, "quiz", *arguments)
    assert refused.returncode == 2
    assert words in refused.stderr


def test_a_course_without_english_prose_is_told_why_it_has_no_quiz(own_home: Path, tmp_path: Path) -> None:
    text = "# Клітина\n\nКлітина є найменшою одиницею життя. Її відкрив Роберт Гук.\n"
    (tmp_path / "book.md").write_text(text, encoding="utf-8")
    ingested = edumod(own_home, "ingest", str(tmp_path / "book.md"), "--course", "uk", "--source", "textbook")
    assert ingested.returncode == 0, ingested.stderr
    made = edumod(own_home, "quiz", "uk")
    assert made.returncode == 1
    assert "0 questions from 0 of 1 sections" in made.stdout
    assert f"book.md > Клітина: {NOT_ENGLISH}" in made.stderr
    for out in ("quiz.zip", "quiz.gift", "quiz.json"):
        refused = edumod(own_home, "quiz", "uk", "--out", str(tmp_path / out))
        assert (refused.returncode, "the quiz has no question to export" in refused.stderr) == (1, True)
        assert not (tmp_path / out).exists()
    printed = edumod(own_home, "quiz", "uk", "--as", "gift")
    assert (printed.returncode, printed.stdout, NOT_ENGLISH in printed.stderr) == (1, "", True)
    labels = edumod(own_home, "quiz", "uk", "--as", "labels", "--out", str(tmp_path / "labels"))
    assert (labels.returncode, (tmp_path / "labels").exists()) == (1, False)


def test_questions_whose_sections_changed_or_are_gone_are_named(own_home: Path, tmp_path: Path) -> None:
    def facts() -> dict[str, Any]:
        ingested = edumod(own_home, "ingest", str(tmp_path / "book.md"), "--course", "bees", "--source", "textbook")
        assert ingested.returncode == 0, ingested.stderr
        found: dict[str, Any] = json.loads(edumod(own_home, "quiz", "bees", "--per-section", "1", "--json").stdout)
        return found

    book = tmp_path / "book.md"
    mites, heart = (
        "The itch mite causes scabies in people.",
        "The heart consists of two atria, two ventricles, and valves.",
    )
    book.write_text(f"# Animals\n\n## Mites\n\n{mites}\n\n## The heart\n\n{heart}\n", encoding="utf-8")
    before = facts()
    assert (before["added"], before["changed"], before["gone"]) == (2, [], [])
    book.write_text("# Animals\n\n## Mites\n\nThe flea bites.\n\n## Ants\n\nThey carry leaves.\n", encoding="utf-8")
    assert [facts()[name] for name in ("changed", "gone", "sections", "with_questions")] == [[1], [2], 2, 1]
    said = edumod(own_home, "quiz", "bees", "--per-section", "1")
    assert "1 questions from 1 of 2 sections" in said.stdout
    assert (
        "Questions to check, since the sentences that answer them are not in their sections any more: 1." in said.stderr
    )
    assert "left out of files, since students cannot read their sections any more: 2." in said.stderr
