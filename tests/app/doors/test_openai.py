"""OpenAI's own client, unmodified, against the door: whole and streamed answers, errors, and who sees a draft."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest

from core.access import Permission
from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, THROUGH_A_PROXY, made_key
from tests.servers.homes import rows

ASK = [{"role": "user", "content": "When is homework 3 due?"}]
TITLE = (
    '### Task:\nGenerate a concise, 3-5 word title. Output: JSON { "title": "..." }\n'
    "<chat_history>\nUSER: When is homework 3 due?\nASSISTANT: In February.\n</chat_history>"
)


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


def client_of(server: httpx.Client, key: str) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"{server.base_url}/openai/v1", api_key=key, max_retries=0, default_headers=THROUGH_A_PROXY
    )


@pytest.fixture(scope="module")
def staff(server: httpx.Client, home: Path) -> openai.OpenAI:
    return client_of(server, made_key(home, *ACTORS["ta"], name="ta"))


@pytest.fixture(scope="module")
def student(server: httpx.Client, home: Path) -> openai.OpenAI:
    return client_of(server, made_key(home, *ACTORS["student"], name="student"))


def drafts(home: Path) -> int:
    return int(rows(home, "SELECT count(*) FROM draft")[0][0])


def test_every_course_of_the_key_and_its_pipelines_are_models(staff: openai.OpenAI) -> None:
    names = [model.id for model in staff.models.list()]
    assert {"small", "small/fc"} <= set(names)
    assert staff.models.retrieve("small/fc").id == "small/fc"


def test_staff_read_the_answer_with_its_sources_in_the_text_and_as_annotations(staff: openai.OpenAI) -> None:
    message = staff.chat.completions.create(model="small", messages=ASK).choices[0].message  # type: ignore[arg-type]
    assert message.content is not None
    assert "19 February" in message.content
    assert "Sources:\n\n[1] " in message.content
    assert message.annotations
    citation = message.annotations[0].url_citation
    assert message.content[citation.start_index : citation.end_index] == "[1]"
    assert citation.url.startswith(str(staff.base_url).split("/openai")[0] + "/courses/small/blocks/")


def test_a_streamed_answer_is_the_same_text_and_ends_with_annotations_and_usage(staff: openai.OpenAI) -> None:
    chunks = list(
        staff.chat.completions.create(
            model="small/fc",
            messages=ASK,
            stream=True,
            stream_options={"include_usage": True},  # type: ignore[arg-type]
        )
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    marked = [
        chunk.choices[0].delta.annotations
        for chunk in chunks
        if chunk.choices and "annotations" in (chunk.choices[0].delta.model_extra or {})
    ]  # type: ignore[attr-defined]
    assert "19 February" in text
    assert marked[0][0]["url_citation"]["title"]
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


def test_responses_have_flat_annotations_whole_and_streamed(staff: openai.OpenAI) -> None:
    whole = staff.responses.create(model="small", input="When is homework 3 due?")
    assert "19 February" in whole.output_text
    annotation = whole.output[0].content[0].annotations[0]  # type: ignore[union-attr]
    assert annotation.type == "url_citation"
    assert annotation.url.startswith("http")
    events = list(staff.responses.create(model="small", input="When is homework 3 due?", stream=True))
    assert events[0].type == "response.created"
    assert events[-1].type == "response.completed"
    assert events[-1].response.output_text == "".join(e.delta for e in events if e.type == "response.output_text.delta")
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_a_students_key_gets_word_that_a_person_reads_it_first_and_a_link(student: openai.OpenAI, home: Path) -> None:
    message = student.chat.completions.create(model="small", messages=ASK).choices[0].message  # type: ignore[arg-type]
    (draft,) = rows(home, "SELECT id FROM draft ORDER BY created_at DESC LIMIT 1")
    assert message.content is not None
    assert "February" not in message.content
    assert message.content.endswith(f"/answers/{draft[0]}")
    assert not message.annotations


def test_titles_tags_and_follow_ups_of_chat_clients_leave_no_draft(staff: openai.OpenAI, home: Path) -> None:
    before = drafts(home)
    errand = [{"role": "user", "content": TITLE}]
    whole = staff.chat.completions.create(model="small", messages=errand)  # type: ignore[arg-type]
    assert whole.choices[0].message.content == '{"title": "When is homework 3 due?"}'
    pieces = staff.chat.completions.create(model="small", messages=errand, stream=True)  # type: ignore[arg-type]
    assert "title" in "".join(chunk.choices[0].delta.content or "" for chunk in pieces)
    assert drafts(home) == before


def test_the_last_message_of_a_conversation_is_answered(staff: openai.OpenAI) -> None:
    talk = [
        *ASK,
        {"role": "assistant", "content": "In February."},
        {"role": "user", "content": "Can I use slip days on the project?"},
    ]
    message = staff.chat.completions.create(model="small", messages=talk).choices[0].message  # type: ignore[arg-type]
    assert "slip days" in (message.content or "")


def test_errors_are_those_of_the_client(server: httpx.Client, staff: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="no model 'other'"):
        staff.chat.completions.create(model="other", messages=ASK)  # type: ignore[arg-type]
    with pytest.raises(openai.AuthenticationError) as refused:
        client_of(server, "edm_wrong").models.list()
    assert refused.value.code == "unauthenticated"
    image = {"type": "image_url", "image_url": {"url": "http://127.0.0.1/x.png"}}
    parts = [{"type": "text", "text": "What is this?"}, image]
    with pytest.raises(openai.UnprocessableEntityError, match="no address is fetched"):
        staff.chat.completions.create(model="small", messages=[{"role": "user", "content": parts}])  # type: ignore[list-item]
    with pytest.raises(openai.UnprocessableEntityError, match="the question"):
        staff.chat.completions.create(model="small", messages=[{"role": "system", "content": "Hi"}])


def test_a_key_of_another_course_does_not_learn_that_there_is_one(server: httpx.Client, home: Path) -> None:
    other = client_of(server, made_key(home, Permission.ANSWER, courses=("elsewhere",)))
    assert list(other.models.list()) == []
    with pytest.raises(openai.NotFoundError):
        other.chat.completions.create(model="small", messages=ASK)  # type: ignore[arg-type]
