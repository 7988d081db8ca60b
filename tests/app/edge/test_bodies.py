"""Requests that are too large in one way or another are refused before they are parsed."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from app.edge.bodies import MAX_BODIES, MAX_FORM_FILES, Bodies
from app.edge.json_shape import Shape, shape_of
from core.errors import Overloaded
from tests.app.edge.raw import Raw

JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}


def problem_of(response: httpx.Response, status: int) -> dict[str, Any]:
    """The problem of a refused request, which is short whatever was sent."""
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert len(response.content) < 20_000
    found: dict[str, Any] = response.json()
    return found


def test_a_body_with_hundreds_of_thousands_of_keys_is_refused_by_their_number(client: httpx.Client) -> None:
    content = json.dumps({f"k{n}": n for n in range(400_000)}).encode()
    found = problem_of(client.post("/answer", content=content, headers=JSON), 413)
    assert found["type"] == "urn:edumod:problem:too-large"
    assert "2,000" in found["detail"]


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_a_body_that_is_nested_too_deep_is_refused_with_the_limit(client: httpx.Client, opening: bytes) -> None:
    found = problem_of(client.post("/answer", content=opening * 21, headers=JSON), 413)
    assert "20" in found["detail"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_json_in_another_encoding_than_utf8_is_refused(client: httpx.Client, encoding: str) -> None:
    found = problem_of(client.post("/answer", content=json.dumps(QUESTION).encode(encoding), headers=JSON), 400)
    assert "UTF-8" in found["detail"]


def test_json_with_a_byte_order_mark_of_utf8_is_answered(client: httpx.Client) -> None:
    response = client.post("/answer", content=json.dumps(QUESTION).encode("utf-8-sig"), headers=JSON)
    assert response.status_code == 200


def test_a_question_full_of_commas_and_brackets_beside_a_large_image_is_not_too_large(client: httpx.Client) -> None:
    image = {"media_type": "image/png", "data": base64.b64encode(b"\0" * 4_000_000).decode()}
    body = {"course": "small", "question": {"body": 'homework 3 "[{,\\' * 1000, "images": [image]}}
    assert client.post("/answer", json=body).status_code == 200


def test_many_wrong_fields_are_counted_and_the_first_ones_listed(client: httpx.Client) -> None:
    found = problem_of(client.post("/answer", json={**QUESTION, **{f"k{n}": n for n in range(500)}}), 422)
    assert len(found["errors"]) == 20
    assert found["detail"].startswith("body.k0: ")
    assert "body.k1" not in found["detail"]
    assert "499 more" in found["detail"]


def test_long_names_are_cut_in_problems(client: httpx.Client) -> None:
    found = problem_of(client.post("/answer", json={**QUESTION, "k" * 50_000: 1}), 422)
    assert len(found["errors"][0]["where"]) < 200
    assert len(json.dumps(found)) < 2_000
    unknown = problem_of(client.post(f"/answer?pipeline={'p' * 5_000}", json=QUESTION), 422)
    assert "fc_forced" in unknown["detail"]
    assert len(unknown["detail"]) < 2_000


def test_a_form_of_too_many_fields_is_refused_with_the_limit(client: httpx.Client) -> None:
    found = problem_of(client.post("/", content=b"&".join([b"a=1"] * 5_000), headers=FORM), 413)
    assert "1000" in found["detail"]


def test_a_form_of_too_many_parts_is_refused_with_the_limit(client: httpx.Client) -> None:
    found = problem_of(client.post("/", files=[("a", (None, "1"))] * 5_000), 422)
    assert "1000" in found["detail"]


def test_a_file_is_no_text_and_more_files_than_pictures_are_refused(client: httpx.Client) -> None:
    found = problem_of(client.post("/", files={"body": ("name.txt", b"x" * 10)}), 422)
    assert "body" in found["detail"]
    many = [("pictures", (f"{n}.png", b"x")) for n in range(MAX_FORM_FILES + 1)]
    refused = client.post("/", files=many)
    assert (refused.status_code, "At most 10 pictures" in refused.text) == (422, True)


def test_a_large_form_is_refused_before_it_is_read(client: httpx.Client) -> None:
    found = problem_of(client.post("/", content=b"body=" + b"x" * 2_000_000, headers=FORM), 413)
    assert "bytes" in found["detail"]


async def test_bodies_that_fill_the_memory_for_them_are_refused_with_the_setting() -> None:
    held, full, gate = 0, asyncio.Event(), asyncio.Event()

    async def receive() -> Message:
        return {"type": "http.request", "body": b'{"a":"bc"}', "more_body": False}

    bodies = Bodies(max_bytes=10)

    async def hold(requester: str) -> None:
        nonlocal held
        async with bodies.read({"path": "/answer", "headers": [(b"content-length", b"10")]}, receive, requester):
            held += 1
            if held == MAX_BODIES:
                full.set()
            await gate.wait()

    waiting = [asyncio.create_task(hold(f"192.0.2.{n}")) for n in range(MAX_BODIES)]
    await full.wait()
    with pytest.raises(Overloaded, match=r"640 bytes.*64 times EDUMOD_MAX_REQUEST_BYTES"):
        await hold("192.0.2.200")
    gate.set()
    await asyncio.gather(*waiting)
    await hold("192.0.2.200")


def test_too_many_query_parameters_are_refused_with_the_limit(client: httpx.Client) -> None:
    found = problem_of(client.post("/answer?" + "&".join(f"a{n}=1" for n in range(200)), json=QUESTION), 413)
    assert "100" in found["detail"]


def test_a_long_address_is_refused_with_the_limit(client: httpx.Client) -> None:
    found = problem_of(client.get("/traces/" + "x" * 20_000), 414)
    assert "8,192" in found["detail"]


@pytest.mark.parametrize("headers", [{"x-long": "x" * 40_000}, {f"x-{n}": "1" for n in range(150)}])
def test_too_many_or_too_long_headers_are_refused_with_the_limit(client: httpx.Client, headers: dict[str, str]) -> None:
    found = problem_of(client.get("/healthz", headers=headers), 431)
    assert found["type"] == "urn:edumod:problem:too-large"


def test_headers_without_end_are_refused(client: httpx.Client) -> None:
    with Raw(client) as raw:
        raw.send(b"GET / HTTP/1.1\r\nx-endless: ")
        try:
            for _ in range(64):
                raw.send(b"x" * 65_536)
        except ConnectionError:
            return  # Closed while sending, which is what is wanted.
        assert raw.is_closed()


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", None])
def test_an_answer_is_given_to_json_alone(client: httpx.Client, content_type: str | None) -> None:
    headers = {"content-type": content_type} if content_type else {}
    response = client.post("/answer", content=json.dumps(QUESTION), headers=headers)
    assert "application/json" in problem_of(response, 422)["detail"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='a,[]{}"\\: \n\u00e9') | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='a,[{"\\'), inner),
    max_leaves=60,
)


def values_in(value: Any) -> int:
    """Members and elements, in all containers."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return len(inner) + sum(map(values_in, inner))


def depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_the_shape_is_that_of_the_parsed_document(value: Any, indent: int | None, ascii_only: bool) -> None:
    shape = shape_of(json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode())
    assert shape.depth == depth_of(value)
    # An empty container counts as if it had an element.
    assert (
        values_in(value)
        <= shape.values
        <= values_in(value) + json.dumps(value).count("[]") + json.dumps(value).count("{}")
    )


@pytest.mark.parametrize("content", [b'"' * 1_000_000, b'"\\"' * 300_000, b"\\" * 1_000_000, b'["', b"", b'"\\'])
def test_the_shape_of_what_is_not_json_is_found_too(content: bytes) -> None:
    assert isinstance(shape_of(content), Shape)
