from __future__ import annotations

from core.store.material import StoredBlock
from core.types import Passage, Position, Source, Visibility
from retrievers.index.solutions import join_solutions


def block(
    block_id: str,
    text: str,
    label: str | None = None,
    *,
    document: str | None = None,
    solution: bool = False,
    pair: str | None = "hw1",
    heading: str = "",
    own_solution: str = "",
) -> StoredBlock:
    passage = Passage(
        block_id=block_id,
        document_id=document or ("solution" if solution else "statement"),
        document="hw",
        title="",
        source=Source.ASSIGNMENT,
        visibility=Visibility.STUDENT,
        heading_path=(heading,) if heading else (),
        label=label or "",
        text=text,
        solution=own_solution,
        position=Position(start=0, end=len(text)),
        score=0.0,
    )
    return StoredBlock(passage, pair, solution)


def joined(*blocks: StoredBlock) -> dict[str, str]:
    """Block id to solution."""
    return {one.passage.block_id: one.passage.solution for one in join_solutions(blocks)}


def test_equal_labels_belong_together_and_the_solution_is_no_passage() -> None:
    blocks = [block("q1", "Ask.", "1"), block("q2", "More.", "2"), block("s2", "Two", "2", solution=True)]
    assert joined(*blocks) == {"q1": "", "q2": "Two"}
    assert [one.block_ids for one in join_solutions(blocks)] == [("q1",), ("q2", "s2")]


def test_a_solution_without_statement_stays_for_staff_alone() -> None:
    (one,) = join_solutions([block("s1", "Answer", "1", solution=True)])
    assert one.passage.visibility is Visibility.STAFF
    assert join_solutions([block("q1", "Ask.", "1")])[0].passage.visibility is Visibility.STUDENT


def test_equal_labels_of_different_pairs_or_of_none_stay_apart() -> None:
    blocks = [block("q1", "Ask.", "1", pair="hw1"), block("s1", "Answer", "1", solution=True, pair="hw2")]
    assert joined(*blocks) == {"q1": "", "s1": ""}
    assert joined(block("a", "Ask.", "1", pair=None), block("b", "B", "1", pair=None, solution=True)) == {
        "a": "", "b": "",
    }  # fmt: skip


def test_repeated_labels_are_matched_by_shared_words() -> None:
    found = joined(
        block("q1", "Compute the mean of prices.", "1"),
        block("q1'", "Draw a histogram of ages.", "1"),
        block("s1'", "Draw a histogram of ages. plt.hist(ages)", "1", solution=True),
    )
    assert found == {"q1": "", "q1'": "Draw a histogram of ages. plt.hist(ages)"}


def test_repeated_labels_without_shared_words_are_matched_in_order() -> None:
    found = joined(
        block("q1", "Alpha", "1"), block("q1'", "Beta", "1"),
        block("s1", "first", "1", solution=True), block("s1'", "second", "1", solution=True),
    )  # fmt: skip
    assert found == {"q1": "first", "q1'": "second"}


def test_blocks_without_label_need_heading_and_words_in_common() -> None:
    text = "Read the instructions before you begin."
    blocks = [
        block("q", text, heading="Start"), block("other", "Submit on time.", heading="End"),
        block("s", text + " Note.", heading="start", solution=True),
        block("x", "Grading: six points.", heading="End", solution=True),
    ]  # fmt: skip
    assert joined(*blocks) == {"q": text + " Note.", "other": "", "x": ""}


def test_two_forms_of_an_assignment_share_its_solution() -> None:
    found = joined(
        block("pdf", "Ask.", "1", document="hw.pdf"), block("nb", "Ask.", "1", document="hw.ipynb"),
        block("s", "Answer", "1", solution=True),
    )  # fmt: skip
    assert found == {"pdf": "Answer", "nb": "Answer"}


def test_a_solution_in_the_statement_itself_is_kept_and_repetitions_are_dropped() -> None:
    found = joined(
        block("q", "Ask.", "1", own_solution="Inline."),
        block("s", "Inline.", "1", solution=True, own_solution="Extra."),
    )
    assert found == {"q": "Inline.\n\nExtra."}


def test_order_of_reading_is_kept() -> None:
    blocks = [block(f"b{n}", "text", str(n)) for n in range(5)]
    assert list(joined(*blocks)) == ["b0", "b1", "b2", "b3", "b4"]
