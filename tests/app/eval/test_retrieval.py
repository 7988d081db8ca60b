"""`edumod eval retrieval` and `edumod report nightly`, as processes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.app.test_cli import edumod

BOOK = {
    "rows": "Rows of a table are selected by a condition in brackets.",
    "charts": "A histogram shows how the values of one column are distributed.",
    "joins": "Two tables are merged on the columns that they share.",
}
COURSE = "id: small\nmaterial:\n  textbook: [textbook]\nlabels: labels\n"


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


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Path:
    """A home with the embedding model, and the course `small` with labelled queries."""
    folder = tmp_path_factory.mktemp("recall")
    home = folder / "home"
    shutil.copytree(model_folder, home / "models")
    (folder / "course.yaml").write_text(COURSE)
    (folder / "textbook").mkdir()
    (folder / "textbook" / "book.md").write_text(
        "# Tables\n\n" + "".join(f"## {name}\n\n{text}\n\n" for name, text in BOOK.items())
    )
    (folder / "labels" / "retrieval").mkdir(parents=True)
    ten_each = [{**query, "id": f"{query['id']}{n}"} for query in queries("textbook") for n in range(10)]
    places = [f"{name}{n}\ttextbook/book.md > Tables > {name}\t1" for name in BOOK for n in range(10)]
    write(folder / "labels" / "retrieval", ten_each, places)
    loaded = edumod(home, "course", "load", str(folder / "course.yaml"))
    assert loaded.returncode == 0, loaded.stderr
    return home


def queries(kind: str = "") -> list[dict[str, str]]:
    texts = {"rows": "how do I select some rows", "charts": "plot a distribution", "joins": "merge two tables"}
    return [{"id": name, "text": text, "kind": kind} for name, text in texts.items()]


def write(folder: Path, rows: list[dict[str, str]], qrels: list[str]) -> None:
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *qrels]) + "\n", encoding="utf-8")


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


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--dataset", "nowhere"), "corpus.jsonl"),
        ((), "--dataset"),
        (("--course", "small", "--retriever", "trea"), "no retriever 'trea'"),
        (("--course", "small", "--k", "0"), "--k '0'"),
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
