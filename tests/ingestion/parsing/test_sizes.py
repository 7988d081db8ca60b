"""Size limits of files, documents and courses, and lines that are cut."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.course import Course, DocumentRule
from core.errors import OversizedDocument
from core.llm.offline import OfflineLLM
from core.store.store import Store
from core.types import Source
from ingestion.build import Builder
from ingestion.document import Line, LoadedDocument
from ingestion.embedding import EMBEDDING_BATCH
from ingestion.files import discover
from ingestion.ingest import DOCUMENTS_AT_ONCE, Ingestion
from ingestion.parsing.long_lines import MAX_LINE_CHARS, with_short_lines
from ingestion.parsing.sizes import CourseSize, SizeLimits
from ingestion.questions.detection import RuleDetector
from ingestion.run_report import Action, FileOutcome, IngestionReport
from retrievers.embedding.encoder import LocalEncoder
from retrievers.embedding.minilm import Vectors
from tests.fakes import FakeEmbedder
from tests.ingestion.parsing.parsers import file_parser
from tests.ingestion.test_ingest import COURSE, OFFLINE, content, ingestion, outcomes, write_book

PROSE = "\n\n".join(f"Paragraph {n} tells that idea {n} follows from the one before. It says why." for n in range(300))
DATA = "\n".join(f"{n},{n * 0.37:.2f},{n % 7}" for n in range(5_000))


async def run(
    home: Path, *paths: Path, limits: SizeLimits | None = None, course: Course = COURSE, prune: bool = False
) -> IngestionReport:
    """Ingest with these limits, those of one document included."""
    limits = limits or SizeLimits()
    async with ingestion(home) as service, file_parser(20, 1024, max_chars=limits.document_chars) as pool:
        limited = Ingestion(service.store, service.builder, pool, {}, limits)
        return await limited.run(course, Source.TEXTBOOK, discover(list(paths)), prune=prune)


def reason_of(report: IngestionReport, name: str) -> str:
    return next(file.reason for file in report.files if file.name == name)


async def test_a_file_over_the_size_limit_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    book = write_book(tmp_path, 2)
    (book / "big.txt").write_bytes(b"word " * 300_000)
    report = await run(tmp_path, book, limits=SizeLimits(file_mb=1))
    assert [file.outcome for file in report.files] == [FileOutcome.INDEXED, FileOutcome.INDEXED, FileOutcome.FAILED]
    assert "EDUMOD_MAX_FILE_MB" in reason_of(report, "book/big.txt")


async def test_a_document_of_too_many_blocks_is_refused_before_any_is_embedded_and_planned_so(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    (book / "02.md").write_text("\n".join(f"# Heading {n}" for n in range(101)), encoding="utf-8")
    (book / "03.md").write_text("\n".join(f"# Heading {n}" for n in range(100)), encoding="utf-8")
    async with ingestion(tmp_path) as service:
        limited = replace(service, builder=replace(service.builder, max_blocks=100))
        plan = await limited.plan(COURSE, Source.TEXTBOOK, discover([book]), parse=True)
        report = await limited.run(COURSE, Source.TEXTBOOK, discover([book]))
    assert [file.outcome for file in report.files] == [FileOutcome.INDEXED, FileOutcome.FAILED, FileOutcome.INDEXED]
    reason = "blocks (sections, questions, threads), over the 100 that one file may have"
    assert reason in reason_of(report, "book/02.md")
    assert "EDUMOD_MAX_DOCUMENT_BLOCKS" in reason_of(report, "book/02.md")
    assert [reason in file.reason for file in plan.files] == [False, True, False]


async def test_a_document_with_too_much_text_is_refused_and_its_last_version_kept(tmp_path: Path) -> None:
    book = write_book(tmp_path, 2)
    await run(tmp_path, book)
    before = content(tmp_path)
    (book / "02.md").write_text(PROSE, encoding="utf-8")
    report = await run(tmp_path, book, limits=SizeLimits(document_chars=10_000))
    assert outcomes(report) == {"book/01.md": FileOutcome.UNCHANGED, "book/02.md": FileOutcome.FAILED}
    reason = reason_of(report, "book/02.md")
    assert "EDUMOD_MAX_DOCUMENT_CHARS" in reason
    assert "kept" in reason
    assert content(tmp_path) == before


async def test_short_lines_count_as_what_they_cost(tmp_path: Path) -> None:
    async with file_parser(20, 1024, max_chars=100_000) as pool:
        await pool.load("a.txt", b"abc\n" * 4_000)
        with pytest.raises(OversizedDocument, match="EDUMOD_MAX_DOCUMENT_CHARS"):
            await pool.load("a.txt", b"abc\n" * 6_000)


async def test_plain_text_of_too_many_lines_is_refused_before_it_is_loaded() -> None:
    async with file_parser(20, 256) as pool:
        with pytest.raises(OversizedDocument, match="3,000,000 lines are more than the 500,000"):
            await pool.load("a.txt", b"\n" * 3_000_000)


async def test_a_course_takes_no_more_text_than_its_limit(tmp_path: Path) -> None:
    book = write_book(tmp_path, 2)
    (book / "long.md").write_text(PROSE, encoding="utf-8")
    report = await run(tmp_path, book, limits=SizeLimits(course_chars=5_000))
    assert outcomes(report)["book/long.md"] is FileOutcome.FAILED
    assert "EDUMOD_MAX_COURSE_CHARS" in reason_of(report, "book/long.md")
    assert outcomes(await run(tmp_path, book))["book/long.md"] is FileOutcome.INDEXED


async def test_what_the_course_has_already_counts_toward_its_limit(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    (book / "long.md").write_text(PROSE, encoding="utf-8")
    await run(tmp_path, book)
    (book / "more.md").write_text(PROSE, encoding="utf-8")
    limits = SizeLimits(course_chars=len(PROSE) + 5_000)
    assert outcomes(await run(tmp_path, book, limits=limits))["book/more.md"] is FileOutcome.FAILED


async def test_a_renamed_file_counts_once_where_the_old_name_is_removed(tmp_path: Path) -> None:
    book = write_book(tmp_path, 0)
    (book / "long.md").write_text(PROSE, encoding="utf-8")
    await run(tmp_path, book)
    (book / "long.md").rename(book / "longer.md")
    limits = SizeLimits(course_chars=len(PROSE) + 5_000)
    report = await run(tmp_path, book, limits=limits)
    assert outcomes(report) == {"book/longer.md": FileOutcome.FAILED, "book/long.md": FileOutcome.VANISHED}
    async with ingestion(tmp_path) as service:
        limited = replace(service, limits=limits)
        plans = [
            await limited.plan(COURSE, Source.TEXTBOOK, discover([book]), parse=True, prune=prune)
            for prune in (False, True)
        ]
    assert [bool(plan.files[0].reason) for plan in plans] == [True, False]
    report = await run(tmp_path, book, limits=limits, prune=True)
    assert outcomes(report) == {"book/longer.md": FileOutcome.INDEXED, "book/long.md": FileOutcome.REMOVED}


class _FailsOnce(FakeEmbedder):
    """Cannot embed what it is given first."""

    failed = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not self.failed:
            self.failed = True
            raise RuntimeError("The model broke.")
        return super().embed(texts)


async def test_a_document_that_could_not_be_built_leaves_its_room_to_others(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await store.courses.put("c", {"id": "c"})
    names = [f"{n}.md" for n in range(DOCUMENTS_AT_ONCE + 1)]
    for name in names:
        (tmp_path / name).write_text(PROSE, encoding="utf-8")
    async with file_parser(20, 1024) as pool:
        builder = Builder(OfflineLLM(OFFLINE), RuleDetector(), LocalEncoder(_FailsOnce()))
        # Room for all but one.
        limits = SizeLimits(course_chars=len(PROSE) * DOCUMENTS_AT_ONCE + 5_000)
        service = Ingestion(store, builder, pool, {}, limits)
        report = await service.run(COURSE, Source.TEXTBOOK, discover([tmp_path / name for name in names]))
    await store.aclose()
    assert len(report.files_with(FileOutcome.INDEXED)) == DOCUMENTS_AT_ONCE
    assert [file.reason for file in report.files_with(FileOutcome.FAILED)] == ["RuntimeError: The model broke."]


def test_what_is_not_built_counts_as_before() -> None:
    size = CourseSize({"a": 900}, 1_000)
    with pytest.raises(RuntimeError), size.replacing("a", "a.md", 100):
        raise RuntimeError
    with pytest.raises(OversizedDocument), size.replacing("b", "b.md", 500):
        pass
    size.remove("a")
    with size.replacing("b", "b.md", 1_000):
        pass


def test_a_document_that_shrinks_is_taken_where_the_course_is_too_large() -> None:
    size = CourseSize({"a": 900, "b": 900}, 1_000)
    size.replace("a", "a.md", 500)
    with pytest.raises(OversizedDocument):
        size.replace("a", "a.md", 501)


async def test_data_is_skipped_unless_the_course_file_says_that_it_is_text(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    (book / "set.txt").write_text(DATA, encoding="utf-8")
    report = await run(tmp_path, book)
    assert outcomes(report) == {"book/01.md": FileOutcome.INDEXED, "book/set.txt": FileOutcome.SKIPPED}
    assert report.ok
    assert "looks like data, not text: 100 % of its lines are numbers" in reason_of(report, "book/set.txt")
    course = Course(id="c", documents=(DocumentRule(match="*/set.txt", is_text=True),))
    assert outcomes(await run(tmp_path, book, course=course))["book/set.txt"] is FileOutcome.INDEXED


async def test_data_in_place_of_text_keeps_the_version_before(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    await run(tmp_path, book)
    before = content(tmp_path)
    (book / "01.md").write_text(DATA, encoding="utf-8")
    assert "kept" in reason_of(await run(tmp_path, book), "book/01.md")
    assert content(tmp_path) == before


async def test_a_plan_says_what_embedding_will_take(tmp_path: Path) -> None:
    book = write_book(tmp_path, 2)
    (book / "long.md").write_text(PROSE * 8, encoding="utf-8")
    (book / "set.txt").write_text(DATA, encoding="utf-8")
    async with ingestion(tmp_path) as built:
        service = replace(built, texts_per_second=2.0)
        plan = await service.plan(COURSE, Source.TEXTBOOK, discover([book]), parse=True)
        report = await service.run(COURSE, Source.TEXTBOOK, discover([book]))
        again = await service.plan(COURSE, Source.TEXTBOOK, discover([book / "long.md"]), parse=True)
    planned = {file.name: file for file in plan.files}
    assert plan.embeddings == sum(file.embeddings for file in report.files)
    assert plan.seconds == pytest.approx(plan.embeddings / service.texts_per_second, abs=0.5)
    assert planned["book/set.txt"].action is Action.SKIPPED
    assert plan.bytes == sum((book / name).stat().st_size for name in ("01.md", "02.md", "long.md"))
    assert planned["book/long.md"].is_slow
    assert not planned["book/01.md"].is_slow
    assert again.embeddings == 0


async def test_a_plan_names_the_files_over_a_limit(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    (book / "big.txt").write_bytes(b"word " * 300_000)
    async with ingestion(tmp_path) as service:
        limited = Ingestion(service.store, service.builder, service.parser, {}, SizeLimits(file_mb=1))
        plan = await limited.plan(COURSE, Source.TEXTBOOK, discover([book]), parse=True)
    assert ["EDUMOD_MAX_FILE_MB" in file.reason for file in plan.files] == [False, True]


async def test_progress_is_told_within_a_document(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(PROSE * 8, encoding="utf-8")
    told: list[tuple[str, int, int]] = []
    async with ingestion(tmp_path) as service:
        (file,) = (
            await service.run(
                COURSE, Source.TEXTBOOK, discover([tmp_path / "long.txt"]), embedded=lambda *one: told.append(one)
            )
        ).files
    total = file.embeddings
    expected = [*range(0, total, EMBEDDING_BATCH), total]
    assert total > 2 * EMBEDDING_BATCH
    assert told == [(file.name, done, total) for done in expected]


class Killed(BaseException):
    pass


async def test_a_run_killed_while_it_embeds_leaves_the_version_before(tmp_path: Path) -> None:
    book = write_book(tmp_path, 1)
    await run(tmp_path, book)
    before = content(tmp_path)
    (book / "01.md").write_text(PROSE * 8, encoding="utf-8")

    def kill(_name: str, done: int, _total: int) -> None:
        if done > EMBEDDING_BATCH:
            raise Killed

    async with ingestion(tmp_path) as service:
        with pytest.raises(BaseExceptionGroup):
            await service.run(COURSE, Source.TEXTBOOK, discover([book]), embedded=kill)
    assert content(tmp_path) == before


async def test_a_large_document_is_stored_whole(tmp_path: Path) -> None:
    """More rows than go into one statement."""
    text = "\n".join(f"## Section {n}\n\nWords about number {n}.\n" for n in range(1_100))
    (tmp_path / "long.md").write_text(text, encoding="utf-8")
    (file,) = (await run(tmp_path, tmp_path / "long.md")).files
    with sqlite3.connect(tmp_path / "edumod.db") as database:
        stored = database.execute("SELECT count(*) FROM embedding").fetchone()[0]
    assert file.blocks == file.embeddings == stored == 1_100


async def test_characters_are_counted_by_document(tmp_path: Path) -> None:
    await run(tmp_path, write_book(tmp_path, 2))
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    chars = await store.material.chars("c")
    assert await store.material.chars("another") == {}
    await store.aclose()
    assert len(chars) == 2
    assert all(count > 50 for count in chars.values())


async def test_one_endless_line_becomes_blocks_of_usual_size(tmp_path: Path) -> None:
    (tmp_path / "line.txt").write_text(PROSE.replace("\n\n", " ") * 5, encoding="utf-8")
    (file,) = (await run(tmp_path, tmp_path / "line.txt")).files
    with sqlite3.connect(tmp_path / "edumod.db") as database:
        texts = [row[0] for row in database.execute("SELECT text FROM node WHERE kind = 'block' ORDER BY ordinal")]
    assert file.blocks == len(texts) > 5
    assert max(map(len, texts)) <= MAX_LINE_CHARS
    assert all(text.endswith(".") for text in texts[:-1])


@given(st.text(st.characters(exclude_characters="\n"), max_size=30), st.integers(0, 2_000), st.booleans())
def test_nothing_but_white_space_is_lost_where_a_line_is_cut(word: str, count: int, spaced: bool) -> None:
    text = (word + " " if spaced else word) * count
    document = LoadedDocument("a", (Line("before", level=1), Line(text, level=2, page=3), Line("after")))
    short = with_short_lines(document)
    assert re.sub(r"\s", "", short.text) == re.sub(r"\s", "", document.text)
    assert all(len(line.text) <= MAX_LINE_CHARS for line in short.lines)
    assert {line.page for line in short.lines[1:-1]} == {3}
    assert [line.level for line in short.lines if line.level] == [1, 2]


def test_lines_of_usual_length_stay_as_they_are() -> None:
    document = LoadedDocument("a", (Line("word " * 1_500), Line("")))
    assert with_short_lines(document) is document
