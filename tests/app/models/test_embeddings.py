"""EDUMOD_EMBEDDING from the command line to the search: a change of embedding, killed and continued, and what is wrong
with an endpoint."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import EDUMOD, edumod
from tests.app.live import live, settings_in
from tests.servers.embeddings import EmbeddingServer
from tests.servers.llama import LlamaServer
from tests.servers.tiny_gguf import WIDTH

SECTIONS = 150
KEY = "sk-embeddings-only"
Settings = dict[str, str]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    sections = "".join(f"## Section {n}\n\nWords about topic{n} alone.\n\n" for n in range(SECTIONS))
    (folder / "book.md").write_text(f"# Book\n\n{sections}", encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


Configure = Callable[..., Settings]


@pytest.fixture
def configured(tmp_path: Path) -> Configure:
    """Settings with a models file of one embedding model, `emb`."""

    def configure(base_url: str, dimension: int, model: str = "tiny-random", **more: Any) -> Settings:
        entry = {"base_url": base_url, "model": model, "api_key_env": "EMB_KEY", "embedding": {"dimension": dimension}}
        path = tmp_path / "models.yaml"
        path.write_text(json.dumps({"models": {"emb": {**entry, **more}}}), encoding="utf-8")
        return {
            "EDUMOD_MODELS_FILE": str(path),
            "EDUMOD_EMBEDDING": "emb",
            "EMB_KEY": KEY,
            "EDUMOD_LLM_MAX_RETRIES": "0",
        }

    return configure


def ingest(home: Path, book: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return edumod(home, "ingest", str(book), "--course", "c", "--source", "textbook", COLUMNS="400", **settings)


def vectors(home: Path) -> dict[str, int]:
    """Vectors by the number of their dimensions."""
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        query = "SELECT length(vector) / 4, count(*) FROM embedding GROUP BY 1"
        return {str(dimension): count for dimension, count in database.execute(query)}


def found(home: Path, query: str, *options: str, **settings: str) -> str:
    done = edumod(home, "search", query, "--course", "c", "--json", *options, **settings)
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)[0]["text"] if isinstance(json.loads(done.stdout), list) else done.stdout)


def killed_at_work(home: Path, until: Callable[[], bool], **settings: str) -> None:
    """`edumod course embed`, killed as soon as `until` holds."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    command = [EDUMOD, "course", "embed", "c"]
    process = subprocess.Popen(command, env={**clean, "EDUMOD_HOME": str(home), **settings})
    try:
        while not until():
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.slow
def test_a_course_changes_to_an_endpoint_is_killed_in_the_middle_and_continues(
    home: Path, book: Path, configured: Configure, embedding_server: EmbeddingServer
) -> None:
    assert ingest(home, book).returncode == 0
    settings = configured(embedding_server.base_url, 96)
    said = ingest(home, book, **{**settings, "EDUMOD_EMBEDDING": "minilm"})
    assert "1 unchanged" in said.stdout
    dry = edumod(home, "ingest", str(book), "-c", "c", "-s", "textbook", "--dry-run", COLUMNS="900", **settings)
    assert f"All {SECTIONS} blocks are embedded again" in dry.stderr
    assert vectors(home) == {"384": SECTIONS}
    embedding_server.pause_after = 64
    killed_at_work(home, embedding_server.paused.is_set, **settings)
    assert vectors(home) == {"384": SECTIONS, "96": 64}
    embedding_server.pause_after = None
    embedding_server.resume.set()
    # The earlier embedding is searched, whichever is configured; a service does so while it changes.
    with live(settings_in(home), real_embedder=True) as client:
        before = client.get("/healthz").status_code
        assert "topic7 " in found(home, "topic7", "--retriever", "vector", **settings)
        embedding_server.texts.clear()
        continued = ingest(home, book, **settings)
        assert continued.returncode == 0, continued.stderr
        assert f"c: {SECTIONS - 64} blocks embedded with emb (96 dimensions)" in continued.stdout
        assert len([one for one in embedding_server.texts if "topic" in one]) == SECTIONS - 64
        assert vectors(home) == {"96": SECTIONS}
        assert before == client.get("/healthz").status_code == 200
    assert "topic7 " in found(home, "topic7", "--retriever", "vector", **settings)
    assert embedding_server.keys == {f"Bearer {KEY}"}


