"""Agents of dialect 1.0 call functions of MCP servers, over every transport."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import BadReply, InvalidInput, SetupError
from core.llm.scripted import ScriptedLLM
from core.llm.task import Chat, Choice
from core.types import FunctionCall
from eval.scenarios.cast import MAX_ROUNDS, Cast
from eval.scenarios.conversation import converse
from eval.scenarios.dialogue import ToolUse, Turn
from eval.scenarios.reading import read_scenario
from eval.scenarios.scenario import Scenario
from eval.scenarios.tools import open_tools
from tests.eval.scenarios.samples import NEW, written

SERVER = """\
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("calculator")

@server.tool()
def add(a: int, b: int) -> int:
    "Adds two numbers."
    return a + b

@server.tool()
def fail() -> str:
    "Always fails."
    raise ValueError("the battery is empty")

kind, *port = sys.argv[1:]
server.run(kind, **({"host": "127.0.0.1", "port": int(port[0])} if port else {}))
"""
PATH = os.pathsep.join(sys.path)


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calculator.py").write_text(SERVER)
    monkeypatch.setenv("MODULES", PATH)


@pytest.fixture
def mcp() -> None:
    pytest.importorskip("mcp", reason="the package mcp is not installed")


def with_tools(folder: Path, server: str, tools: str = "[calculator]") -> Scenario:
    text = NEW.replace('topic.__class__}"}', f'topic.__class__}}", tools: {tools}}}')
    scenario = read_scenario(written(folder, f"{text}mcps:\n  calculator: {server}\n"))
    return scenario.model_copy(update={"variables": frozenset({"MODULES"})})


def stdio(folder: Path) -> str:
    command = f'command: "{sys.executable}", args: ["{folder / "calculator.py"}", stdio]'
    return f'{{type: stdio, {command}, env: {{PYTHONPATH: "${{MODULES}}"}}}}'


@contextmanager
def served(folder: Path, kind: str) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, str(folder / "calculator.py"), kind, str(port)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": PATH})
    try:
        wait_until_open(port)
        yield port
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        number: int = one.getsockname()[1]
    return number


def wait_until_open(port: int) -> None:
    for _ in range(300):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError


async def results(scenario: Scenario) -> list[str]:
    async with open_tools(scenario, os.environ) as tools:
        own = tools["teacher"]
        assert [one.name for one in own.functions] == ["add", "fail"]
        assert own.functions[0].parameters["required"] == ["a", "b"]
        calls = [
            FunctionCall(id="1", name="add", arguments={"a": 2, "b": 3}),
            FunctionCall(id="2", name="fail", arguments={}),
        ]
        return [(await own.result(call)).content for call in calls]


@pytest.mark.usefixtures("mcp")
async def test_a_command_is_started_and_called_and_its_errors_are_said(tmp_path: Path) -> None:
    added, failed = await results(with_tools(tmp_path, stdio(tmp_path)))
    assert added == "5"
    assert failed.startswith("Error: ")


@pytest.mark.usefixtures("mcp")
@pytest.mark.parametrize(
    ("kind", "type_", "path"), [("sse", "http-with-sse", "sse"), ("streamable-http", "streamable-http", "mcp")]
)
async def test_a_server_at_an_address_is_called(tmp_path: Path, kind: str, type_: str, path: str) -> None:
    with served(tmp_path, kind) as port:
        server = f'{{type: {type_}, url: "http://127.0.0.1:{port}/{path}", headers: {{X-Test: a}}}}'
        assert (await results(with_tools(tmp_path, server)))[0] == "5"


@pytest.mark.usefixtures("mcp")
async def test_an_agent_speaks_after_its_calls(tmp_path: Path) -> None:
    scenario = with_tools(tmp_path, stdio(tmp_path))
    call = FunctionCall(id="1", name="add", arguments={"a": 2, "b": 3})
    llm = ScriptedLLM([Choice(calls=(call,)), Choice(text="It is 5. bye")])
    async with open_tools(scenario, os.environ) as tools:
        dialogue = await converse(scenario, scenario.tasks[0], Cast(tools=tools).speaking(llm, 0))
    assert dialogue.turns == (Turn(agent="teacher", content="It is 5. bye", uses=(ToolUse(call=call, result="5"),)),)
    (first, second) = [task for task in llm.tasks if isinstance(task, Chat)]
    assert [one.name for one in first.functions] == ["add", "fail"]
    assert [(one.role, one.content) for one in second.messages[-2:]] == [("assistant", ""), ("tool", "5")]


@pytest.mark.usefixtures("mcp")
async def test_calls_without_end_are_no_turn(tmp_path: Path) -> None:
    scenario = with_tools(tmp_path, stdio(tmp_path))
    call = FunctionCall(id="1", name="add", arguments={"a": 2, "b": 3})
    llm = ScriptedLLM([Choice(calls=(call,))] * MAX_ROUNDS)
    async with open_tools(scenario, os.environ) as tools:
        with pytest.raises(BadReply, match="without saying anything"):
            await converse(scenario, scenario.tasks[0], Cast(tools=tools).speaking(llm, 0))


@pytest.mark.usefixtures("mcp")
async def test_a_server_that_does_not_start_is_named(tmp_path: Path) -> None:
    scenario = with_tools(tmp_path, "{type: stdio, command: no-such-command-anywhere}")
    with pytest.raises(SetupError, match=r"mcps\.calculator of .* does not work"):
        async with asyncio.timeout(20), open_tools(scenario, os.environ):
            pass


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ("{type: stdio}", "a server of type stdio needs a command"),
        ("{type: http-with-sse}", "a server of type http-with-sse needs a url"),
        ("{type: carrier-pigeon}", "mcps.calculator.type"),
    ],
)
def test_a_server_without_what_its_type_needs_is_refused(tmp_path: Path, server: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        with_tools(tmp_path, server)


async def test_nothing_is_started_for_agents_without_tools(tmp_path: Path) -> None:
    scenario = with_tools(tmp_path, "{type: stdio, command: no-such-command-anywhere}").without_tools()
    async with open_tools(scenario, {}) as tools:
        assert tools == {}
