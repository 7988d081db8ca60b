"""An OpenAI-compatible server that takes a fixed time per call: `python -m benchmarks.model_server PORT SECONDS`.

What it answers depends on the request alone, so that every pipeline takes a known number of rounds: it calls a
function in the first `SEARCHES` choices and none in later ones, selects two functions by name, refuses a first draft,
and accepts one that was written with feedback. Answers cite passage 1. A judge gives 3 teaching points. `GET
/recorded` gives the latest requests.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import httptools
import uvloop
from pydantic_core import from_json, to_json

SEARCHES = 2
"""Choices of one run that call a function, each with a query of its own."""
SELECTED = ("textbook_retrieval", "qa_retrieval")
BETTER = "As the material says more fully"
"""A draft written with feedback."""
RECORDED = 1024
"""Requests kept."""

Json = dict[str, Any]


def message(body: Json) -> Json:
    """The reply to a request, by what it offers: functions to call, or the schema of what to write."""
    if body.get("tools"):
        round_ = sum("tool_calls" in one for one in body["messages"])
        return tool_call(body, round_) if round_ < SEARCHES else said("Nothing is missing.")
    schema = body.get("response_format", {}).get("json_schema", {}).get("name")
    write = {"Selection": selection, "Review": review, "TeachingPoints": points}.get(schema, answer)
    return said(json.dumps(write(body["messages"][1]["content"])))


def said(text: str) -> Json:
    return {"role": "assistant", "content": text}


def tool_call(body: Json, round_: int) -> Json:
    asked = body["messages"][1]["content"].partition("</question>")[0]
    # As long as the queries that models write.
    query = " ".join(re.sub(r"<[^>]*>", " ", asked).split()[-8:])
    arguments = {"query": f"{query} (round {round_})" if round_ else query}
    function = {"name": body["tools"][0]["function"]["name"], "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{round_}", "type": "function", "function": function}],
    }


def selection(asked: str) -> Json:
    return {"functions": SELECTED}


def review(asked: str) -> Json:
    accepted = BETTER in asked
    return {
        "reasons": "What it says stands in the material.",
        "missing": [] if accepted else ["the second part"],
        "score": 0.9 if accepted else 0.4,
        "accepted": accepted,
    }


def points(asked: str) -> Json:
    return {
        "reasons": "The first point is conveyed, the second one is not.",
        "quotes": [],
        "core": ["what is kept", "what is filled in"],
        "missing": ["what is filled in"],
        "extra": [],
        "score": 3,
    }


def answer(asked: str) -> Json:
    passage = re.search(r"<passage[^>]*>\n(.*)", asked)
    return {
        "status": "answered",
        "statements": [
            {
                "sources": [{"passage": 1, "quote": " ".join(passage[1].split()[:8]) if passage else ""}],
                "text": BETTER if "<feedback>" in asked else "As the material says.",
            }
        ],
        "confidence": 0.8,
    }


def completion(body: Json) -> Json:
    reply = message(body)
    reason = "tool_calls" if "tool_calls" in reply else "stop"
    usage = {"prompt_tokens": 500, "completion_tokens": 50, "total_tokens": 550}
    choice = {"index": 0, "message": reply, "finish_reason": reason}
    base = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
    return {**base, "choices": [choice], "usage": usage}


class Server:
    """What connections share: the time that a call takes, and the latest requests."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._recorded: deque[Json] = deque(maxlen=RECORDED)

    def reply(self, path: bytes, body: bytes, send: Callable[[object], None]) -> None:
        """Sends a JSON value, at once or when the time of a call is over."""
        if path == b"/v1/chat/completions":
            asked: Json = from_json(body)
            self._recorded.append(asked)
            asyncio.get_running_loop().call_later(self._seconds, lambda: send(completion(asked)))
        elif path == b"/recorded":
            send(list(self._recorded))
            self._recorded.clear()
        else:
            send("ok")


class Connection(asyncio.Protocol):
    """A connection that is kept open, with one request at a time. It shares its cores with what is measured: hence
    no web framework.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._parser = httptools.HttpRequestParser(self)
        self._path, self._body = b"", b""

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.Transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._path, self._body = b"", b""

    def on_url(self, url: bytes) -> None:
        self._path += url

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        self._server.reply(self._path, self._body, self._send)

    def _send(self, value: object) -> None:
        body = to_json(value)
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


async def serve(port: int, seconds: float) -> None:
    server = Server(seconds)
    listening = await asyncio.get_running_loop().create_server(lambda: Connection(server), "127.0.0.1", port)
    await listening.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), float(sys.argv[2])))
