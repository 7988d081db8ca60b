"""`docs/examples/posting_bot.py` against a running service."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import httpx

from app.docs import DOCS
from app.webhooks.http_delivery import signature
from tests.app.review.deciding import decide

BOT = DOCS / "examples" / "posting_bot.py"
QUESTION = "When is homework 3 due, dear bot?"


def test_the_bot_posts_the_text_that_a_person_decided(reviewing: httpx.Client) -> None:
    def review() -> None:
        for _ in range(100):
            drafts = reviewing.get("/drafts", params={"course": "quick", "state": "pending", "limit": 1}).json()[
                "drafts"
            ]
            draft = reviewing.get(f"/drafts/{drafts[0]['id']}").json() if drafts else None
            if draft and draft["question"]["body"] == QUESTION:
                decide(reviewing, draft, text="Posted by the bot, decided by a person.")
                return
            time.sleep(0.2)

    reviewer = threading.Thread(target=review)
    reviewer.start()
    command = [sys.executable, str(BOT), str(reviewing.base_url), "quick", QUESTION, "--polls", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    reviewer.join()
    assert done.stdout == "Posted by the bot, decided by a person.\n"


def test_what_is_refused_is_told_without_a_traceback(reviewing: httpx.Client) -> None:
    command = [sys.executable, str(BOT), str(reviewing.base_url), "none", QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "There is no course 'none'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_bot_believes_no_forged_or_old_message() -> None:
    sys.path.insert(0, str(BOT.parent))
    from posting_bot import verified  # type: ignore[import-not-found]

    header = signature("secret", b"{}", int(time.time()))
    assert verified("secret", header, b"{}")
    assert not verified("another", header, b"{}")
    assert not verified("secret", header, b"[]")
    for skew in (-3600, 3600):
        assert not verified("secret", signature("secret", b"{}", int(time.time()) + skew), b"{}")
    assert not verified("secret", "nonsense", b"{}")
