"""No form of a key survives in the words that an endpoint sent."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest

from core.llm.redaction import MAX_QUOTED_CHARS, redacted

KEY = "sk-aB3/xY+7qLmN9pRsT2uVwZ4c"
FORMS = {
    "whole": KEY,
    "in capitals": KEY.upper(),
    "reversed": KEY[::-1],
    "its first half": KEY[:12],
    "its second half": KEY[-12:],
    "something in its middle": KEY[6:16],
    "URL-encoded": quote(KEY, safe=""),
    "in hexadecimal": KEY.encode().hex(),
    "in hexadecimal capitals": KEY.encode().hex().upper(),
    "in base64": b64encode(KEY.encode()).decode(),
    "in base64 for URLs": urlsafe_b64encode(KEY.encode()).decode(),
    "in base64 behind one character": b64encode(b":" + KEY.encode()).decode(),
    "in base64 behind two characters": b64encode(b"k:" + KEY.encode()).decode(),
    "in base64 within a text": b64encode(f"the key is {KEY}, is it not".encode()).decode(),
    "masked with stars": f"{KEY[:6]}*****{KEY[-4:]}",
    "masked with dots": f"{KEY[:6]}...{KEY[-4:]}",
    "masked with an ellipsis": f"{KEY[:4]}…{KEY[-4:]}",
    "masked but for its end": f"...{KEY[-4:]}",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_key_is_taken_out_in_any_form(form: str) -> None:
    shown = redacted(f"Incorrect API key provided: {form} . Find yours in the console", KEY)
    assert shown.startswith("Incorrect API key provided: ")
    assert shown.endswith(". Find yours in the console")
    assert "***" in shown
    longest = max(
        (end - start for start in range(len(form)) for end in range(start, len(form) + 1) if form[start:end] in shown),
        default=0,
    )
    assert longest <= 5


@pytest.mark.parametrize(
    "other",
    ["sk-proj-0123456789abcdef", "Bearer abcdefgh1234", "api_key=hunter22hunter", "http://me:secret@proxy/v1"],
)
def test_other_credentials_are_taken_out_too(other: str) -> None:
    shown = redacted(f"upstream refused {other} today", KEY)
    assert other not in shown
    assert "***" in shown
    assert not [secret for secret in ("0123456789", "abcdefgh", "hunter22", "me:secret") if secret in shown]


@pytest.mark.parametrize("key", ["none", KEY])
@pytest.mark.parametrize("words", ["none of the models is loaded ... try later", "wait...then ask", "a\tb\n c"])
def test_other_words_stay(words: str, key: str) -> None:
    assert redacted(words, key) == " ".join(words.split())


def test_the_text_is_cut_after_what_is_secret_is_taken_out() -> None:
    shown = redacted("x" * (MAX_QUOTED_CHARS - 4) + f" {KEY}", KEY)
    assert len(shown) <= MAX_QUOTED_CHARS
    assert "sk-" not in shown


def test_nothing_moves_the_cursor_of_a_terminal() -> None:
    assert redacted("a\x1b[2Jb\x07c\r\nd", KEY) == "a [2Jb c d"


def test_a_long_hostile_text_is_no_work() -> None:
    assert len(redacted(f"{KEY[:7]}" * 1_000_000, KEY)) <= MAX_QUOTED_CHARS
