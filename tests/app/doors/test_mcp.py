"""The client of the official MCP SDK against the door: over HTTP and stdio, and what a student's key reads."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from core.types import Visibility
from tests.app.commands import environment
from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, THROUGH_A_PROXY, headers, made_key
from tests.servers.homes import rows

DICE = {"course": "small", "query": "two dice sum to seven six of thirty-six outcomes", "top_k": 20}


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


@pytest.fixture(scope="module")
def keys(home: Path) -> dict[str, str]:
    return {name: made_key(home, *ACTORS[name], name=name) for name in ("ta", "student")}


def staff_blocks(home: Path) -> list[str]:
    query = (
        "SELECT node.id FROM node JOIN document ON node.document_id = document.id "
        "WHERE node.kind = 'block' AND document.visibility = :v AND node.course_id = 'small'"
    )
    return [str(row[0]) for row in rows(home, query, v=Visibility.STAFF.value)]


@asynccontextmanager
async def connected(server: httpx.Client, key: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers(key), timeout=60) as http,
        Client(streamable_http_client(f"{server.base_url}/mcp", http_client=http)) as client,
    ):
        yield client


async def test_the_tools_read_only_and_have_schemas(server: httpx.Client, keys: dict[str, str]) -> None:
    async with connected(server, keys["student"]) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {"search_course", "read_block", "answer"}
    assert all(tool.annotations and tool.annotations.read_only_hint and tool.output_schema for tool in tools)


async def test_a_search_leads_to_passages_that_can_be_read(server: httpx.Client, keys: dict[str, str]) -> None:
    async with connected(server, keys["student"]) as client:
        found = (
            await client.call_tool("search_course", {"course": "small", "query": "homework 3 due"})
        ).structured_content
        assert found is not None
        first = found["passages"][0]
        read = (
            await client.call_tool("read_block", {"course": "small", "block_id": first["block_id"]})
        ).structured_content
        resource = await client.read_resource(f"course://small/block/{first['block_id']}")
    assert read == first
    assert "February 19" in resource.contents[0].text  # type: ignore[union-attr]


async def test_a_students_key_never_reads_texts_for_staff(
    server: httpx.Client, keys: dict[str, str], home: Path
) -> None:
    blocks = staff_blocks(home)
    assert blocks
    async with connected(server, keys["student"]) as client:
        found = await client.call_tool("search_course", DICE)
        assert "sixth" not in json.dumps(found.structured_content)
        for block_id in blocks:
            assert (await client.call_tool("read_block", {"course": "small", "block_id": block_id})).is_error
    async with connected(server, keys["ta"]) as client:
        for block_id in blocks:
            read = await client.call_tool("read_block", {"course": "small", "block_id": block_id})
            assert not read.is_error
            assert "one sixth" not in json.dumps(read.structured_content)


async def test_an_answer_is_what_posting_allows(server: httpx.Client, keys: dict[str, str]) -> None:
    question = {"course": "small", "question": "When is homework 3 due?"}
    async with connected(server, keys["ta"]) as client:
        seen = (await client.call_tool("answer", question)).structured_content
    async with connected(server, keys["student"]) as client:
        waiting = (await client.call_tool("answer", question)).structured_content
    assert seen is not None
    assert waiting is not None
    assert "19 February" in seen["answer"]
    assert seen["sources"][0]["url"].startswith("http")
    assert (waiting["waits_for_person"], waiting["sources"]) == (True, [])
    assert "February" not in waiting["answer"]


async def test_errors_say_what_to_do_and_another_course_is_refused(server: httpx.Client, keys: dict[str, str]) -> None:
    async with connected(server, keys["student"]) as client:
        foreign = await client.call_tool("search_course", {"course": "strict", "query": "exam"})
        empty = await client.call_tool("search_course", {"course": "small", "query": " "})
    assert foreign.is_error
    assert "for small alone" in str(foreign.content)
    assert "1 to 500 characters" in str(empty.content)


def test_without_a_key_the_way_to_get_in_is_said(server: httpx.Client) -> None:
    refused = server.post("/mcp", json={}, headers=THROUGH_A_PROXY)
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    described = server.get("/.well-known/oauth-protected-resource/mcp", headers=THROUGH_A_PROXY).json()
    assert described["resource"] == f"{server.base_url}/mcp"


async def test_a_client_that_starts_the_command_reads_what_students_read(home: Path, keys: dict[str, str]) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from app.cli import main; main()", "mcp"],
        env=environment(home),
        cwd=str(Path(__file__).parents[3]),
    )
    (staff_block,) = staff_blocks(home)[:1]
    async with Client(command) as client:
        tools = (await client.list_tools()).tools
        read = await client.call_tool("read_block", {"course": "small", "block_id": staff_block})
    assert "search_course" in {tool.name for tool in tools}
    assert read.is_error
