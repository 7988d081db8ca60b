"""Data sets on disk, and how passages are named in their judgements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.types import Passage, Position, Source, Visibility
from eval.datasets.corpus import corpus_locations, read_dataset, read_labels, write_markdown
from eval.datasets.queries import Query, course_location, judged_locations
from retrievers.locations import missing_locations

CORPUS = [
    {"id": "m1#0", "module": "m1", "chapter": "One", "section": "Tables", "heading": "Tables", "text": "Rows."},
    {"id": "m1#1", "module": "m1", "chapter": "One", "section": "Tables", "heading": "Joins", "text": "# Keys."},
    {"id": "m/2", "text": "No headings at all."},
]
QUERIES = [{"id": "q1", "text": "How to join?", "kind": "review"}, {"id": "q2", "text": "Unjudged."}]


def write(folder: Path, corpus: object = CORPUS, queries: object = QUERIES, qrels: str = "q1\tm1\t1\n") -> Path:
    for name, rows in (("corpus", corpus), ("queries", queries)):
        assert isinstance(rows, list)
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels, encoding="utf-8")
    return folder


def passage(document: str, *path: str) -> Passage:
    return Passage(
        block_id="b",
        document_id="d",
        document=document,
        title="T",
        source=Source.TEXTBOOK,
        visibility=Visibility.STUDENT,
        heading_path=path,
        text="",
        position=Position(start=0, end=0),
        score=0.0,
    )


def test_queries_without_a_judgement_are_named(tmp_path: Path) -> None:
    dataset = read_dataset(write(tmp_path))
    assert [query.id for query in dataset.queries] == ["q1"]
    assert dataset.unjudged == ("q2",)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write(tmp_path) / name).unlink()
    with pytest.raises(InvalidInput, match=f"has no {name}"):
        read_dataset(tmp_path)


@pytest.mark.parametrize(
    ("qrels", "complaint"),
    [
        ("q1\tm1\t1\nq1\tm9\t1\n", "line 3: there is no 'm9' in corpus.jsonl"),
        ("q9\tm1\t1\n", "line 2: there is no query 'q9'"),
        ("q1\tm1\tyes\n", "line 2: expected query-id"),
        ("q1 m1 1\n", "line 2: expected query-id"),
        ("q1\tm1\t0\n", "judges none"),
    ],
)
def test_a_bad_judgement_is_named_with_its_line(tmp_path: Path, qrels: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_dataset(write(tmp_path, qrels=qrels))


@pytest.mark.parametrize(
    ("queries", "complaint"),
    [([*QUERIES, QUERIES[0]], "line 3: the id 'q1'"), ([{"id": "q1"}], "line 1"), (["text"], "line 1")],
)
def test_a_bad_query_is_named_with_its_line(tmp_path: Path, queries: object, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_dataset(write(tmp_path, queries=queries))


def test_a_line_separator_inside_a_text_is_no_end_of_line(tmp_path: Path) -> None:
    queries = [{"id": "q1", "text": "one\u2028two"}]
    (write(tmp_path) / "queries.jsonl").write_text(json.dumps(queries[0], ensure_ascii=False), encoding="utf-8")
    assert read_dataset(tmp_path).queries[0].text == "one\u2028two"


def test_the_corpus_becomes_a_book_with_a_file_per_module(tmp_path: Path) -> None:
    book = tmp_path / "book"
    write_markdown(read_dataset(write(tmp_path)), book)
    assert (book / "m1.md").read_text() == "# One\n\n## Tables\n\nRows.\n\n### Joins\n\n\\# Keys.\n"
    assert (book / "m%2F2.md").read_text() == "No headings at all.\n"


def test_passages_of_that_book_count_for_their_module_or_for_their_row(tmp_path: Path) -> None:
    by_module = read_dataset(write(tmp_path))
    assert corpus_locations(by_module)(by_module.queries[0], passage("book/m1.md", "One", "Tables", "Joins")) == "m1"
    by_row = read_dataset(write(tmp_path, qrels="q1\tm1#1\t1\nq1\tm/2\t1\n"))
    location_of = corpus_locations(by_row)
    assert location_of(by_row.queries[0], passage("book/m1.md", "One", "Tables", "Joins")) == "m1#1"
    assert location_of(by_row.queries[0], passage("book/m%2F2.md")) == "m/2"


def test_a_courses_passage_counts_for_each_labelled_location_it_stands_in() -> None:
    material = [passage("a.md", "1", "1.1"), passage("a.md", "1", "1.2")]
    whole, part = (Query(location, "?", "", frozenset([location])) for location in ("a.md > 1", "a.md > 1 > 1.2"))
    assert [course_location(whole, one) for one in material] == ["a.md > 1", "a.md > 1"]
    assert [course_location(part, one) for one in material] == ["a.md > 1 > 1.1", "a.md > 1 > 1.2"]
    assert missing_locations(judged_locations([whole, part]), material) == []
    assert missing_locations(judged_locations([whole, part]), [passage("b.md", "1")]) == ["a.md > 1", "a.md > 1 > 1.2"]


def test_labels_need_no_corpus(tmp_path: Path) -> None:
    (write(tmp_path, qrels="q1\ta.md > 1\t1\n") / "corpus.jsonl").unlink()
    assert read_labels(tmp_path).queries[0].relevant == {"a.md > 1"}
