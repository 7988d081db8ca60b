"""A server that plays the agents and the judge of a scenario."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from eval.scenarios.judging import BEGIN, END


class Endpoint:
    """Says "bye" as soon as somebody has spoken, and fills in any schema.

    `fails` makes judging fail; `number` is what it gives for integers; `words` are said first, and `end` at last.
    """

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        """What came in the header Authorization."""
        self.fails = False
        self.number = 4
        self.words, self.end = "A join.", "bye"
        self.url = ""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        self.bodies.append(body)
        if tools := body.get("tools"):
            function = tools[0]["function"]
            schema = function["parameters"]
            arguments = {} if self.fails else filled(schema, schema, self.number)
            call = {
                "id": "c",
                "type": "function",
                "function": {"name": function["name"], "arguments": json.dumps(arguments)},
            }
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        system = body["messages"][0]["content"]
        if BEGIN in system:
            schema = json.loads(system.partition("JSON Schema is:\n")[2])
            text = "{}" if self.fails else json.dumps(filled(schema, schema, self.number))
            return {"role": "assistant", "content": f"{BEGIN}{text}{END}"}
        has_spoken = len(body["messages"]) > 3
        return {"role": "assistant", "content": f"<think>hm</think>{self.end}" if has_spoken else self.words}


def filled(schema: dict[str, Any], root: dict[str, Any], number: int) -> Any:
    """A value that fits."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if schema["type"] == "object":
        return {name: filled(part, root, number) for name, part in schema["properties"].items()}
    return {"integer": number, "number": 0.5, "string": "It is, mostly."}[schema["type"]]


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Not on the tests' output."""

        def do_POST(self) -> None:
            endpoint.keys.append(self.headers.get("Authorization", ""))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            usage = {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}
            message = endpoint.reply(body)
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            reply = json.dumps({"model": body["model"], "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
