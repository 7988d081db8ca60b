"""A forum bot: asks EduMod, waits where waiting helps, and says what to do with what comes back.

    pip install httpx
    python bot.py http://127.0.0.1:8000 ds101 "When is homework 3 due?" [--stream]

A question is sent with a key of its own. Sent again with that key, it is answered once, and costs nothing more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx

TRIES = 5
LATER = (409, 502, 503, 504)
"""Statuses after which the same request may succeed: the key is being worked on, or the model or service is not up."""
ACTIONS = {
    "answered": "show the draft to a teaching assistant",
    "needs_clarification": "post the answer: it asks the student for what is missing",
    "abstained": "leave the question to the staff: the course's material does not answer it",
    "no_response_needed": "do nothing: the post asks nothing",
    "blocked": "leave the question to the staff: the model would not answer it",
    "consent_required": "post the answer: it asks the student to agree to automatic answers",
}
"""What a bot does with an answer of each status. One that is not here, of a newer service, goes to the staff."""


class Refused(Exception):
    """The request is wrong, and would be again; `problem` says why (RFC 9457)."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(f"{problem.get('status')} {problem.get('type')}: {problem.get('detail')}")
        self.problem = problem


@dataclass(frozen=True)
class Bot:
    """Talks to one EduMod; `wait` is called with seconds before a request is sent again."""

    client: httpx.Client
    wait: Callable[[float], None] = time.sleep

    def ask(self, request: dict[str, Any], key: str | None = None, **parameters: Any) -> dict[str, Any]:
        """The answer. `parameters` are those of the query, such as `pipeline`. Raises `Refused`, or what httpx raises
        where the service stays away."""
        headers = {"Idempotency-Key": key or uuid4().hex}
        for attempt in range(TRIES):
            try:
                response = self.client.post("v1/answer", json=request, params=parameters, headers=headers)
            except httpx.TransportError:
                if attempt == TRIES - 1:
                    raise
                self.wait(2.0**attempt)
                continue
            if response.status_code in LATER and attempt < TRIES - 1:
                self.wait(float(response.headers.get("Retry-After", 2.0**attempt)))
                continue
            return checked(response)
        raise AssertionError("The last try returns or raises.")

    def stream(self, request: dict[str, Any], key: str | None = None, **parameters: Any) -> Iterator[tuple[str, Any]]:
        """Name and data of each event, as it comes; the last one is `done` with the whole answer. Raises `Refused`."""
        headers = {"Idempotency-Key": key or uuid4().hex, "Accept": "text/event-stream"}
        with self.client.stream("POST", "v1/answer", json=request, params=parameters, headers=headers) as response:
            if response.status_code != 200:
                response.read()
                checked(response)
            name = ""
            for line in response.iter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    if name == "error":
                        raise Refused(json.loads(value))
                    yield name, json.loads(value)


def checked(response: httpx.Response) -> dict[str, Any]:
    """The JSON of a response. Raises `Refused`."""
    is_json = "json" in response.headers.get("Content-Type", "")
    body: dict[str, Any] = response.json() if is_json else {"detail": response.text}
    if response.is_success:
        return body
    raise Refused({"status": response.status_code, **body})


def action(answer: dict[str, Any]) -> str:
    """What to do with an answer."""
    return ACTIONS.get(answer["status"], "leave the question to the staff")


def printed(bot: Bot, request: dict[str, Any], *, is_streamed: bool) -> dict[str, Any]:
    """The answer, whose text was printed."""
    if not is_streamed:
        answer = bot.ask(request)
        print(answer["answer"], end="")
        return answer
    answer = {}
    for name, data in bot.stream(request):
        print(data["text"] if name == "delta" else "", end="", flush=True)
        answer = data
    return answer


def main() -> None:
    """Ask one question and print what came back."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("course")
    parser.add_argument("question")
    parser.add_argument("--stream", action="store_true", help="print the answer as it comes")
    parser.add_argument("--key", default=os.environ.get("EDUMOD_KEY"), help="key of the service; default: EDUMOD_KEY")
    chosen = parser.parse_args()
    headers = {"Authorization": f"Bearer {chosen.key}"} if chosen.key else {}
    request = {"course": chosen.course, "question": {"body": chosen.question}, "author": {"consent": True}}
    try:
        with httpx.Client(base_url=chosen.url, headers=headers, timeout=180) as client:
            answer = printed(Bot(client), request, is_streamed=chosen.stream)
    except Refused as error:
        sys.exit(str(error))
    except httpx.TransportError as error:
        sys.exit(f"{chosen.url} cannot be reached: {error}")
    print(f"\n\n{answer['status']}: {action(answer)} (draft {answer['draft_id']})")


if __name__ == "__main__":
    main()
