"""An OpenAI-compatible server that takes a fixed time per call: `python -m benchmarks.model_server PORT SECONDS`.

It calls a function where it is offered some, and else writes an answer that cites passage 1.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import Any

from aiohttp import web


def tool_call(body: dict[str, Any]) -> dict[str, Any]:
    asked = body["messages"][1]["content"]
    # As long as the queries that models write.
    query = " ".join(re.sub(r"<[^>]*>", " ", asked).split()[-8:])
    name = body["tools"][0]["function"]["name"]
    function = {"name": name, "arguments": json.dumps({"query": query})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


def answer(body: dict[str, Any]) -> dict[str, Any]:
    passage = re.search(r"<passage[^>]*>\n(.*)", body["messages"][1]["content"])
    quote = " ".join(passage[1].split()[:8]) if passage else ""
    written = {
        "status": "answered",
        "answer": "As the material says [1].",
        "citations": [{"passage": 1, "quote": quote}],
        "confidence": 0.8,
    }
    return {"role": "assistant", "content": json.dumps(written)}


def application(seconds: float) -> web.Application:
    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        await asyncio.sleep(seconds)
        message = tool_call(body) if body.get("tools") else answer(body)
        reason = "tool_calls" if body.get("tools") else "stop"
        usage = {"prompt_tokens": 500, "completion_tokens": 50, "total_tokens": 550}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        base = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
        return web.json_response({**base, "choices": [choice], "usage": usage})

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/health", lambda _: web.Response(text="ok"))
    return app


if __name__ == "__main__":
    web.run_app(application(float(sys.argv[2])), host="127.0.0.1", port=int(sys.argv[1]), print=None)
