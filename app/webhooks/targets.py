"""Which addresses messages may go to: hosts on the operator's list, none of them private."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from core.errors import InvalidInput

MAX_URL_CHARS = 2_000
PORTS = {"http": 80, "https": 443}
TRANSLATED = IPv6Network("64:ff9b::/96")
"""Behind it is the IPv4 address in the last 32 bits (NAT64, RFC 6052): how a network without IPv4 sees such hosts."""
UNICAST = IPv6Network("2000::/3")
"""All IPv6 addresses that are assigned to hosts of the internet."""
SPECIAL = tuple(
    ip_network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
"""Protocols, tunnels (6to4, Teredo) and examples, some of which Python calls global (RFC 6890)."""


class Unreachable(Exception):
    """The target may not be reached, or has no address; the message says why, for the delivery page."""


@dataclass(frozen=True)
class Target:
    """A host and port with the one address that was looked up: what is connected to is what was checked."""

    host: str
    port: int
    address: str


def check_url(url: str, allowed: Sequence[str], setting: str = "EDUMOD_WEBHOOK_HOSTS") -> str:
    """The URL, if messages may go there at all: `setting` lists the hosts. Raises `InvalidInput`."""
    parts = _parts(url)
    if parts is None or parts.scheme not in PORTS or not parts.hostname or "@" in parts.netloc or parts.fragment:
        raise InvalidInput(
            "A webhook's address is an http or https URL, without a user name, password, fragment and spaces."
        )
    if not _is_listed(parts.hostname, allowed):
        raise InvalidInput(f"Messages may not go to {parts.hostname}. The operator lists hosts in {setting}.")
    return url


def _parts(url: str) -> SplitResult | None:
    """None for a URL that is too long, cannot be parsed, or that parsers read differently."""
    if len(url) > MAX_URL_CHARS or not url.isprintable() or " " in url or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _is_listed(host: str, allowed: Sequence[str]) -> bool:
    names = [name.lower() for name in allowed]
    endings = tuple(name.removeprefix("*") for name in names if name.startswith("*."))
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
        entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # the second for a label that no host name has
        raise Unreachable(f"The host {host} has no address.") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    is_named = host in allowed and _is_address(host)
    private = [address for address in addresses if not is_public(address)]
    if private and not is_named:
        raise Unreachable(f"The host {host} leads to {private[0]}, which is not a public address.")
    return Target(host, port, addresses[0])


def is_public(text: str) -> bool:
    """True for an address of a host of the internet; one that holds an IPv4 address is judged by it, or refused."""
    address = _destination(ip_address(text.partition("%")[0]))
    if isinstance(address, IPv6Address) and address not in UNICAST:
        return False
    is_special = any(address in network for network in SPECIAL if network.version == address.version)
    return address.is_global and not address.is_multicast and not is_special


def _destination(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that packets to this address arrive at, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    translated = IPv4Address(int(address) & 0xFFFFFFFF) if address in TRANSLATED else None
    return address.ipv4_mapped or translated or address


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
