"""How long others wait while texts of repeated fragments are checked, searched and answered.

    python -m benchmarks.pumped             # every text field, 230 fragments in turn
    python -m benchmarks.pumped 40 body     # so many fragments, one field

Each request carries one text of 20,000 characters in one field; meanwhile `/healthz` is asked every 10 ms. The row
`ordinary` is a short question, for what the machine's other work adds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import aiohttp

from benchmarks.harness import load_sample_course, served, show

CHARS = 20_000
MAX_SECONDS = 120
LIMIT_MS = 100
PAUSE_SECONDS = 0.01
TOKENS = (
    *("a", "A", "a'", "a? ", "1", "1.", "- ", "* ", "_", "# ", "> ", "`", "```\n", "$", "$$", "\\(", "\\[", "[", "]"),
    *("[x](", "[x]: ", "![", "(", "{", "@", ".", ", ", ":", "/", "|", "\n", "\r\n", "\t", " ", "<", "<b>", "<!--", "&"),
    *(
        "&#64;",
        "\u200b",
        "\u0301",
        "é",
        "中",
        "。",
        "？",
        '"',
        "http://",
        "www.a.",
        "q1 ",
        "hw ",
        "(a)",
        "Error",
        "and ",
    ),
    *("Traceback (most recent call last):\n", " at ", "+1 ", "0", "555-", "tel ", "def f(", "if x:\n", "Jane ", "%41"),
)
MIXED = ("a", "1", " ", "\n", "@", ".", "`", "$", "[", "|", "*", "'", "\\")
FRAGMENTS = (*TOKENS, *("".join(pair) for pair in product(MIXED, repeat=2) if pair[0] != pair[1]))

Body = Mapping[str, Any]


def _question(**fields: Any) -> Body:
    return {"course": "ds101", "question": {"body": "Why is the median robust?"}, **fields}


def _test(text: str) -> Body:
    return {"name": "t", "accepted": False, "expected": text[:2500], "got": text[:2500], "message": f"x{text[-4500:]}"}


def _people(text: str) -> list[Body]:
    """As many people as may be named."""
    return [
        {"name": f"{text[n : n + 20]} Doe{n}", "aliases": [f"{text[:40]}{n}{m}" for m in "abc"]} for n in range(300)
    ]


FIELDS: dict[str, tuple[str, Callable[[str], Body]]] = {
    "ordinary": ("/answer", lambda text: _question()),
    "body": ("/answer", lambda text: {"course": "ds101", "question": {"body": text}}),
    "title": ("/answer", lambda text: {"course": "ds101", "question": {"title": text[:500], "body": text[:9_000]}}),
    "html": ("/answer", lambda text: {"course": "ds101", "question": {"body": f"x{text[:-1]}", "body_format": "html"}}),
    "code": ("/answer", lambda text: _question(code=text)),
    "thread": ("/answer", lambda text: _question(thread=[{"body": f"x{text[:-1]}"}] * 8)),
    "tests": ("/answer", lambda text: _question(code="x = 1", tests=[_test(text)] * 2)),
    "report": ("/answer", lambda text: _question(code="x = 1", tests=text)),
    "linting": ("/answer", lambda text: _question(code="x = 1", linting=[{"line": 1, "message": text[:5000]}] * 4)),
    "exercise": ("/answer", lambda text: _question(code="x = 1", exercise=text)),
    "people": ("/answer", lambda text: _question(people=_people(text), code=text)),
    "edison": ("/answer?pipeline=edison", lambda text: {"course": "ds101", "question": {"body": text}}),
    "feedback": (
        "/feedback",
        lambda text: {"course": "ds101", "assignment": "hw1", "question": "1a", "submission": text[1:]},
    ),
}


async def main(fragments: int, names: list[str]) -> None:
    load_sample_course()
    rows = []
    with served() as (address, _):
        async with aiohttp.ClientSession(address, timeout=aiohttp.ClientTimeout(total=MAX_SECONDS)) as client:
            await _ask(client, *FIELDS["body"], "Why is the median robust?")
            for name in names:
                rows.append(await _measure(client, name, fragments))
                print(*rows[-1], flush=True)
    columns = ("field", "texts", "seconds, longest", "of", "/healthz ms, p99", "longest", "during", "statuses")
    show("Pumped texts of 20,000 characters", columns, rows, f"Longest wait wanted: {LIMIT_MS} ms.")


async def _measure(client: aiohttp.ClientSession, name: str, fragments: int) -> list[object]:
    path, build = FIELDS[name]
    seconds: dict[str, float] = {}
    waits: dict[str, list[float]] = {}
    statuses: set[int] = set()
    for fragment in FRAGMENTS[:: max(1, len(FRAGMENTS) // fragments)]:
        health = asyncio.create_task(_watch(client))
        begun = time.perf_counter()
        statuses.add(await _ask(client, path, build, _pumped(fragment)))
        seconds[fragment] = time.perf_counter() - begun
        health.cancel()
        waits[fragment] = await health
    every = sorted(wait for some in waits.values() for wait in some)
    slowest, worst = max(seconds, key=lambda one: seconds[one]), max(waits, key=lambda one: max(waits[one], default=0))
    return [
        name, len(seconds), seconds[slowest], repr(slowest), every[int(0.99 * (len(every) - 1))], max(waits[worst]),
        repr(worst), sorted(statuses),
    ]  # fmt: skip


def _pumped(fragment: str) -> str:
    """The fragment repeated, with an end that it does not have."""
    return (fragment * (CHARS // len(fragment)) + CHARS * "@")[: CHARS - 1] + "@"


async def _ask(client: aiohttp.ClientSession, path: str, build: Callable[[str], Body], text: str) -> int:
    async with client.post(path, json=build(text)) as response:
        await response.read()
        return response.status


async def _watch(client: aiohttp.ClientSession) -> list[float]:
    """Milliseconds of each answer of `/healthz`, until cancelled; the one under way is waited for."""
    waits: list[float] = []
    while True:
        begun = time.perf_counter()
        asking = asyncio.ensure_future(_health(client))
        try:
            await asyncio.shield(asking)
            waits.append(1000 * (time.perf_counter() - begun))
            await asyncio.sleep(PAUSE_SECONDS)
        except asyncio.CancelledError:
            if not asking.done():
                await asking
                waits.append(1000 * (time.perf_counter() - begun))
            return waits


async def _health(client: aiohttp.ClientSession) -> None:
    async with client.get("/healthz") as response:
        await response.read()


def _arguments() -> Iterator[Any]:
    yield next((int(one) for one in sys.argv[1:] if one.isdigit()), len(FRAGMENTS))
    yield [one for one in sys.argv[1:] if one in FIELDS] or list(FIELDS)


if __name__ == "__main__":
    asyncio.run(main(*_arguments()))
