"""The programs, commands and messages in docs/doors.md work as they stand there."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from app.review.schemas import DecisionOut, DraftOut
from app.webhooks.http_delivery import signature
from tests.app.commands import edumod
from tests.app.people.actors import ACTORS, made_key

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "doors.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


PROGRAMS = [text for text in blocks("python") if "serve_forever" not in text]
(HOOK,) = (text for text in blocks("python") if "serve_forever" in text)
(MESSAGE,) = map(json.loads, blocks("json"))
WITH_CLIENT = {**os.environ, "PYTHONPATH": f"{ROOT}/clients/python/src:{os.environ.get('PYTHONPATH', '')}"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_guide_prints_what_the_course_says(client: httpx.Client, home: Path, program: str) -> None:
    made = made_key(home, *ACTORS["ta"], name="guide")
    text = program.replace("http://127.0.0.1:8000", str(client.base_url).rstrip("/")).replace("KEY", made)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, env=WITH_CLIENT)
    assert done.returncode == 0, done.stderr
    assert "February" in done.stdout


def test_the_commands_of_the_guide_register_a_platform(home: Path) -> None:
    (script,) = blocks("sh")
    for line in script.replace("\\\n", " ").strip().splitlines():
        command, *arguments = shlex.split(line)
        assert command == "edumod"
        done = edumod(home, *arguments)
        assert done.returncode == 0, done.stderr
    assert "CONTEXT" in done.stdout
    assert edumod(home, "lti", "remove", "CLIENT-ID").returncode == 0


def test_the_receiver_of_the_guide_takes_signed_messages_alone() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = HOOK.replace("9000", str(port)).replace("SECRET", "s3cret")
    receiver = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=WITH_CLIENT)
    url, body = f"http://127.0.0.1:{port}/", json.dumps(MESSAGE).encode()
    try:
        statuses = [
            sent(url, body, signature(secret, body, int(time.time()))).status_code for secret in ("other", "s3cret")
        ]
        assert statuses == [403, 204]
        assert receiver.stdout is not None
        assert receiver.stdout.readline().startswith("draft.decided")
    finally:
        receiver.kill()
        receiver.wait()


def sent(url: str, body: bytes, signed: str) -> httpx.Response:
    """The reply of a receiver that is being started."""
    end = time.monotonic() + 60
    while True:
        try:
            return httpx.post(url, content=body, headers={"EduMod-Signature": signed}, timeout=60)
        except httpx.ConnectError:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_the_message_of_the_guide_has_the_fields_of_a_message() -> None:
    assert MESSAGE.keys() == {"id", "event", "thread_id", "draft"}
    assert MESSAGE["draft"].keys() <= DraftOut.model_fields.keys()
    assert MESSAGE["draft"]["decision"].keys() <= DecisionOut.model_fields.keys()
