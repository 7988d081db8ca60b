"""Renders a task to chat messages: instructions in the system message, inputs as XML-tagged data in the user message.

Course text and student text are data. They appear only in the user message and in tool results, and cannot open or
close any of the prompt's tags: such a tag inside them is escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from core.code import CodeTest
from core.llm.task import CallResult, Chat, ChatTurn, Image, Task, ToolTask
from core.text.posts import read_post
from core.types import FunctionCall, Message, Passage, Question, Source, Visibility

ChatMessage = dict[str, Any]

MAX_TESTS, MAX_LINTING = 8, 20
"""Tests and messages of a linter in a prompt."""
MAX_TEST_CHARS = 500
"""Of each text of a test."""

TAGS = (
    "question", "title", "body", "category", "code", "language", "thread", "message", "passages", "passage",
    "solution", "course", "lines", "texts", "text", "item", "heading_path", "document", "instructions",
    "error", "functions", "style", "draft", "feedback", "image_text", "traceback", "parts", "task", "findings",
    "confidence", "submission", "exercise", "tests", "test", "linting",
    "programming_language", "line", "section", "count", "skills", "difficulty",
    "reference", "answer", "answer_a", "answer_b", "material", "today", "quotes", "others",
)  # fmt: skip
_KINDS = {
    Source.QA: "forum thread",
    Source.TEXTBOOK: "course text",
    Source.ASSIGNMENT: "assignment",
    Source.LOGISTICS: "course rules",
}
_OWN_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)


def render(task: Task[Any]) -> list[ChatMessage]:
    """The chat messages of a task, earlier rounds of function calls included."""
    if isinstance(task, Chat):
        return [_as_sent(message) for message in task.messages]
    inputs = [_field(name, value) for name, value in task.inputs.items() if not isinstance(value, Image)]
    pictures = [value for value in task.inputs.values() if isinstance(value, Image)]
    messages: list[ChatMessage] = [
        {"role": "system", "content": task.prompt},
        {"role": "user", "content": _content("\n".join(text for text in inputs if text), pictures)},
    ]
    if isinstance(task, ToolTask):
        for round_ in task.history:
            messages += _round(round_)
    return messages


def _content(text: str, pictures: Sequence[Image]) -> str | list[dict[str, Any]]:
    """Plain text, or text and pictures as the parts of a message."""
    if not pictures:
        return text
    shown = [{"type": "image_url", "image_url": {"url": picture.url}} for picture in pictures]
    # Some servers refuse a part without text.
    return [*([{"type": "text", "text": text}] if text else []), *shown]


def as_data(text: str) -> str:
    """The text, with every tag escaped that could be mistaken for one of the prompt's tags."""
    return _OWN_TAG.sub("&lt;", text)


def tag(name: str, content: str, **attributes: object) -> str:
    """`<name attribute="...">content</name>`; attributes that are empty or None are left out."""
    shown = "".join(
        f' {key}="{_attribute(str(value))}"' for key, value in attributes.items() if value not in (None, "", ())
    )
    return f"<{name}{shown}>\n{content}\n</{name}>"


def passages(found: Iterable[Passage]) -> str:
    """Passages numbered from 1, as an answer cites them; one without a text is left out, and its number too."""
    numbered = enumerate(found, 1)
    return "\n".join(_passage(passage, number) for number, passage in numbered if passage.text or passage.solution)


def _field(name: str, value: Any) -> str:
    if value is None or value == "" or value == ():
        return ""
    if isinstance(value, Question):
        return _question(value)
    if isinstance(value, tuple) and isinstance(value[0], Passage):
        return tag(name, passages(value))
    if isinstance(value, tuple):
        return tag(name, "\n".join(tag("item", _plain(item), n=number) for number, item in enumerate(value, 1)))
    return tag(name, _plain(value))


