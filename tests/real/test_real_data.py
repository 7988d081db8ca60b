"""Real books, worksheets and questions through the product as its users run it."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from app.wiring import Services, services
from benchmarks.forum import asked, read_questions
from core.types import Passage
from eval.datasets.corpus import read_dataset
from pipelines import PIPELINES
from tests.app.live import live, settings_in
from tests.real.conftest import edumod, new_home

pytestmark = pytest.mark.timeout(900)


async def first_module(built: Services, retriever: str, question: str) -> str:
    """The book section of the first passage, by its file's name."""
    (found,) = await built.assistant.retrieve("psychology", None, retriever, question, 1)
    return Path(found.document).stem


@pytest.mark.parametrize(("retriever", "floor", "hard_floor"), [("hybrid", 0.88, 0.84), ("tree", 0.91, 0.88)])
async def test_the_right_section_of_a_real_book_comes_first(
    psychology: Path, shared_data: Path, retriever: str, floor: float, hard_floor: float
) -> None:
    dataset = read_dataset(shared_data / "openstax_psychology")
    async with services(settings_in(psychology)) as built:
        right = {query: await first_module(built, retriever, query.text) in query.relevant for query in dataset.queries}
    hard = [found for query, found in right.items() if query.kind == "critical"]
    assert (len(right), len(hard)) == (590, 171)
    assert sum(right.values()) / len(right) >= floor
    assert sum(hard) / len(hard) >= hard_floor


def test_the_search_command_finds_a_passage_of_the_book(psychology: Path) -> None:
    query = "How do Piaget's stages explain object permanence in infants?"
    process = edumod(psychology, "search", query, "--course", "psychology", "--json", "-k", "3")
    found = json.loads(process.communicate()[0])["passages"]
    assert "Piaget" in found[0]["text"]


@pytest.mark.parametrize(
    ("question", "document", "word"),
    [
        ("Which strings match the regular expression 1+1$?", "disc05", "regular expression"),
        ("literary digest poll Landon Roosevelt sampling", "disc01", "Landon"),
        ("lab06 question 1 scatter matrix of iris features", "lab06", "scatter matrix"),
        ("hw1 population variance without numpy", "hw1", "variance"),
    ],
)
async def test_questions_about_real_worksheets_find_the_right_passage(
    worksheets: Path, question: str, document: str, word: str
) -> None:
    async with services(settings_in(worksheets)) as built:
        found: list[Passage] = await built.assistant.retrieve("ds100", None, "hybrid", question, 3)
    assert any(document in passage.document and word in passage.text for passage in found)


async def test_real_worksheets_get_their_solutions_from_the_twin(worksheets: Path) -> None:
    async with services(settings_in(worksheets)) as built:
        passages = (await built.indexes.get("ds100")).passages
    statements = [p for p in passages if p.document.startswith("ds100_disc_pdf") and p.visibility == "student"]
    assert sum(1 for passage in statements if passage.solution) >= 20


CONTENT = {
    "document": "SELECT id, name, title, sha256, build, state, error, visibility, pair, is_solution, pages, warnings",
    "node": "SELECT *",
    "embedding": "SELECT *",
}


def content(home: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(home / "edumod.db") as database:
        return {
            table: sorted(database.execute(f"{select} FROM {table}"), key=repr) for table, select in CONTENT.items()
        }


@pytest.mark.parametrize(
    ("folder", "source", "stored_at_kill", "total"),
    [
        ("ds100_disc_pdf", "assignment", 1, 10),
        ("ds100_disc_pdf", "assignment", 4, 10),
        ("ds100_su19_headers/plain", "assignment", 6, 22),
        ("psychology", "textbook", 30, 104),
    ],
)
def test_a_killed_command_run_again_ends_with_the_same_content(
    tmp_path: Path,
    shared_data: Path,
    worksheets: Path,
    psychology: Path,
    folder: str,
    source: str,
    stored_at_kill: int,
    total: int,
) -> None:
    is_book = folder == "psychology"
    material, whole = (psychology.parent / folder, psychology) if is_book else (shared_data / folder, worksheets)
    home = new_home(tmp_path / "home")
    arguments = ("ingest", str(material), "-c", "psychology" if is_book else "ds100", "-s", source, "--json")
    process = edumod(home, *arguments)
    while process.poll() is None and documents(home) < stored_at_kill:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert documents(home) < total, "The run had ended before it was killed."
    again = edumod(home, *arguments)
    report = json.loads(again.communicate()[0])
    states = {file["outcome"] for file in report["files"] if not file["name"].endswith("SOURCE.md")}
    assert states <= {"indexed", "unchanged", "skipped"}
    expected, found = content(whole), content(home)
    ids = {row[0] for row in found["document"]}
    assert found["document"] == [row for row in expected["document"] if row[0] in ids]
    nodes = {row[0] for row in found["node"]}
    assert found["node"] == [row for row in expected["node"] if row[0] in nodes]
    assert found["embedding"] == [row for row in expected["embedding"] if row[0] in nodes]


def documents(home: Path) -> int:
    if not (home / "edumod.db").exists():
        return 0
    try:
        with sqlite3.connect(f"file:{home / 'edumod.db'}?mode=ro", uri=True) as database:
            count: int = database.execute("SELECT count(*) FROM document").fetchone()[0]
            return count
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("place", range(len(PIPELINES)), ids=[one.name for one in PIPELINES])
def test_4612_real_student_questions_are_answered_without_a_server_error(
    worksheets: Path, shared_data: Path, place: int
) -> None:
    """Every pipeline takes its share of them; `python -m benchmarks.forum` puts all through each."""
    questions = read_questions(shared_data / "cs1qa_questions" / "questions.jsonl")
    assert len(questions) == 4612
    share = questions[place :: len(PIPELINES)]
    with live(settings_in(worksheets), real_embedder=True) as client:
        outcome = asyncio.run(asked(str(client.base_url), PIPELINES[place].name, share, "ds100"))
    assert outcome.is_sound
    assert outcome.http.total() == len(share)
    assert outcome.http[200] == sum(1 for question in share if question.strip())
