"""A port that one or several processes listen on, each with a socket of its own.

With one socket for all, whichever process wakes first takes a connection, and mostly that is the same one, which then
answers most of what comes. To sockets of their own Linux deals connections out by lot.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

from core.errors import SetupError


class PortSocket(socket.socket):
    """A socket bound to a port. A process that it is sent to gets one of its own, bound there as well."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _bound, self.getsockname()[:2]


def port_socket(host: str, port: int) -> socket.socket:
    """A socket bound to this address. Raises `SetupError` where there is none like it, or where it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        alone = socket.socket(family)
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Bound alone first: a port shared with sockets of another server would answer with either's answers.
        alone.bind((host, port))
        if sys.platform != "linux":
            return alone
        with alone:
            host, port = alone.getsockname()[:2]
        return _bound(host, port)
    except OSError as error:
        raise SetupError(
            f"The server cannot listen on {host}:{port}: {error.strerror}. End the program that does, or choose "
            "another address with --host and --port."
        ) from error


def _bound(host: str, port: int) -> PortSocket:
    shared = PortSocket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    shared.bind((host, port))
    return shared
