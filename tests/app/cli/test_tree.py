"""`edumod tree`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.tree import course_tree
from app.wiring import build_services
from core.course import Course
from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from core.types import Source
from ingestion.files import discover
from ingestion.tasks import DetectedHeaders, DetectHeaders, Summarize, Summary
from tests.app.commands import edumod
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder


def test_the_trees_are_printed_with_blocks_and_cost(home: Path) -> None:
    shown = edumod(home, "tree", "small")
    assert shown.returncode == 0, shown.stderr
    for words in ("logistics/syllabus.md", "Syllabus", "Late work", "block", "free", "Total"):
        assert words in shown.stdout


def test_one_document_as_json_down_to_a_depth(home: Path) -> None:
    arguments = ("tree", "small", "--document", "logistics/syllabus.md", "--json")
    whole = json.loads(edumod(home, *arguments).stdout)
    (document,) = whole["documents"]
    assert (document["source"], document["root"]["blocks"], whole["blocks"]) == ("logistics", 3, 3)
    assert [child["title"] for child in document["root"]["children"]] == ["Syllabus"]
    cut = json.loads(edumod(home, *arguments, "--depth", "1").stdout)
    assert cut["documents"][0]["root"]["children"] == []
    assert (cut["blocks"], cut["documents"][0]["root"]["blocks"]) == (3, 3)


def test_an_unknown_course_or_document_is_answered_with_those_there_are(home: Path) -> None:
    course = edumod(home, "tree", "smal")
    assert (course.returncode, "small" in course.stderr) == (2, True)
    document = edumod(home, "tree", "small", "--document", "syllabus.md")
    assert (document.returncode, "logistics/syllabus.md" in document.stderr) == (2, True)


def test_a_course_without_documents_says_how_to_ingest(tmp_path: Path) -> None:
    (tmp_path / "course.yaml").write_text("id: bare\n")
    edumod(tmp_path, "course", "load", str(tmp_path / "course.yaml"))
    shown = edumod(tmp_path, "tree", "bare")
    assert (shown.returncode, "edumod ingest" in shown.stdout) == (0, True)


async def test_every_summary_carries_what_it_cost(tmp_path: Path, material: Path) -> None:
    llm = ScriptedLLM(
        {Summarize: [Summary(summary="All of it.")], DetectHeaders: [DetectedHeaders(headers=())]}, model="priced"
    )
    settings = settings_in(
        tmp_path, llm_base_url="http://127.0.0.1:1/v1", llm_prices={"priced": ModelPrice(input=1.0, output=1.0)}
    )
    services = await build_services(settings, llm=llm, embedder=FakeEmbedder())
    await services.store.courses.put("c", {})
    async with services.ingestion() as ingestion:
        await ingestion.run(Course(id="c"), Source.LOGISTICS, discover([material / "logistics"]))
    documents = await services.store.material.documents("c")
    found = course_tree("c", documents, await services.store.material.tree("c"), None)
    await services.aclose()
    root = found.documents[0].root
    assert root is not None
    assert (root.summary, root.usage.calls, root.usage.prompt_tokens) == ("All of it.", 1, 100)
    assert root.usage.cost_usd == pytest.approx(110 / 1e6)
    assert found.usage.calls == found.summaries
