"""Real worksheets and students' questions through the product as its users run it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.wiring import services
from benchmarks.forum import asked, read_questions
from core.types import Audience, Passage
from pipelines import PIPELINES
from tests.app.live import live, settings_in
from tests.real.killed import assert_same_content, kill_and_run_again

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


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
        passages = (await built.indexes.get("ds100", audience=Audience.STAFF)).passages
    statements = [p for p in passages if p.document.startswith("ds100_disc_pdf") and p.visibility == "student"]
    assert sum(1 for passage in statements if passage.solution) >= 20


@pytest.mark.parametrize(
    ("folder", "stored_at_kill", "total"),
    [("ds100_disc_pdf", 1, 10), ("ds100_disc_pdf", 4, 10), ("ds100_su19_headers/plain", 6, 22)],
)
def test_a_killed_command_run_again_ends_with_the_same_content(
    tmp_path: Path, shared_data: Path, worksheets: Path, folder: str, stored_at_kill: int, total: int
) -> None:
    arguments = ("ingest", str(shared_data / folder), "-c", "ds100", "-s", "assignment", "--json")
    assert_same_content(kill_and_run_again(tmp_path, arguments, stored_at_kill, total), worksheets)


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
