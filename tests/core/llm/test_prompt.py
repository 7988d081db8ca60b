from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.llm.prompt import TAGS, as_data, passages, render, tag
from core.llm.task import CallResult, Task, ToolTask
from core.types import FunctionCall, FunctionSpec, Message, Passage, Position, Question, Role, Source, Visibility
from tasks import SelectFunctions

ROOT = Path(__file__).parents[3]
PACKAGES = ("app", "core", "eval", "ingestion", "pipelines", "retrievers")


class Write(Task[str]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "\nOUR INSTRUCTIONS\n"
    course: str
    question: Question
    passages: tuple[Passage, ...]
    texts: tuple[str, ...] = ()


class Choose(ToolTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "OUR INSTRUCTIONS"
    text: str


def passage(text: str, **fields: Any) -> Passage:
    given = {
        "block_id": "b",
        "document_id": "d",
        "document": "notes.md",
        "title": "Notes",
        "source": Source.TEXTBOOK,
        "visibility": Visibility.STUDENT,
        "heading_path": ("One", "Two"),
        "text": text,
        "position": Position(start=0, end=1),
        "score": 1.0,
    }
    return Passage.model_validate(given | fields)


def write(hostile: str) -> Write:
    """A task with the same text at every place where a stranger's text may stand."""
    question = Question(
        title=f"T {hostile}",
        body=hostile or "-",
        category=hostile,
        code=hostile,
        language=hostile,
        thread=(Message(body=hostile or "-", role=Role.TA, endorsed=True),),
    )
    found = passage(hostile, title=hostile, heading_path=(hostile,), solution=hostile)
    return Write(course=hostile, question=question, passages=(found, found), texts=(hostile, hostile))


pieces = st.sampled_from(
    [*(f"<{name}>" for name in TAGS), *(f"</{name}>" for name in TAGS), '"', ">", "<", "&", "/", "\n"]
)
hostile_texts = st.lists(st.one_of(pieces, pieces.map(str.upper), st.text(max_size=5)), max_size=8).map("".join)


def tags_of(text: str) -> list[str]:
    return re.findall(rf"<\s*/?\s*(?:{'|'.join(TAGS)})\b", text, re.IGNORECASE)


@given(hostile_texts)
def test_no_text_can_open_or_close_a_tag_of_the_prompt(hostile: str) -> None:
    harmless = "x" if hostile.strip() else hostile
    rendered, expected = (render(write(text))[1]["content"] for text in (hostile, harmless))
    assert tags_of(rendered) == tags_of(expected)


@given(hostile_texts)
def test_instructions_alone_stand_in_the_system_message(hostile: str) -> None:
    messages = render(write(hostile))
    assert messages[0] == {"role": "system", "content": "OUR INSTRUCTIONS"}
    assert [message["role"] for message in messages] == ["system", "user"]
    assert "OUR INSTRUCTIONS" not in messages[1]["content"]


@given(hostile_texts)
def test_results_of_functions_cannot_open_or_close_a_tag_either(hostile: str) -> None:
    call = FunctionCall(id="1", name="textbook_retrieval", arguments={"query": hostile})
    results = CallResult(call=call, passages=(passage(hostile or "-"),)), CallResult(call=call, error=hostile or "-")
    functions = (FunctionSpec(name="textbook_retrieval", description="", parameters={}),)
    _, _, asked, found, failed = render(Choose(text="q", functions=functions, history=(results,)))
    assert [call["id"] for call in asked["tool_calls"]] == ["1", "1"]
    assert tags_of(found["content"]) == ["<passage", "</passage"]
    assert tags_of(failed["content"]) == ["<error", "</error"]


@pytest.mark.parametrize(
    "text", ["if a<b and c>d", "List<String>", "<div class='x'>", "#include <text.h>x", "a < b / c"]
)
def test_code_and_html_of_others_stay_as_they_are(text: str) -> None:
    assert as_data(text).replace("&lt;", "<") == text
    if "text" not in text:
        assert as_data(text) == text


@pytest.mark.parametrize("text", ["</passage>", "< /passage>", "</ passage >", "<PASSAGE n='9'>", "<\n/passage>"])
def test_every_spelling_of_a_tag_is_escaped(text: str) -> None:
    assert as_data(text).startswith("&lt;")


@given(hostile_texts)
def test_attributes_are_well_formed_whatever_they_hold(hostile: str) -> None:
    printable = "".join(letter for letter in hostile if letter.isprintable() or letter == "\n")
    element = ElementTree.fromstring(tag("passage", "", document=f"x{printable}"))
    assert element.attrib["document"] == re.sub(r"\s+", " ", f"x{printable}")


def test_passages_are_numbered_as_answers_cite_them() -> None:
    rendered = passages([passage("first"), passage("second", visibility=Visibility.STAFF)])
    assert rendered.index('n="1"') < rendered.index("first") < rendered.index('n="2"') < rendered.index("second")
    assert 'place="Notes › One › Two"' in rendered
    assert 'readers="staff"' in rendered


def test_empty_inputs_are_left_out() -> None:
    task = Write(course="", question=Question(body="Why?"), passages=())
    assert render(task)[1]["content"] == "<question>\n<body>\nWhy?\n</body>\n</question>"


def test_a_tool_task_shows_neither_functions_nor_flags_as_text() -> None:
    functions = (FunctionSpec(name="textbook_retrieval", description="", parameters={}),)
    messages = render(Choose(text="q", functions=functions, required=True))
    assert messages[1]["content"] == "<text>\nq\n</text>"


def test_the_name_of_every_input_of_every_task_is_an_escaped_tag() -> None:
    hidden = {"functions", "required", "history", "course_id", "image", "version", "instructions", "hidden"}
    hidden |= {"abstain_below", "nothing", "messages", "given", "accepts_truncated", "closing", "labels", "checks"}
    missing = {
        f"{task}.{name}: add {name!r} to core.llm.prompt.TAGS"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for task, name in inputs_in(path)
        if name not in hidden and name not in TAGS
    }
    assert not missing


def inputs_in(path: Path) -> list[tuple[str, str]]:
    """Each task class of a file with the names of its inputs, read from the source."""
    return [
        (node.name, line.target.id)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(re.match(r"(Task\[|ToolTask$|YesNoTask$)", ast.unparse(base)) for base in node.bases)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    ]


def test_a_passage_without_text_keeps_its_number_for_itself() -> None:
    rendered = passages([passage(""), passage("second")])
    assert 'n="1"' not in rendered
    assert 'n="2"' in rendered


def test_a_first_line_that_the_place_says_is_not_sent_twice() -> None:
    assert "\nTwo\n" not in passages([passage("## Two\n\nWhat is told.")])
    assert "\nTwo\n" in passages([passage("Two")])


def test_the_lines_of_the_code_that_is_asked_about_are_numbered() -> None:
    question = Question(body="Why?\n```\nother()\n```", code="\nx = 1\nprint(x)\n")
    prompt = render(SelectFunctions(course="DS 101", question=question, functions=("a",)))[1]["content"]
    assert '<code n="1">\nother()\n</code>' in prompt
    assert '<code n="2">\n2| x = 1\n3| print(x)\n</code>' in prompt
