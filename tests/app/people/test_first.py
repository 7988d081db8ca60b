"""The first start of a service that others can reach makes an operator."""

from __future__ import annotations

import re
import signal
import socket
import stat
from pathlib import Path

import httpx

from app.start import check_start
from core.store.store import Store
from tests.app.live import settings_in
from tests.app.serving import START_SECONDS, answer, serve


async def test_an_operator_is_made_once_and_only_where_others_can_reach_the_service(tmp_path: Path) -> None:
    reachable = settings_in(tmp_path, allowed_hosts=("0.0.0.0",))
    assert await check_start(settings_in(tmp_path, allowed_hosts=("127.0.0.1",)), {}) is None
    first = await check_start(reachable, {})
    assert first is not None
    assert await check_start(reachable, {}) is None
    assert stat.S_IMODE(first.key_file.stat().st_mode) == 0o600
    store = await Store.open(reachable.url)
    row = await store.keys.find(first.key_file.read_text(encoding="utf-8").strip())
    session = await store.sessions.redeem(first.token)
    assert session is not None
    member = await store.sessions.member(session)
    await store.aclose()
    assert row is not None
    assert row.scopes == ["operator"]
    assert member is not None
    assert member.is_operator


def test_the_link_that_serve_prints_signs_in_and_is_not_in_the_log(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = serve(tmp_path, port, 1, EDUMOD_ALLOWED_HOSTS='["api"]')
    assert server.stdout is not None
    link = re.search(r"http://\S+", server.stdout.readline())
    assert link is not None
    try:
        answer(f"http://127.0.0.1:{port}/healthz", server)
        with httpx.Client() as client:
            assert client.get(f"http://127.0.0.1:{port}/drafts").status_code == 401
            assert client.post(link[0]).status_code == 303
            assert client.get(f"http://127.0.0.1:{port}/drafts").status_code == 200
    finally:
        server.send_signal(signal.SIGINT)
        log = server.communicate(timeout=START_SECONDS)[1]
    assert link[0].rpartition("/")[2] not in log
    assert "Keys are needed" in log
