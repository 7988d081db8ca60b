"""Where messages may go."""

from __future__ import annotations

import pytest

from app.webhooks.sending import signature
from app.webhooks.targets import Unreachable, check_url, resolve
from core.errors import InvalidInput

ALLOWED = ("forum.example.edu", "*.hooks.example", "127.0.0.1", "localhost")


@pytest.mark.parametrize(
    "url", ["https://forum.example.edu/x?y=1", "http://a.hooks.example:8443/", "http://127.0.0.1:1/"]
)
def test_hosts_on_the_list_are_allowed(url: str) -> None:
    assert check_url(url, ALLOWED) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/", "ftp://forum.example.edu/", "https://user@forum.example.edu/", "javascript:alert(1)",
        "https://forum.example.edu.evil.example/", "https://hooks.example/", "", "http://forum.example.edu:99999/",
        "http://169.254.169.254/latest", "https://forum.example.edu/#x", "https://" + "a" * 3000,
    ],
)  # fmt: skip
def test_all_others_are_refused_with_a_reason(url: str) -> None:
    with pytest.raises(InvalidInput):
        check_url(url, ALLOWED)


async def test_a_name_that_leads_to_a_private_address_is_refused_and_a_listed_address_is_not() -> None:
    with pytest.raises(Unreachable, match="not a public address"):
        await resolve("http://localhost:9/", ALLOWED)
    target = await resolve("http://127.0.0.1:9/x", ALLOWED)
    assert (target.address, target.port) == ("127.0.0.1", 9)


async def test_a_name_that_no_host_can_have_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="has no address"):
        await resolve("http://.hooks.example/", ALLOWED)


def test_the_signature_covers_time_and_body() -> None:
    assert signature("s", b"{}", 1).startswith("t=1,v1=")
    assert len({signature("s", b"{}", 1), signature("s", b"{}", 2), signature("s", b"[]", 1)}) == 3
