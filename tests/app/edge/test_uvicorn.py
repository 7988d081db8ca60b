"""The names within uvicorn that our protocol rests on, none of which uvicorn promises to keep (decision 0021)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from app.edge.protocol import LimitedProtocol
from app.edge.server import server_config
from tests.app.live import settings_in

OF_A_CONNECTION = ("client", "connections", "cycle", "flow", "loop", "pipeline", "server_state", "transport")
OF_A_CYCLE = ("disconnected", "message_event", "response_complete", "response_started")
OF_FLOW = ("read_paused", "write_paused")
OVERRIDDEN = (
    "connection_lost", "connection_made", "data_received", "on_headers_complete", "on_message_begin",
    "on_message_complete", "on_response_complete", "pause_writing", "send_400_response",
)  # fmt: skip
REMEDY = "uvicorn has changed within: adapt app/edge/protocol.py to it, or keep the version in pyproject.toml below it"


def assert_has(names: tuple[str, ...], found: object, what: str) -> None:
    missing = [name for name in names if not hasattr(found, name)]
    assert not missing, f"{what} has no {', '.join(missing)}. {REMEDY}."


async def test_a_connection_has_what_the_time_limits_look_at(tmp_path: Path) -> None:
    config = server_config(lambda: None, settings_in(tmp_path))
    config.load()
    protocol = LimitedProtocol(config, ServerState(), {}, asyncio.get_running_loop())
    assert_has(OF_A_CONNECTION, protocol, "A connection")


@pytest.mark.parametrize(("names", "kind"), [(OF_A_CYCLE, RequestResponseCycle), (OF_FLOW, FlowControl)])
def test_the_parts_of_a_connection_say_what_it_waits_for(names: tuple[str, ...], kind: type) -> None:
    set_at_start = kind.__init__.__code__.co_names
    missing = [name for name in names if name not in set_at_start]
    assert not missing, f"{kind.__name__} does not set {', '.join(missing)}. {REMEDY}."


def test_the_methods_that_are_overridden_are_uvicorns_own() -> None:
    assert_has(OVERRIDDEN, HttpToolsProtocol, "HttpToolsProtocol")


def test_the_supervisor_of_workers_keeps_its_signals_and_pings() -> None:
    assert_has(("init_processes", "keep_subprocess_alive"), Multiprocess, "Multiprocess")
    assert_has(("ping", "pid"), Process, "Process")
    missing = {"signal_queue", "processes"} - set(Multiprocess.__init__.__code__.co_names)
    assert not missing, f"Multiprocess does not set {', '.join(missing)}. {REMEDY}."


def test_status_lines_are_those_of_http_1_1() -> None:
    assert STATUS_LINE[408].startswith(b"HTTP/1.1 408 "), REMEDY
