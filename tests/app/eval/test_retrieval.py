"""`edumod eval retrieval` and `edumod report nightly`, as processes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.app.commands import edumod
from tests.app.eval.conftest import BOOK, queries, write


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    corpus = [
        {"id": f"{name}#0", "module": name, "chapter": "Tables", "section": name, "heading": name, "text": text}
        for name, text in BOOK.items()
    ]
    write(folder, queries(), [f"{name}\t{name}\t1" for name in BOOK])
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus), encoding="utf-8")
    return folder


def test_a_data_set_is_ingested_and_every_retriever_measured_on_it(home: Path, dataset: Path, tmp_path: Path) -> None:
    arguments = ("eval", "retrieval", "--dataset", str(dataset), "--retriever", "bm25,tree", "--k", "1,3")
    done = edumod(home, *arguments, "--json", "--runs", str(tmp_path))
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["dataset"], figures["n"], list(figures["retrievers"])) == (dataset.name, 3, ["bm25", "tree"])
    tree = figures["retrievers"]["tree"]
    assert set(tree["recall@1"]) == {"mean", "low", "high"}
    assert (tree["recall@3"]["mean"], tree["model_calls"], tree["cost_usd"]) == (1.0, 0, 0)
    assert set(tree["latency_ms"]) == {"p50", "p95"}
    assert (tmp_path / "tree.run").read_text().startswith("rows Q0 rows 1 ")
    table = edumod(home, *arguments)
    assert "bm25" in table.stdout
    assert json.loads(edumod(home, "course", "list", "--json").stdout).keys() == {"small"}
    listed = json.loads(edumod(home, "eval", "list", "--kind", "retrieval", "--json").stdout)
    assert {(one["dataset"], one["course"], one["state"]) for one in listed} == {(dataset.name, None, "done")}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--dataset", "nowhere"), "corpus.jsonl"),
        ((), "--dataset"),
        (("--course", "small", "--retriever", "trea"), "no retriever 'trea'"),
        (("--course", "small", "--k", "0"), "--k '0'"),
        (("--course", "small", "--metric", "recal@5"), "recall@K"),
        (("--course", "small", "--metric", "set_f1"), "does not fit"),
        (("--course", "small", "--actor", "rum:x"), "run:PATH"),
        (("--course", "small", "--actor", "run:nowhere.run"), "cannot be read"),
        (("--course", "smal"), "small"),
    ],
)
def test_wrong_arguments_are_named(home: Path, arguments: tuple[str, ...], complaint: str) -> None:
    failed = edumod(home, "eval", "retrieval", *arguments)
    assert (failed.returncode, complaint in failed.stderr, "Traceback" in failed.stderr) == (2, True, False)


def test_a_night_after_the_index_broke_ends_with_exit_code_three(home: Path) -> None:
    quiet = edumod(home, "report", "nightly", "--course", "small", "--retriever", "vector,tree", "--json")
    assert quiet.returncode == 0, quiet.stderr
    assert json.loads(quiet.stdout)["alarms"] == []

    with sqlite3.connect(home / "edumod.db") as database:
        database.execute("UPDATE embedding SET vector = zeroblob(length(vector))")
        database.execute("UPDATE course SET revision = revision + 1")
    broken = edumod(home, "report", "nightly", "--course", "small", "--retriever", "vector,tree")
    assert broken.returncode == 3
    assert "vector: recall@5 is" in broken.stderr
    page = (home / "reports" / "small" / "nightly.html").read_text(encoding="utf-8")
    assert "plot a distribution" in page
    assert len(json.loads((home / "reports" / "small" / "nightly.json").read_text())["history"]) == 2
