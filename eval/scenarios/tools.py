"""Tools of MCP servers that agents of dialect 1.0 may call. Files name commands to run: start them only if allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from core.errors import InvalidInput, SetupError
from core.llm.task import ChatTurn
from core.types import FunctionCall, FunctionSpec
from eval.scenarios.models import ReadableVariables
from eval.scenarios.scenario import Scenario, ServerKind, ToolServer

if TYPE_CHECKING:
    from mcp import Client

MAX_RESULT_CHARS = 20_000
"""Of a result that an agent's model is sent; the rest is cut off."""


@dataclass(frozen=True)
class AgentTools:
    """The functions that one agent may call, and the servers that run them, by function."""

    functions: tuple[FunctionSpec, ...]
    clients: Mapping[str, Client]

    async def result(self, call: FunctionCall) -> ChatTurn:
        """What the server replied. What went wrong is said to the agent, which may call again."""
        try:
            found = await self.clients[call.name].call_tool(call.name, call.arguments)
        except Exception as error:  # the SDK raises errors of many kinds, its server's among them
            return ChatTurn(role="tool", content=f"Error: {error}"[:MAX_RESULT_CHARS], call_id=call.id)
        texts = (getattr(part, "text", f"[{part.type}]") for part in found.content)
        prefix = "Error: " if found.is_error else ""
        return ChatTurn(role="tool", content=(prefix + "\n".join(texts))[:MAX_RESULT_CHARS], call_id=call.id)


@asynccontextmanager
async def open_tools(scenario: Scenario, variables: Mapping[str, str]) -> AsyncIterator[dict[str, AgentTools]]:
    """Tools by agent; their servers are started, and stopped at the end. `variables` are the environment's.

    Raises `SetupError` for a server that does not start, and `InvalidInput` for two functions of one name.
    """
    wanted = list(dict.fromkeys(tool for agent in scenario.agents.values() for tool in agent.tools))
    if wanted and find_spec("mcp") is None:
        raise SetupError("Servers of tools need the package mcp. Install it: pip install 'edumod[mcp]'.")
    async with AsyncExitStack() as stack:
        opened = {name: await _opened(stack, scenario, name, variables) for name in wanted}
        yield {name: _tools_of(name, agent.tools, opened) for name, agent in scenario.agents.items() if agent.tools}


Opened = tuple["Client", tuple[FunctionSpec, ...]]


async def _opened(stack: AsyncExitStack, scenario: Scenario, name: str, variables: Mapping[str, str]) -> Opened:
    from mcp import Client

    server = scenario.servers[name]
    where = f"mcps.{name} of {scenario.path}"
    try:
        transport = _transport(server, where, ReadableVariables(variables, scenario.variables))
        client = await stack.enter_async_context(Client(transport, read_timeout_seconds=server.timeout))
        listed = (await client.list_tools()).tools
    except SetupError:
        raise
    except Exception as error:  # the SDK raises errors of many kinds
        raise SetupError(f"{where} does not work as a server of tools: {_reason(error)}. Correct it there.") from error
    functions = (
        FunctionSpec(name=one.name, description=one.description or "", parameters=one.input_schema) for one in listed
    )
    return client, tuple(functions)


def _transport(server: ToolServer, where: str, variables: ReadableVariables) -> Any:
    from mcp.client.sse import sse_client
    from mcp.client.stdio import StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    if server.kind == ServerKind.STDIO:
        environment = {name: variables.expanded(value, where) or "" for name, value in server.env.items()}
        return StdioServerParameters(command=server.command, args=list(server.args), env=environment)
    headers = {name: variables.expanded(value, where) or "" for name, value in server.headers.items()}
    if server.kind == ServerKind.SSE:
        return sse_client(server.url, headers=headers, timeout=server.timeout)
    return streamable_http_client(server.url, http_client=create_mcp_http_client(headers=headers))


def _tools_of(agent: str, names: tuple[str, ...], opened: Mapping[str, Opened]) -> AgentTools:
    clients: dict[str, Client] = {}
    functions: list[FunctionSpec] = []
    for client, offered in (opened[name] for name in names):
        for function in offered:
            if function.name in clients:
                raise InvalidInput(f"Two servers offer the agent {agent} a function {function.name}. Leave out one.")
            clients[function.name] = client
            functions.append(function)
    return AgentTools(tuple(functions), clients)


def _reason(error: BaseException) -> str:
    """The first error inside a group of them, in words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
