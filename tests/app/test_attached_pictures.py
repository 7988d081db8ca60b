"""The forms of students: pictures, and sentences in their words."""

from __future__ import annotations

import base64
from typing import Any

import httpx
import pytest

from tests.app.pages import QUESTION, submit

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PAGE = {"Accept": "text/html"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"body": " "}, "Your question is empty. Write something, then send it again."),
        ({"title": "x" * 501}, "The title is too long: at most 500 characters."),
        ({"body": "x" * 20_001}, "Your question has 20,001 characters; at most 20,000 are allowed. Shorten it."),
        ({"code": "x = 1", "line": "many"}, "The line is not a number that can be used here."),
    ],
)
def test_a_form_that_cannot_be_used_says_so_in_plain_words(
    client: httpx.Client, fields: dict[str, str], sentence: str
) -> None:
    page = submit(client, **fields).text
    assert sentence in page
    assert "question.body" not in page
    assert "EDUMOD_" not in page


def send(client: httpx.Client, path: str, fields: dict[str, Any], *pictures: tuple[str, bytes]) -> httpx.Response:
    files = [("pictures", (name, data, "image/png")) for name, data in pictures]
    return client.post(path, data=fields, files=files, headers=PAGE)


def test_a_picture_is_attached_and_its_reviewer_sees_it(client: httpx.Client) -> None:
    sent = send(client, "/", QUESTION, ("screen.png", PIXEL))
    assert sent.status_code == 303, sent.text
    draft = sent.headers["location"].rpartition("/")[2]
    picture = client.get(f"/review/{draft}/pictures/1")
    assert (picture.content, picture.headers["content-type"]) == (PIXEL, "image/png")
    assert f"/review/{draft}/pictures/1" in client.get(f"/review/{draft}").text
    assert client.get(f"/review/{draft}/pictures/2").status_code == 404


@pytest.mark.parametrize("path", ["/", "/homework"])
def test_a_file_that_is_no_picture_is_named(client: httpx.Client, path: str) -> None:
    refused = send(client, path, {**QUESTION, "submission": "x = 1"}, ("notes.txt", b"words"))
    assert refused.status_code == 422
    assert "notes.txt cannot be read as a picture" in refused.text


def test_a_picture_of_twenty_megabytes_is_refused_with_its_size(client: httpx.Client) -> None:
    large = PIXEL + bytes(6 * 2**20)
    assert "too large (6.0 MB); at most 5 MB" in send(client, "/", QUESTION, ("photo.png", large)).text
    assert send(client, "/", QUESTION, ("photo.png", PIXEL + bytes(20 * 2**20))).status_code == 413


def test_homework_may_be_pictures_alone(client: httpx.Client) -> None:
    page = client.get("/homework?course=small").text
    assert 'enctype="multipart/form-data"' in page
    exercise = page.split('<option value="')[-1].partition('"')[0]
    sent = send(client, "/homework", {"course": "small", "exercise": exercise, "submission": ""}, ("p.png", PIXEL))
    assert sent.status_code in (303, 422), sent.text
    empty = client.post("/homework", data={"course": "small", "exercise": exercise, "submission": ""}, headers=PAGE)
    assert "Your work is missing. Write it into the form, or attach pictures of it." in empty.text
