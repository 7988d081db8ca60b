"""Ingestion runs, from files to the database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pymupdf
import pytest
from sqlalchemy import select
from sqlmodel import SQLModel

from core.course import Course
from core.errors import BadReply
from core.llm.base import LLM
from core.llm.cached import Cached
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.store.store import Store
from core.store.tables import now
from core.types import Source, Visibility
from ingestion.build import Builder
from ingestion.files import discover
from ingestion.ingest import BuildStage, Ingestion
from ingestion.offline_rules import detect_headers, extract_summary
from ingestion.questions.detection import HeaderDetector, ModelDetector, RuleDetector
from ingestion.run_report import Action, FileOutcome, IngestionReport
from ingestion.tasks import DetectedHeaders, DetectHeaders, Summarize, Summary
from retrievers.embedding.encoder import LocalEncoder
from tests.fakes import FakeEmbedder
from tests.ingestion.loaders.office.packages import deck, saved
from tests.ingestion.parsing.parsers import file_parser
from tests.servers.homes import database_of, rows, use_database
from tests.sweeps import sweep

COURSE = Course(id="c")
tables = SQLModel.metadata.tables
OFFLINE = {DetectHeaders: detect_headers, Summarize: extract_summary}


@asynccontextmanager
async def ingestion(home: Path, llm: LLM | None = None, loaders: str = "ingestion.loaders") -> AsyncIterator[Ingestion]:
    store = await Store.open(database_of(home))
    await store.courses.put("c", {"id": "c"})
    detector: HeaderDetector = ModelDetector(llm) if llm else RuleDetector()
    async with file_parser(20, 1024, loaders=loaders) as pool:
        yield Ingestion(store, Builder(llm or OfflineLLM(OFFLINE), detector, LocalEncoder(FakeEmbedder())), pool, {})
    await store.aclose()


def write_book(folder: Path, chapters: int = 6) -> Path:
    book = folder / "book"
    book.mkdir(exist_ok=True)
    for n in range(1, chapters + 1):
        sections = "".join(f"## {n}.{s} Section\n\nWords about topic {n}-{s}.\n\n" for s in range(1, 4))
        (book / f"{n:02}.md").write_text(f"# Chapter {n}\n\n{sections}", encoding="utf-8")
    return book


def content(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything ingestion stores, moments aside."""
    documents = [column for column in tables["document"].columns if column.name != "ingested_at"]
    return {
        "document": sorted(rows(home, select(*documents)), key=repr),
        "node": sorted(rows(home, select(tables["node"])), key=repr),
        "embedding": sorted(rows(home, select(tables["embedding"])), key=repr),
    }


def tree(home: Path) -> list[tuple[object, ...]]:
    """The nodes with their text, without what they cost: a reply that was kept costs nothing the second time."""
    nodes = [column for column in tables["node"].columns if column.name != "cost"]
    return sorted(rows(home, select(*nodes)), key=repr)


async def ingest(
    home: Path, *paths: Path, source: Source = Source.TEXTBOOK, llm: LLM | None = None, prune: bool = False
) -> IngestionReport:
    async with ingestion(home, llm) as service:
        return await service.run(COURSE, source, discover(list(paths)), prune=prune)


def outcomes(report: IngestionReport) -> dict[str, FileOutcome]:
    return {file.name: file.outcome for file in report.files}


@pytest.mark.usefixtures("each_database")
async def test_files_become_documents_with_blocks_and_embeddings(tmp_path: Path) -> None:
    report = await ingest(tmp_path, write_book(tmp_path))
    assert report.ok
    assert [(file.outcome, file.blocks, file.embeddings) for file in report.files] == [(FileOutcome.INDEXED, 3, 3)] * 6
    store = await Store.open(database_of(tmp_path))
    blocks = await store.material.blocks("c", Source.TEXTBOOK, now())
    await store.aclose()
    assert blocks[0].passage.heading_path == ("Chapter 1", "1.1 Section")


@pytest.mark.usefixtures("each_database")
async def test_only_what_changed_is_done_again(tmp_path: Path) -> None:
    book = write_book(tmp_path)
    await ingest(tmp_path, book)
    (book / "02.md").write_text("# Chapter 2\n\nNew words.\n", encoding="utf-8")
    report = await ingest(tmp_path, book)
    changed = [file.name for file in report.files if file.outcome is FileOutcome.INDEXED]
    assert changed == ["book/02.md"]
    assert len(report.files_with(FileOutcome.UNCHANGED)) == 5


