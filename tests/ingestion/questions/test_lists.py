"""Lists inside a problem, and the choices of an answer, whose letters are not those of parts."""

from __future__ import annotations

import pytest

from ingestion.document import LoadedDocument
from tests.ingestion.sheets import asked, asked_in, asked_markdown, page

Row = tuple[float, str] | None


def sheet(*rows: Row) -> LoadedDocument:
    """A page with lines at these indents, in points; None is white space. A second problem with two parts follows."""
    rows = (*rows, None, (72, "2. Another problem"), (90, "(a) Show that it is so."), None, (90, "(b) Explain why."))
    heights = [72 + 14.0 * n for n in range(len(rows))]
    return page(*((row[0], y, row[1]) for row, y in zip(rows, heights, strict=True) if row))


AFTER = ["2", "2a", "2b"]


@pytest.mark.parametrize("indent", [90.0, 108.0])
@pytest.mark.parametrize("style", ["(a) (b) (c)", "a) b) c)", "a. b. c.", "1. 2. 3."])
def test_files_to_hand_in_take_no_letters_of_parts(indent: float, style: str) -> None:
    names = zip(style.split(), ("layers.py", "train.py", "README.md"), strict=True)
    files = [(indent, f"{mark} {name}") for mark, name in names]
    first: list[Row] = [
        (90, "(a) Implement the forward pass."),
        None,
        (90, "(b) Your submission has these files:"),
        *files,
    ]
    document = sheet(
        (72, "1. A network"), *first, None, (90, "(c) Explain the result."), None, (90, "(d) Plot the loss.")
    )
    assert asked_in(document) == ["1", "1a", "1b", "1c", "1d", *AFTER]


def test_the_layers_of_a_network_before_the_parts_are_none() -> None:
    layers: list[Row] = [(90, "(a) Convolution with 32 filters"), (90, "(b) ReLU"), (90, "(c) Softmax"), None]
    announced: Row = (90, "Consider a network with the following layers:")
    parts: list[Row] = [(90, "(a) How many weights does it have?"), None, (90, "(b) Explain the result.")]
    assert asked_in(sheet((72, "1. A network"), announced, *layers, *parts)) == ["1", "1a", "1b", *AFTER]


def test_the_labels_of_a_figure_are_no_parts() -> None:
    parts: list[Row] = [(90, "(a) How deep is the tree?"), None, (90, "(a) left"), (90, "(b) right"), None]
    rest: list[Row] = [(90, "(b) Explain the result."), None, (90, "(c) Draw another.")]
    assert asked_in(sheet((72, "1. Trees"), *parts, *rest)) == ["1", "1a", "1b", "1c", *AFTER]


def test_parts_go_on_behind_a_figure_that_holds_a_letter() -> None:
    rest: list[Row] = [
        (200, "Figure 1: a tree"),
        None,
        (90, "(c) Explain the result."),
        None,
        (90, "(d) Draw another."),
    ]
    document = sheet((72, "1. Trees"), (90, "(a) How deep is the tree?"), None, *rest)
    assert asked_in(document) == ["1", "1a", "1c", "1d", *AFTER]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("stem", ["What is the sampling unit?", "The sampling unit is:"])
def test_the_choices_of_an_answer_are_no_questions(stem: str, gap: str) -> None:
    choices = gap.join(("(a) A city block.", "(b) A household.", "(c) A person."))
    text = f"## Question 1\n\n{stem}\n\n{choices}\n\n## Question 2\n\nWhy?"
    assert asked_markdown(text) == asked(text.replace("## ", "")) == ["1", "2"]


@pytest.mark.parametrize(
    "stem",
    ["Compute the derivatives of:", "What are the derivatives of the following functions?", "Give one for each:"],
)
def test_things_to_work_on_are_parts(stem: str) -> None:
    assert asked(f"Problem 1\n{stem}\n(a) sin x\n\n(b) e^x\n\n(c) 1/x") == ["1", "1a", "1b", "1c"]