def _plain(value: Any) -> str:
    if isinstance(value, BaseModel):
        return as_data(value.model_dump_json(exclude_defaults=True))
    return as_data(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _question(question: Question) -> str:
    post = read_post(question.body, question.code or "")
    parts = [
        tag(name, as_data(text))
        for name, text in (
            ("title", question.title),
            ("body", post.prose),
            ("category", question.category),
            ("language", question.language),
        )
        if text
    ]
    if question.is_about_code:
        parts += _about_code(question)
    for name, texts in (
        ("code", _code(post.code, question)),
        ("traceback", post.tracebacks),
        ("image_text", question.images),
    ):
        parts += [tag(name, as_data(text), n=number) for number, text in enumerate(texts, 1)]
    if question.thread:
        parts.append(tag("thread", "\n".join(_message(message) for message in question.thread)))
    return tag("question", "\n".join(parts))


def _code(texts: Sequence[str], question: Question) -> Sequence[str]:
    """The codes of a post; the lines of the one that it is about are numbered as its author sees them."""
    if not question.code or not texts:
        return texts
    first = 1 + len(question.code) - len(question.code.lstrip("\n"))
    return *texts[:-1], "\n".join(f"{number}| {line}" for number, line in enumerate(texts[-1].split("\n"), first))


def _about_code(question: Question) -> list[str]:
    """The line of the code that is asked about, and what its tests and a linter said; failing tests come first."""
    tests = sorted(question.tests, key=lambda one: one.accepted)
    shown = [_test(one) for one in tests[:MAX_TESTS]]
    if left_out := len(tests) - len(shown):
        shown.append(f"{left_out} more tests, {sum(one.accepted for one in tests)} of {len(tests)} accepted in all.")
    linting = [f"line {one.line}: {one.code} {_cut(one.message)}" for one in question.linting[:MAX_LINTING]]
    return [
        tag(name, text)
        for name, text in (
            ("programming_language", as_data(question.programming_language or "")),
            ("line", str(question.line or "")),
            ("tests", "\n".join(shown)),
            ("linting", as_data("\n".join(linting))),
        )
        if text
    ]


def _test(test: CodeTest) -> str:
    said = {"expected": test.expected, "got": test.got, "message": test.message}
    lines = [f"{name}: {_cut(text)}" for name, text in said.items() if text is not None]
    return tag("test", as_data("\n".join(lines)), call=_cut(test.name), accepted="yes" if test.accepted else "no")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEST_CHARS else f"{text[:MAX_TEST_CHARS]} [...]"


def _message(message: Message) -> str:
    return tag("message", as_data(message.body), role=message.role.value, endorsed="yes" if message.endorsed else None)


def _passage(passage: Passage, number: int) -> str:
    text = as_data(_without_heading(passage))
    if passage.solution:
        text += "\n" + tag("solution", as_data(passage.solution), readers="staff")
    return tag(
        "passage",
        text,
        n=number,
        kind=_kind(passage),
        place=passage.location,
        page=passage.position.first_page,
        time=passage.position.time,
        readers="staff" if passage.visibility is Visibility.STAFF else None,
    )


def _without_heading(passage: Passage) -> str:
    """The text without a first line that its place says already."""
    first, _, rest = passage.text.partition("\n")
    is_said = first.strip("#* ") in (passage.title, *passage.heading_path[-1:])
    return rest.lstrip("\n") if is_said and rest.strip() else passage.text


def _kind(passage: Passage) -> str:
    if passage.source is Source.ASSIGNMENT and passage.label:
        return f"task {passage.label}"
    return _KINDS[passage.source]


def _as_sent(message: ChatTurn) -> ChatMessage:
    calls = {"tool_calls": [_call(call) for call in message.calls]} if message.calls else {}
    answered = {"tool_call_id": message.call_id} if message.call_id else {}
    return {"role": message.role, "content": message.content, **calls, **answered}


def _call(call: FunctionCall) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    function = {"name": call.name, "arguments": arguments}
    return {**call.opaque, "id": call.id, "type": "function", "function": function}


def _round(results: tuple[CallResult, ...]) -> list[ChatMessage]:
    calls = [_call(result.call) for result in results]
    replies = [{"role": "tool", "tool_call_id": result.call.id, "content": _result(result)} for result in results]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *replies]


def _result(result: CallResult) -> str:
    if result.error:
        return tag("error", as_data(result.error))
    shown = passages(result.passages)
    more = f"{result.left_out} more found: shown in another result, or left out for length." if result.left_out else ""
    return "\n".join(filter(None, (shown, more))) or "No passage was found."


def _attribute(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
