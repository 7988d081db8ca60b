"""The service's log: lines of text or of JSON, with ids, and without what anybody wrote."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from app import request_id
from app.operation.logs import JsonLines, TextLines, WithIds, log_config
from core.llm.scripted import ScriptedLLM
from tests.app.live import live, settings_in

SECRET = "Violet"


def record(message: str, *values: object, **more: Any) -> logging.LogRecord:
    made = logging.LogRecord("edumod", logging.WARNING, __file__, 1, message, values, None)
    vars(made).update({"request_id": None, "draft_id": None, "created": 0.5, **more})
    return made


def test_a_line_of_json_has_time_level_logger_message_and_ids() -> None:
    line = JsonLines().format(record("%d drafts\nwait", 3, request_id="ab", draft_id="cd"))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:00.500Z", "level": "warning", "logger": "edumod", "message": "3 drafts\nwait",
        "request_id": "ab", "draft_id": "cd",
    }  # fmt: skip


def test_a_line_of_text_cannot_be_forged_by_a_line_break_in_a_message() -> None:
    forged = record("the endpoint said: no\r\n1970-01-01T00:00:00Z INFO edumod: all is well", request_id="ab")
    line = TextLines().format(forged)
    assert line.splitlines() == [line]
    assert line.startswith("1970-01-01T00:00:00.500Z WARNING edumod: the endpoint said: no")
    assert line.endswith("[request ab]")


@pytest.mark.parametrize("lines", [JsonLines(), TextLines()])
def test_an_unexpected_error_is_logged_with_its_traceback(lines: logging.Formatter) -> None:
    try:
        raise ZeroDivisionError("a bug")
    except ZeroDivisionError:
        shown = lines.format(record("It failed", exc_info=sys.exc_info()))
    assert "Traceback" in shown
    assert "ZeroDivisionError: a bug" in shown


def test_the_level_holds_for_edumod_and_other_libraries_log_warnings(tmp_path: Path) -> None:
    config = log_config(settings_in(tmp_path, log_level="debug"))
    assert {name: one["level"] for name, one in config["loggers"].items()} == {"edumod": "DEBUG", "uvicorn": "DEBUG"}
    chatty, own = record("sent"), record("sent")
    chatty.name, chatty.levelno, own.name, own.levelno = "httpx2", logging.INFO, "edumod.access", logging.DEBUG
    assert [WithIds().filter(one) for one in (chatty, own)] == [False, True]


def test_a_warning_of_python_is_a_line_like_any_other() -> None:
    code = (
        "import logging.config, warnings\n"
        "from app.operation.logs import log_config\n"
        "from core.settings import Settings\n"
        "logging.config.dictConfig(log_config(Settings(log_format='json')))\n"
        "warnings.warn('a library is old', DeprecationWarning)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    (line,) = (json.loads(each) for each in done.stderr.splitlines())
    assert (line["logger"], line["level"]) == ("py.warnings", "warning")
    assert "DeprecationWarning: a library is old" in line["message"]


async def test_a_draft_that_no_request_is_about_names_itself() -> None:
    request_id.work_on("cd")
    made = record("retried")
    WithIds().filter(made)
    assert (made.request_id, made.draft_id) == (None, "cd")


def test_each_request_is_one_line_without_query_and_path(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "edumod.access"), live(settings_in(home), ScriptedLLM([])) as client:
        client.get(f"/traces/{SECRET}?q={SECRET}")
        client.get(f"/{SECRET}")
        client.post(f"/v1/answer?pipeline={SECRET}", json={"course": SECRET, "question": {"body": SECRET}})
        client.head("/healthz")
    lines = [one for one in caplog.records if one.name == "edumod.access"]
    assert [(one.method, one.route, one.status) for one in lines] == [
        ("GET", "/traces/{trace_id}", 404), ("GET", None, 404), ("POST", "/answer", 422), ("HEAD", "/healthz", 200),
    ]  # fmt: skip
    assert all(one.ms > 0 and one.bytes >= 0 for one in lines)
    assert SECRET not in "".join(one.getMessage() for one in caplog.records)


def test_a_request_that_is_cut_off_is_logged_with_the_status_that_its_client_got(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.INFO, "edumod.access"),
        live(settings_in(home, body_seconds=0.2, header_seconds=0.2)) as client,
    ):
        address = (client.base_url.host, client.base_url.port)
        for half in (b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{", b"GET / HTTP/1.1\r\n"):
            with socket.create_connection(address, timeout=30) as connection:
                connection.sendall(half)
                assert b" 408 " in connection.makefile("rb").readline()
    lines = [one for one in caplog.records if one.name == "edumod.access"]
    assert [one.status for one in lines] == [408, 408]


def test_the_id_of_a_request_is_in_its_problem_document(client: httpx.Client) -> None:
    problem = client.get("/traces/none")
    assert problem.json()["request_id"] == problem.headers["x-request-id"]
