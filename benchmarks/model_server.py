"""An OpenAI-compatible server that takes a fixed time per call: `python -m benchmarks.model_server PORT SECONDS`.

What it answers depends on the request alone, so that every pipeline takes a known number of rounds: it calls a
function in the first `SEARCHES` choices and none in later ones, selects two functions by name, refuses a first draft,
and accepts one that was written with feedback. Answers cite passage 1. `GET /recorded` gives the latest requests.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import deque
from typing import Any

import uvloop
from aiohttp import web

SEARCHES = 2
"""Choices of one run that call a function, each with a query of its own."""
SELECTED = ("textbook_retrieval", "qa_retrieval")
BETTER = "As the material says more fully [1]."
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
    write = {"Selection": selection, "Review": review}.get(schema, answer)
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


def answer(asked: str) -> Json:
    passage = re.search(r"<passage[^>]*>\n(.*)", asked)
    return {
        "status": "answered",
        "answer": BETTER if "<feedback>" in asked else "As the material says [1].",
        "citations": [{"passage": 1, "quote": " ".join(passage[1].split()[:8]) if passage else ""}],
        "confidence": 0.8,
    }


def application(seconds: float) -> web.Application:
    recorded: deque[Json] = deque(maxlen=RECORDED)

    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        recorded.append(body)
        await asyncio.sleep(seconds)
        reply = message(body)
        reason = "tool_calls" if "tool_calls" in reply else "stop"
        usage = {"prompt_tokens": 500, "completion_tokens": 50, "total_tokens": 550}
        choice = {"index": 0, "message": reply, "finish_reason": reason}
        base = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
        return web.json_response({**base, "choices": [choice], "usage": usage})

    async def latest(request: web.Request) -> web.Response:
        """The requests since the last time this was asked for."""
        bodies = list(recorded)
        recorded.clear()
        return web.json_response(bodies)

    async def health(request: web.Request) -> web.Response:
        return web.Response(text="ok")

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/recorded", latest)
    app.router.add_get("/health", health)
    return app


if __name__ == "__main__":
    loop = uvloop.new_event_loop()
    web.run_app(application(float(sys.argv[2])), host="127.0.0.1", port=int(sys.argv[1]), print=None, loop=loop)