def test_a_running_service_picks_up_the_change(
    home: Path, book: Path, tmp_path: Path, configured: Configure, embedding_server: EmbeddingServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    assert ingest(home, book).returncode == 0
    settings = configured(embedding_server.base_url, 96)
    monkeypatch.setenv("EMB_KEY", KEY)
    asked = {"course": "c", "question": {"title": "", "body": "What about topic7?"}}
    with live(settings_in(home, models_file=tmp_path / "models.yaml"), real_embedder=True) as client:
        options = {"retriever": "vector", "pipeline": "fc_forced"}
        assert client.post("/answer", params=options, json=asked).status_code == 200
        assert not embedding_server.texts
        changed = edumod(home, "course", "embed", "c", "--json", **settings)
        assert json.loads(changed.stdout)["after"] == "emb (96 dimensions)"
        embedding_server.texts.clear()
        time.sleep(1.1)  # How long a service may go without looking at the database.
        answered = client.post("/answer", params=options, json=asked)
        assert answered.status_code == 200, answered.text
        assert "topic7" in answered.text
        assert any("topic7" in one for one in embedding_server.texts)


def test_of_a_document_whose_vectors_cannot_be_used_nothing_is_stored(
    home: Path, book: Path, configured: Configure, embedding_server: EmbeddingServer
) -> None:
    embedding_server.fault = "nan"
    failed = ingest(home, book, **configured(embedding_server.base_url, 96))
    assert (failed.returncode, "not finite" in failed.stdout) == (1, True)
    assert "Traceback" not in failed.stdout + failed.stderr
    assert vectors(home) == {}


def test_another_dimension_than_the_models_file_states_is_refused_also_in_the_middle_of_a_run(
    home: Path, book: Path, configured: Configure, embedding_server: EmbeddingServer
) -> None:
    settings = configured(embedding_server.base_url, 96)
    assert ingest(home, book, **settings).returncode == 0
    changed = configured(embedding_server.base_url, 80, "another")
    embedding_server.dimension, embedding_server.turns = 80, (len(embedding_server.texts) + 40, 70)
    failed = edumod(home, "course", "embed", "c", COLUMNS="900", **changed)
    assert failed.returncode not in (0, 1)
    assert "70 numbers in place of 80" in failed.stderr
    assert vectors(home) == {"96": SECTIONS, "80": 32}
    # What the alias stood for before made the vectors that are stored.
    refused = edumod(home, "search", "topic7", "-c", "c", "--retriever", "vector", COLUMNS="900", **changed)
    assert "edumod course embed" in refused.stderr
    assert "topic7 " in found(home, "topic7", "--retriever", "bm25", **changed)
    embedding_server.turns = None
    assert edumod(home, "course", "embed", "c", **changed).returncode == 0
    assert vectors(home) == {"80": SECTIONS}


def test_an_embedding_that_is_not_there_is_refused_before_anything_is_stored(
    home: Path, book: Path, configured: Configure
) -> None:
    settings = configured("http://127.0.0.1:9/v1", 96)
    unknown = ingest(home, book, **{**settings, "EDUMOD_EMBEDDING": "nobody"})
    assert "'nobody' is neither `minilm`" in unknown.stderr
    keyless = ingest(home, book, **{**settings, "EMB_KEY": ""})
    assert "EMB_KEY" in keyless.stdout + keyless.stderr
    assert not (home / "edumod.db").exists() or vectors(home) == {}
    checks = json.loads(edumod(home, "doctor", "--json", **{**settings, "EDUMOD_EMBEDDING": "nobody"}).stdout)
    assert checks["embedding"]["state"] == "error"
    assert "nobody" in checks["embedding"]["finding"]


@pytest.mark.slow
def test_a_local_model_embeds_a_course_and_the_doctor_names_courses_with_another(
    home: Path, book: Path, tiny_bert: Path
) -> None:
    assert ingest(home, book).returncode == 0
    settings = {"EDUMOD_EMBEDDING": str(tiny_bert)}
    checks = json.loads(edumod(home, "doctor", "--json", **settings).stdout)
    assert checks["embedding"]["state"] == "warning"
    assert "embedded with another: c" in checks["embedding"]["finding"]
    assert ingest(home, book, **settings).returncode == 0
    assert vectors(home).keys() == {"32"}
    assert found(home, "topic7", "--retriever", "vector", **settings)
    assert found(home, "topic7", "--retriever", "vector")


@pytest.mark.slow
def test_llama_cpp_embeds_a_course_and_continues_after_a_kill(
    home: Path, book: Path, configured: Configure, llama_embeddings: LlamaServer
) -> None:
    assert ingest(home, book).returncode == 0
    settings = {**configured(llama_embeddings.base_url, WIDTH), "EMB_KEY": llama_embeddings.api_key}
    wrong = {**configured(llama_embeddings.base_url, 7), "EMB_KEY": llama_embeddings.api_key}
    refused = edumod(home, "course", "embed", "c", COLUMNS="900", **wrong)
    assert f"{WIDTH} numbers in place of 7" in refused.stderr
    settings = {**configured(llama_embeddings.base_url, WIDTH), "EMB_KEY": llama_embeddings.api_key}
    killed_at_work(home, lambda: vectors(home).get(str(WIDTH), 0) > 0, **settings)
    assert vectors(home)["384"] == SECTIONS
    assert "topic7 " in found(home, "topic7", "--retriever", "vector", **settings)
    assert edumod(home, "course", "embed", "c", **settings).returncode == 0
    assert vectors(home) == {str(WIDTH): SECTIONS}
    assert found(home, "topic7", "--retriever", "vector", **settings)
