"""`edumod serve` as a process: it answers, it leaves in peace, and it says why where it cannot start."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.app.serving import START_SECONDS, answer, serve
from tests.sweeps import choose


@pytest.mark.parametrize("workers", choose([1, 2], 1))
def test_the_server_answers_and_leaves_in_peace_with_one_process_or_several(tmp_path: Path, workers: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = serve(tmp_path, port, workers)
    try:
        assert "ok" in answer(f"http://127.0.0.1:{port}/healthz", server)
        counted = _requests(port)
        assert _requests(port) == counted + 1  # Whichever process answers, it counts the requests of all.
        second = serve(tmp_path, port, workers)
        assert "address already in use" in second.communicate(timeout=START_SECONDS)[1].lower()
        assert second.returncode == 5
    finally:
        os.killpg(server.pid, signal.SIGINT)  # As a terminal does, to all processes.
        log = server.communicate(timeout=START_SECONDS)[1]
    assert server.returncode == 0
    assert "leaked" not in log
    assert "Traceback" not in log


def _requests(port: int) -> int:
    """How many requests were counted."""
    lines = httpx.get(f"http://127.0.0.1:{port}/metrics").text.splitlines()
    return sum(int(float(line.rpartition(" ")[2])) for line in lines if line.startswith("edumod_http_requests_total"))


@pytest.mark.slow
def test_workers_that_are_interrupted_while_they_start_leave_no_traceback(tmp_path: Path) -> None:
    server = serve(tmp_path, 0, 2)
    assert server.stderr is not None
    log = ""
    while "Started parent process" not in log:
        log += server.stderr.readline()
    os.killpg(server.pid, signal.SIGINT)
    log += server.communicate(timeout=START_SECONDS)[1]
    assert (server.returncode, "Traceback" in log) == (0, False), log


@pytest.mark.parametrize("workers", choose([1, 2], 2))
def test_the_limits_hold_in_every_process_and_the_named_host_is_allowed(tmp_path: Path, workers: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = serve(tmp_path, port, workers, EDUMOD_HEADER_SECONDS="0.5", EDUMOD_ALLOWED_HOSTS='["api"]')
    try:
        assert "ok" in answer(f"http://127.0.0.1:{port}/healthz", server)
        for host, status in (("api", 200), ("evil.example", 421)):
            assert httpx.get(f"http://127.0.0.1:{port}/healthz", headers={"Host": host}).status_code == status
        half_sent = [socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS) for _ in range(20)]
        for connection in half_sent:
            connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        for connection in half_sent:
            assert connection.makefile("rb").read().startswith(b"HTTP/1.1 408 ")
            connection.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=START_SECONDS)
    assert server.returncode == 0


@pytest.mark.parametrize("workers", choose([1, 2], 1))
def test_a_server_that_cannot_start_says_why(tmp_path: Path, workers: int) -> None:
    (tmp_path / "edumod.db").write_text("This is no database. " * 100)
    server = serve(tmp_path, 0, workers)
    told = server.communicate(timeout=START_SECONDS)[1]
    assert "cannot be opened" in told
    assert "error: The server did not start" in told
    assert server.returncode == 5


def test_a_wrong_setting_is_named_before_any_process_starts(tmp_path: Path) -> None:
    server = serve(tmp_path, 0, 2, EDUMOD_LLM_CONCURRENCY="0")
    told = server.communicate(timeout=START_SECONDS)[1]
    assert "EDUMOD_LLM_CONCURRENCY" in told
    assert "Traceback" not in told
    assert server.returncode == 5


@pytest.mark.parametrize("workers", choose([1, 2], 1))
def test_every_process_reads_the_models_file_again_on_sighup_and_keeps_the_old_one_where_it_is_wrong(
    tmp_path: Path, workers: int
) -> None:
    file = tmp_path / "models.yaml"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/readyz"
    list_models(file, "a", "b")
    server = serve(tmp_path, port, workers, EDUMOD_MODELS_FILE=str(file))
    try:
        assert '"model b"' in answer(url, server)
        list_models(file, "a", "b", "c")
        server.send_signal(signal.SIGHUP)
        wait_for(url, server, '"model c"', times=4 * workers)
        file.write_text("models: {a: {base_url: nonsense, model: m}}\n", encoding="utf-8")
        server.send_signal(signal.SIGHUP)
        for _ in range(workers):
            assert server.stderr is not None
            told = next(line for line in server.stderr if "models.yaml line 1" in line)
            assert "models.a.base_url" in told
        assert '"model c"' in answer(url, server)
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=START_SECONDS)
    assert server.returncode == 0


def list_models(file: Path, *aliases: str) -> None:
    entries = "".join(f"  {alias}: {{base_url: http://127.0.0.1:9/v1, model: m}}\n" for alias in aliases)
    file.write_text(f"models:\n{entries}", encoding="utf-8")


def wait_for(url: str, server: subprocess.Popen[str], text: str, times: int) -> None:
    """Until so many replies in a row, each on a connection of its own, have the text."""
    started, seen = time.monotonic(), 0
    while seen < times:
        assert time.monotonic() - started < START_SECONDS, f"{text} did not appear"
        seen = seen + 1 if text in answer(url, server) else 0
