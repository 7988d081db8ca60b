"""Where messages may go."""

from __future__ import annotations

import pytest

from app.webhooks.http_delivery import signature
from app.webhooks.targets import Unreachable, check_url, is_public, resolve
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
        "http://:secret@forum.example.edu/", "http://@forum.example.edu/", "http://forum.example.edu\\@evil.example/",
        "http://forum.example.edu/\r\nX-Evil: 1", "http://forum.exa\tmple.edu/", "\x01http://forum.example.edu/",
        "http://forum.example.edu\0/", "http://forum.example.edu/\x7f", "http://forum.example.edu /", "http://[::1",
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


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:808:808::1", "2001:0:1:2:3:4:80ff:fffe",
        "fec0::1", "::ffff:10.0.0.1", "::ffff:0:10.0.0.1", "::127.0.0.1", "::1", "fd00::1", "fe80::1%eth0", "ff0e::1",
        "5f00::1", "3fff::1", "2001:db8::1", "100.64.0.1", "192.0.0.8", "192.88.99.1", "224.0.0.1", "0.0.0.0",
    ],
)  # fmt: skip
def test_an_address_that_leads_into_a_private_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_an_address_of_the_internet_is_public_also_behind_a_translator(address: str) -> None:
    assert is_public(address)


async def test_a_name_that_no_host_can_have_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="has no address"):
        await resolve("http://.hooks.example/", ALLOWED)


def test_the_signature_covers_time_and_body() -> None:
    assert signature("s", b"{}", 1).startswith("t=1,v1=")
    assert len({signature("s", b"{}", 1), signature("s", b"{}", 2), signature("s", b"[]", 1)}) == 3
