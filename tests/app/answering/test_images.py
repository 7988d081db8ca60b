"""Images in a question, over HTTP."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.answering.images import decoded
from app.schemas import ImageIn
from core.errors import InvalidInput
from core.ocr import find_tesseract
from tests.app.asking import request, stored
from tests.app.live import live, settings_in
from tests.core.llm.endpoint import KEY
from tests.pipelines.images.drawing import drawn, huge
from tests.servers.faults import FaultServer, said, serving


def asked(*files: bytes | str, body: str = "What does this error mean?") -> dict[str, Any]:
    data = [file if isinstance(file, str) else base64.b64encode(file).decode() for file in files]
    return request(question={"body": body, "images": [{"media_type": "image/png", "data": one} for one in data]})


@pytest.mark.skipif(find_tesseract() is None, reason="tesseract is not installed")
def test_the_text_of_a_screenshot_is_in_the_trace_and_the_picture_is_not_kept(client: httpx.Client, home: Path) -> None:
    body = client.post("/answer", json=asked(drawn())).json()
    assert body["trace"][0]["kind"] == "read"
    assert "KeyError: 'station'" in body["trace"][0]["note"]
    assert all("KeyError: 'station'" in call["arguments"]["query"] for call in body["function_calls"])
    assert "KeyError" in stored(home, "trace", body["trace_id"]).steps[0]["note"]
    kept = stored(home, "draft", body["draft_id"]).request["question"]["images"]
    assert [sorted(image) for image in kept] == [["chars", "media_type", "sha256"]]


def test_what_is_no_image_and_what_is_too_large_are_named_and_the_question_is_answered(client: httpx.Client) -> None:
    answer = client.post("/answer", json=asked(b"hello", huge(), body="When is homework 3 due?"))
    assert answer.status_code == 200
    assert answer.json()["status"] == "answered"
    first, second = sorted(warning for warning in answer.json()["warnings"] if "Image" in warning)
    assert first.startswith("Image 1 was not read, since it is not an image in a supported format (BMP, GIF, JPEG,")
    assert second.startswith("Image 2 was not read, since it has 50,000,000 pixels")


@pytest.mark.parametrize("data", ["not base64!", "aGk", "data:image/png;base64,aGk=", "aG\nk="])
def test_data_that_is_not_base64_is_refused_with_its_location(client: httpx.Client, data: str) -> None:
    refused = client.post("/answer", json=asked("aGk=", data))
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:edumod:problem:invalid-input")
    assert "question.images.1.data is not base64" in refused.json()["detail"]


def test_an_image_of_too_many_bytes_is_refused_with_its_location(home: Path) -> None:
    with live(settings_in(home, max_image_bytes=2000)) as client:
        refused = client.post("/answer", json=asked(b"x" * 2001))
        answered = client.post("/answer", json=asked(b"x" * 2000))
    assert refused.status_code == 422
    assert "question.images.0 has 2,001 bytes; at most 2,000 are allowed." in refused.json()["detail"]
    assert answered.status_code == 200


def test_far_too_long_data_is_refused_without_decoding_it() -> None:
    with pytest.raises(InvalidInput, match="has 3,000,000 bytes"):
        decoded([ImageIn(media_type="image/png", data="!" * 4_000_000)], 1000)


async def test_a_model_that_sees_gets_the_picture_as_a_part_of_the_user_message(home: Path) -> None:
    async with serving(said("KeyError: 'station'")) as server:
        await asyncio.to_thread(_ask, home, server)
    system, user = server.requests[0]["messages"]
    assert isinstance(system["content"], str)
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert user["content"][1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert '<image_text n="1">\nKeyError' in server.requests[1]["messages"][1]["content"]


def _ask(home: Path, server: FaultServer) -> None:
    settings = settings_in(home, llm_base_url=server.base_url, llm_api_key=KEY, llm_cache=False, llm_vision=True,
                           llm_max_retries=0)  # fmt: skip
    with live(settings) as client:
        client.post("/answer", json=asked(drawn()))
