"""A home with the course `small`, which has labelled queries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.commands import edumod

BOOK = {
    "rows": "Rows of a table are selected by a condition in brackets.",
    "charts": "A histogram shows how the values of one column are distributed.",
    "joins": "Two tables are merged on the columns that they share.",
}
COURSE = "id: small\nmaterial:\n  textbook: [textbook]\nlabels: labels\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the embedding model, and the course `small` with labelled queries."""
    folder = tmp_path_factory.mktemp("recall")
    home = folder / "home"
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
