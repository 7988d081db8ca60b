"""From headers to a tree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.store.tables import NodeKind
from ingestion.document import Header, Line, LoadedDocument
from ingestion.questions.headers import detect_by_rule
from ingestion.tree import ARITY, MAX_BLOCK_CHARS, UnstoredNode, build_tree


def tree_of(*lines: Line | str, title: str = "doc") -> UnstoredNode:
    document = LoadedDocument(title, tuple(Line(line) if isinstance(line, str) else line for line in lines))
    return build_tree(document, detect_by_rule(document, questions=True), solutions=True)


def heading(text: str, level: int) -> Line:
    return Line(text, level=level)


def test_a_section_without_sub_sections_is_a_block() -> None:
    root = tree_of(heading("Chapter", 1), "Intro.", heading("First", 2), "One.", heading("Second", 2), "Two.")
    assert [(block.heading_path, block.text) for block in root.blocks()] == [
        (("Chapter",), "Chapter\nIntro."),
        (("Chapter", "First"), "First\nOne."),
        (("Chapter", "Second"), "Second\nTwo."),
    ]


def test_a_question_carries_its_solution_apart_from_its_text() -> None:
    root = tree_of(
        heading("Question 1a", 3), "Compute it.", "**Solution:** 42", "because", heading("Question 1b", 3), "Why?"
    )
    first, second = root.blocks()
    assert (first.text, first.solution, first.label) == ("Question 1a\nCompute it.", "**Solution:** 42\nbecause", "1a")
    assert second.solution == ""


def test_in_a_book_a_worked_solution_is_text() -> None:
    document = LoadedDocument("book", (Line("Example", level=1), Line("Find it."), Line("**Solution.** It is 2.")))
    root = build_tree(document, detect_by_rule(document, questions=False), solutions=False)
    assert [(block.text, block.solution) for block in root.blocks()] == [
        ("Example\nFind it.\n**Solution.** It is 2.", "")
    ]


def test_a_document_of_one_block_and_one_of_none_are_trees() -> None:
    assert [block.text for block in tree_of("Only text.").blocks()] == ["Only text."]
    assert list(tree_of("", " ").blocks()) == []


def test_many_siblings_are_grouped_in_order() -> None:
    lines = [line for n in range(1, 235) for line in (heading(f"Section {n}", 1), f"Text {n}.")]
    root = tree_of(*lines)
    assert all(len(node.children) <= ARITY for node in root.walk())
    assert [block.text for block in root.blocks()] == [f"Section {n}\nText {n}." for n in range(1, 235)]
    assert root.children[0].title == "Section 1 – Section 100"


def test_twelve_levels_of_headings_stay_nested() -> None:
    document = LoadedDocument("deep", tuple(Line(f"h{n}") for n in range(12)))
    root = build_tree(document, [Header(n, n, f"h{n}") for n in range(12)], solutions=True)
    assert list(root.blocks())[-1].heading_path == tuple(f"h{n}" for n in range(12))


def test_long_text_without_headers_is_cut_at_paragraphs() -> None:
    paragraphs = [f"{n} " + "word " * 300 for n in range(40)]
    root = tree_of(*(line for paragraph in paragraphs for line in (paragraph, "")))
    blocks = list(root.blocks())
    assert len(blocks) > 1
    assert all(len(block.text) <= MAX_BLOCK_CHARS for block in blocks)
    assert " ".join(block.text for block in blocks).split() == " ".join(paragraphs).split()


def test_positions_name_pages_boxes_and_cells() -> None:
    lines = (
        Line("A", level=1, page=1, box=(10, 10, 50, 20)), Line("text", page=1, box=(5, 30, 90, 40)),
        Line("more", page=2, box=(10, 10, 20, 20), cell="c1"),
    )  # fmt: skip
    (block,) = tree_of(*lines).blocks()
    assert (block.position.first_page, block.position.last_page) == (1, 2)
    assert [(box.page, box.x0, box.y1) for box in block.position.boxes] == [(1, 5, 40), (2, 10, 20)]
    assert block.position.cells == ("c1",)


@given(st.lists(st.tuples(st.text(alphabet="ab \n1.()", max_size=12), st.integers(0, 4)), max_size=40))
def test_no_word_of_a_document_is_lost_or_repeated(lines: list[tuple[str, int]]) -> None:
    document = LoadedDocument("any", tuple(Line(text.replace("\n", ""), level=level) for text, level in lines))
    root = build_tree(document, detect_by_rule(document, questions=False), solutions=False)
    kept = [word for block in root.blocks() for word in f"{block.text} {block.solution}".split()]
    headings_without_text = [
        word for node in root.walk() if node.kind is NodeKind.SECTION for word in node.title.split()
    ]
    words = document.text.split()
    assert len(words) - len(headings_without_text) <= len(kept) <= len(words)
    assert set(words) <= {*kept, *headings_without_text}


def test_a_block_of_a_transcript_knows_its_times() -> None:
    lines = (Line("1:05", level=1, seconds=(65.0, 65.0)), Line("so it ends", seconds=(65.0, 70.5)))
    root = build_tree(LoadedDocument("Lecture", lines, complete=True), [Header(0, 1, "1:05")], solutions=False)
    (block,) = root.blocks()
    assert (block.position.start_second, block.position.end_second, block.position.time) == (65.0, 70.5, "1:05")


def test_what_is_for_staff_alone_is_no_text_of_a_book() -> None:
    lines = (Line("Slide", level=1), Line("shown"), Line("say this", solution=True, closed=True, staff=True))
    root = build_tree(LoadedDocument("Lecture", lines, complete=True), [Header(0, 1, "Slide")], solutions=False)
    assert [(block.text, block.solution) for block in root.blocks()] == [("Slide\nshown", "say this")]
