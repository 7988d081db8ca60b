from __future__ import annotations

from ingestion.document import LoadedDocument
from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule
from ingestion.questions.pairs import with_pairs
from ingestion.tree import build_tree

FAQ = b"""# Tools

**Q: `database is locked`, what now?**

A: Close the other notebook.

**Q: How do I see the plan?**

**A:** Prefix the query.
"""


def blocks_of(document: LoadedDocument) -> list[tuple[str, str]]:
    headers = detect_by_rule(document, questions=False)
    return [(node.title, node.text) for node in build_tree(document, headers, solutions=False).blocks()]


def test_each_question_of_a_page_is_a_block_with_its_answer() -> None:
    assert blocks_of(with_pairs(load("faq.md", FAQ))) == [
        ("`database is locked`, what now?", "`database is locked`, what now?\n\nClose the other notebook."),
        ("How do I see the plan?", "How do I see the plan?\n\nPrefix the query."),
    ]


def test_a_single_exchange_in_a_text_stays_as_it_is() -> None:
    document = load("play.md", b"# Play\n\nQ: Who is there?\n\nA: Me.\n")
    assert with_pairs(document) is document


def test_questions_without_answers_are_no_pairs() -> None:
    document = load("list.md", b"Q1. Who?\n\nQ2. What?\n\nQ3. Where?\n")
    assert with_pairs(document) is document
