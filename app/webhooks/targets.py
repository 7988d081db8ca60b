"""Which addresses messages may go to: hosts on the operator's list, none of them private."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from core.errors import InvalidInput

MAX_URL_CHARS = 2_000
PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """The target may not be reached, or has no address; the message says why, for the delivery page."""


@dataclass(frozen=True)
class Target:
    """A host and port with the one address that was looked up: what is connected to is what was checked."""

    host: str
    port: int
    address: str


def check_url(url: str, allowed: Sequence[str]) -> str:
    """The URL, if messages may go there at all. Raises `InvalidInput`."""
    parts = urlsplit(url) if len(url) <= MAX_URL_CHARS else None
    if parts is None or parts.scheme not in PORTS or not parts.hostname or parts.username or parts.fragment:
        raise InvalidInput("A webhook's address is an http or https URL, without a user name and fragment.")
    try:
        _ = parts.port
    except ValueError as error:
        raise InvalidInput("The webhook's address has a port that cannot be used.") from error
    if not _is_listed(parts.hostname, allowed):
        raise InvalidInput(
            f"Messages may not go to {parts.hostname}. The operator lists hosts in EDUMOD_WEBHOOK_HOSTS."
        )
    return url


def _is_listed(host: str, allowed: Sequence[str]) -> bool:
    names = [one.lower() for one in allowed]
    endings = tuple(one.removeprefix("*") for one in names if one.startswith("*."))
    return host.lower() in names or bool(endings and host.lower().endswith(endings))


async def resolve(url: str, allowed: Sequence[str]) -> Target:
    """The target of a URL, its name looked up once.

    An address that is not public is refused, unless the operator's list names that very address. Raises `Unreachable`.
    """
    try:
        parts = urlsplit(check_url(url, allowed))
    except InvalidInput as error:
        raise Unreachable(str(error)) from error
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # the second for a label that no host name has
        raise Unreachable(f"The host {host} has no address.") from error
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    is_named = host in allowed and _is_address(host)
    private = [one for one in addresses if not _is_public(one)]
    if private and not is_named:
        raise Unreachable(f"The host {host} leads to {private[0]}, which is not a public address.")
    return Target(host, port, addresses[0])


def _is_public(text: str) -> bool:
    address = ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_global and not address.is_multicast


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