async def test_notes_of_a_speaker_are_for_staff_unless_the_course_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "l1.pptx").write_bytes(saved(deck(("Bayes", "prior"), notes="Tell the joke.")))
    shown = Course.model_validate({"id": "c", "documents": [{"match": "*.pptx", "notes": "student"}]})
    node = tables["node"].c
    texts = select(node.text, node.solution).where(node.kind == "block")
    for course, expected in (
        (COURSE, ("Bayes\n\n- prior", "Speaker notes:\nTell the joke.")),
        (shown, ("Bayes\n\n- prior\nSpeaker notes:\nTell the joke.", "")),
        (COURSE, ("Bayes\n\n- prior", "Speaker notes:\nTell the joke.")),
    ):
        async with ingestion(tmp_path) as service:
            report = await service.run(course, Source.TEXTBOOK, discover([tmp_path / "l1.pptx"]))
        assert list(outcomes(report).values()) == [FileOutcome.INDEXED]
        assert [tuple(row) for row in rows(tmp_path, texts)] == [expected]
        (file,) = report.files
        assert not file.warnings
        assert file.solutions == 0
        assert file.staff_reason == ("speaker notes and what the file hides" if expected[1] else "")


@pytest.mark.usefixtures("each_database")
async def test_vanished_files_are_reported_and_removed_only_when_asked(tmp_path: Path) -> None:
    book = write_book(tmp_path, 3)
    await ingest(tmp_path, book)
    (book / "03.md").unlink()
    assert outcomes(await ingest(tmp_path, book))["book/03.md"] is FileOutcome.VANISHED
    assert len(content(tmp_path)["document"]) == 3
    assert outcomes(await ingest(tmp_path, book, prune=True))["book/03.md"] is FileOutcome.REMOVED
    assert len(content(tmp_path)["document"]) == 2


async def test_ingesting_one_file_lets_the_others_be(tmp_path: Path) -> None:
    book = write_book(tmp_path, 3)
    await ingest(tmp_path, book)
    report = await ingest(tmp_path, book / "01.md", prune=True)
    assert outcomes(report) == {"book/01.md": FileOutcome.UNCHANGED}


async def test_a_plan_names_actions_and_stores_nothing(tmp_path: Path) -> None:
    book = write_book(tmp_path, 2)
    async with ingestion(tmp_path, ScriptedLLM([])) as service:
        plan = await service.plan(COURSE, Source.TEXTBOOK, discover([book]), parse=True)
    assert [file.action for file in plan.files] == [Action.NEW, Action.NEW]
    assert plan.model_calls == 2 * 2  # per chapter: the document and its chapter summarised, and no headers to find
    assert plan.prompt_tokens > 0
    assert plan.cost_usd is None
    assert content(tmp_path)["document"] == []


