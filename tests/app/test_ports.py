"""Ports that several processes listen on, and the server's own start."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from app.cli.ports import port_socket
from core.errors import SetupError

CONNECTIONS = 64
START_SECONDS = 60


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux deals connections out.")
def test_processes_that_share_a_port_each_get_their_part_of_the_connections() -> None:
    with port_socket("127.0.0.1", 0) as kept:
        port = kept.getsockname()[1]
        with pickle.loads(pickle.dumps(kept)) as one, pickle.loads(pickle.dumps(kept)) as other:
            for listening in (one, other):
                listening.listen(CONNECTIONS)
                listening.setblocking(False)
            opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
            taken = [accepted(one), accepted(other)]
            for connection in opened:
                connection.close()
    assert sum(taken) == CONNECTIONS
    assert min(taken) > CONNECTIONS / 8


def accepted(listening: socket.socket) -> int:
    count = 0
    while True:
        try:
            listening.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


@pytest.mark.parametrize("host", ["127.0.0.1", "no.such.host.invalid"])
def test_an_address_that_is_taken_or_unknown_is_named(host: str) -> None:
    with port_socket("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=f"{host}:{port}.*--port"):
            port_socket(host, port)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_server_answers_and_leaves_in_peace_with_one_process_or_several(
    tmp_path: Path, model_folder: Path, workers: int
) -> None:
    shutil.copytree(model_folder, tmp_path / "models")
    with port_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    server = serve(tmp_path, port, workers)
    try:
        assert "ok" in answer(f"http://127.0.0.1:{port}/healthz", server)
        second = serve(tmp_path, port, workers)
        assert f"127.0.0.1:{port}" in second.communicate(timeout=START_SECONDS)[1]
        assert second.returncode == 5
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=START_SECONDS)
    assert server.returncode == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_that_cannot_start_says_why_and_exits_as_an_incomplete_installation(
    tmp_path: Path, workers: int
) -> None:
    (tmp_path / "edumod.db").write_text("This is no database. " * 100)
    server = serve(tmp_path, 0, workers)
    told = server.communicate(timeout=START_SECONDS)[1]
    assert "cannot be opened" in told
    assert "error: The server did not start" in told
    assert server.returncode == 5


def serve(home: Path, port: int, workers: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    return subprocess.Popen(
        [*command, "--port", str(port), "--workers", str(workers)],
        env={**environment, "EDUMOD_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(url: str, server: subprocess.Popen[str]) -> str:
    started = time.monotonic()
    while time.monotonic() - started < START_SECONDS:
        assert server.poll() is None, server.communicate()[1]
        try:
            return httpx.get(url).text
        except httpx.TransportError:
            time.sleep(0.05)
    raise TimeoutError(url)
