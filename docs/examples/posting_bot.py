"""A forum bot that posts what a teaching assistant approved: asks EduMod, waits for the decision, hands over the text.

    pip install httpx
    python posting_bot.py http://127.0.0.1:8000 ds101 "When is homework 3 due?"

The question is answered in the background, the decision is awaited by long polls, and nothing is posted before it is
final. `verified` checks the signature of a webhook, for bots that would rather be told.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx

WAIT_SECONDS = 25
"""Of one long poll."""
MAX_AGE_SECONDS = 300
"""Of a webhook's signature; an older message may be a recorded one."""


@dataclass(frozen=True)
class PostingBot:
    """Talks to one EduMod; `post` puts a text into the forum."""

    client: httpx.Client
    post: Callable[[str], None]

    def ask(self, course: str, question: str) -> str:
        """The id of the draft. The same key asks once, however often it is sent."""
        request = {"course": course, "question": {"body": question}, "author": {"consent": True}}
        headers = {"Prefer": "respond-async", "Idempotency-Key": uuid4().hex}
        response = self.client.post("v1/answer", json=request, headers=headers)
        response.raise_for_status()
        draft_id: str = response.json()["draft_id"]
        return draft_id

    def wait(self, draft_id: str, polls: int) -> dict[str, Any] | None:
        """The final decision; None if there is none after so many long polls: ask again later."""
        for _ in range(polls):
            response = self.client.get(f"v1/drafts/{draft_id}", params={"wait": WAIT_SECONDS})
            response.raise_for_status()
            decision: dict[str, Any] | None = response.json()["decision"]
            if decision is not None and decision["is_final"]:
                return decision
        return None

    def post_decided(self, draft_id: str, polls: int = 10) -> bool:
        """Post the decided text; False if the draft was discarded or nobody has decided it yet."""
        decision = self.wait(draft_id, polls)
        if decision is None or decision["outcome"] == "discarded":
            return False
        self.post(decision["text"])
        return True


def verified(secret: str, header: str, body: bytes, now: float | None = None) -> bool:
    """True for a webhook's body whose EduMod-Signature is right and recent."""
    moment, _, digest = header.removeprefix("t=").partition(",v1=")
    if not moment.isdecimal() or abs((now or time.time()) - int(moment)) > MAX_AGE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(digest, expected)


def main() -> None:
    """Ask one question and print what was decided."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("course")
    parser.add_argument("question")
    parser.add_argument("--polls", type=int, default=10, help=f"long polls of {WAIT_SECONDS} seconds each")
    parser.add_argument("--key", help="key with the scopes answer and drafts:read")
    chosen = parser.parse_args()
    headers = {"Authorization": f"Bearer {chosen.key}"} if chosen.key else {}
    try:
        with httpx.Client(base_url=chosen.url, timeout=60, headers=headers) as client:
            bot = PostingBot(client, post=print)
            draft_id = bot.ask(chosen.course, chosen.question)
            if not bot.post_decided(draft_id, chosen.polls):
                print(f"Nothing to post: {chosen.url}/review/{draft_id}")
    except httpx.HTTPStatusError as error:
        sys.exit(f"{chosen.url} answered {error.response.status_code}: {error.response.text}")
    except httpx.TransportError as error:
        sys.exit(f"{chosen.url} cannot be reached: {error}")


if __name__ == "__main__":
    main()