async def test_bad_files_are_reported_and_never_stop_the_good_ones(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    (book / "empty.md").write_text("")
    (book / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (book / "old.ipynb").write_text("not json")
    with pymupdf.open() as locked:
        locked.new_page().insert_text((72, 72), "secret")
        locked.save(book / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")
    report = await ingest(tmp_path, book)
    assert outcomes(report) == {
        "book/01.md": FileOutcome.INDEXED,
        "book/broken.pdf": FileOutcome.FAILED,
        "book/empty.md": FileOutcome.EMPTY,
        "book/locked.pdf": FileOutcome.FAILED,
        "book/old.ipynb": FileOutcome.FAILED,
    }
    assert not report.ok
    assert all(file.reason for file in report.files if file.outcome is not FileOutcome.INDEXED)


async def test_a_file_that_breaks_is_hidden_from_students_all_the_same_where_a_rule_now_says_so(tmp_path: Path) -> None:
    book = write_book(tmp_path, chapters=1)
    await ingest(tmp_path, book)
    (book / "01.md").write_bytes(b"\0\1\2" * 100)
    hidden = Course.model_validate({"id": "c", "documents": [{"match": "book/*", "visibility": "staff"}]})
    async with ingestion(tmp_path) as service:
        report = await service.run(hidden, Source.TEXTBOOK, discover([book]))
        blocks = await service.store.material.blocks("c", Source.TEXTBOOK, now())
    assert outcomes(report) == {"book/01.md": FileOutcome.FAILED}
    assert {block.passage.visibility for block in blocks} == {Visibility.STAFF}


async def test_a_file_that_breaks_keeps_its_last_good_version_searchable(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    (book / "a.ipynb").write_text(
        '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "# Lab"}], '
        '"metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    )
    await ingest(tmp_path, book)
    before = content(tmp_path)
    (book / "a.ipynb").write_text("{")
    for _ in range(2):
        report = await ingest(tmp_path, book)
        assert "kept" in next(file.reason for file in report.files if file.name == "book/a.ipynb")
    assert content(tmp_path) == before


class Killed(BaseException):
    pass


@pytest.mark.parametrize("kill_at", sweep(range(1, 24, 3), every=4))
async def test_a_killed_run_continues_and_ends_like_an_undisturbed_one(
    tmp_path: Path, kill_at: int, database_url: str
) -> None:
    book = write_book(tmp_path)
    undisturbed, killed = tmp_path / "a", tmp_path / "b"
    use_database(killed, database_url)
    await ingest(undisturbed, book)

    async with ingestion(killed) as service:
        with pytest.raises(BaseExceptionGroup):
            await service.run(COURSE, Source.TEXTBOOK, discover([book]), progress=_killer(kill_at))
    report = await ingest(killed, book)
    assert report.ok
    assert content(killed) == content(undisturbed)


def _killer(at: int) -> Callable[[str, BuildStage], None]:
    seen = 0

    def progress(_name: str, _stage: BuildStage) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            raise Killed

    return progress


@pytest.mark.parametrize("kill_at", sweep(range(1, 21), every=8))
async def test_a_run_killed_with_a_model_repeats_no_call(tmp_path: Path, kill_at: int) -> None:
    book = write_book(tmp_path)
    lines = {DetectHeaders: [DetectedHeaders(headers=())], Summarize: [Summary(summary="A summary.")]}
    undisturbed, killed = tmp_path / "a", tmp_path / "b"
    whole, first, second = ScriptedLLM(lines), ScriptedLLM(lines), ScriptedLLM(lines)
    await ingest(undisturbed, book, llm=whole)

    cached = Cached(first, tmp_path / "cache")
    async with ingestion(killed, cached) as service:
        with pytest.raises(BaseExceptionGroup):
            await service.run(COURSE, Source.TEXTBOOK, discover([book]), progress=_killer(kill_at))
        await cached.aclose()
    await ingest(killed, book, llm=Cached(second, tmp_path / "cache"))
    asked = [task.model_dump_json() for task in (*first.tasks, *second.tasks)]
    assert sorted(asked) == sorted({task.model_dump_json() for task in whole.tasks})
    assert tree(killed) == tree(undisturbed)


async def test_a_model_that_talks_nonsense_costs_only_its_part(tmp_path: Path) -> None:
    (folder := tmp_path / "hw").mkdir()
    (folder / "hw1.txt").write_text("Question 1\nRoll a die.\n\nQuestion 2\nRoll two.\n\nQuestion 3\nRoll three.\n")
    llm = ScriptedLLM({DetectHeaders: [BadReply("not JSON")], Summarize: [Summary(summary=" ")]})
    report = await ingest(tmp_path, folder, source=Source.ASSIGNMENT, llm=llm)
    (file,) = report.files
    assert (file.outcome, file.blocks) == (FileOutcome.INDEXED, 3)
    assert any("by rule" in warning for warning in file.warnings)
    assert any("empty" in warning for warning in file.warnings)


async def test_five_thousand_sibling_questions_are_one_tree(tmp_path: Path) -> None:
    folder = tmp_path / "hw"
    folder.mkdir()
    text = "\n".join(f"Question {n}\nDo task number {n}.\n" for n in range(1, 901))
    (folder / "hw.txt").write_text(text, encoding="utf-8")
    (report,) = (await ingest(tmp_path, folder, source=Source.ASSIGNMENT)).files
    assert report.blocks == 900


async def test_an_unchanged_course_is_checked_without_parsing(tmp_path: Path) -> None:
    book = write_book(tmp_path, 3)
    await ingest(tmp_path, book)
    async with ingestion(tmp_path, loaders="nothing.that.could.parse") as service:
        report = await service.run(COURSE, Source.TEXTBOOK, discover([book]))
    assert set(outcomes(report).values()) == {FileOutcome.UNCHANGED}


async def test_no_model_is_asked_for_headings_that_a_file_marks(tmp_path: Path) -> None:
    plain = tmp_path / "plain.md"
    plain.write_text("Notes of the first week\n\nMEANS\n\nA mean is a sum by a count.\n", encoding="utf-8")
    llm = ScriptedLLM({DetectHeaders: [DetectedHeaders(headers=())], Summarize: [Summary(summary="Means.")]})
    assert (await ingest(tmp_path, write_book(tmp_path, chapters=1), llm=llm)).ok
    assert DetectHeaders not in {type(task) for task in llm.tasks}
    assert (await ingest(tmp_path, plain, llm=llm)).ok
    assert DetectHeaders in {type(task) for task in llm.tasks}
