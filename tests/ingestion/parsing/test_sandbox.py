from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import pymupdf
import pytest

from core.errors import EncryptedDocument, HostileDocument, SetupError, UnreadableDocument
from ingestion.loaders import load
from ingestion.parsing import sandbox
from ingestion.parsing.sandbox import ParserPool
from tests.ingestion.parsing.hostile import EVERYTHING


@pytest.fixture(autouse=True)
def hostile_loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets workers, which get our module search path, find the loaders that misbehave."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def pool(seconds: float = 20, memory_mb: int = 256, workers: int = 1) -> ParserPool:
    return ParserPool(seconds, memory_mb, workers, loaders="hostile")


async def text(parsers: ParserPool, name: str, data: bytes = b"") -> str:
    return (await parsers.load(name, data)).text


@pytest.fixture
def children() -> Callable[[], set[int]]:
    """Lists our child processes since the test began, dead ones that nobody waited for included."""
    before = child_processes()
    return lambda: child_processes() - before


def child_processes() -> set[int]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # After the name in parentheses, which may hold anything: state and parent.
            if int(entry.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(entry.parent.name))
    return found


async def test_a_document_comes_back_as_its_loader_made_it() -> None:
    async with pool() as parsers:
        assert await parsers.load("everything", b"") == EVERYTHING


async def test_real_files_give_the_same_document_as_without_the_sandbox(
    make_pdf: Callable[..., pymupdf.Document],
) -> None:
    files = {
        "a.pdf": make_pdf([[(72, 72, "Question 1")]]).tobytes(),
        "a.md": b"# Title\n\n```\ncode\n```",
        "a.jsonl": b'{"id": "1", "question": {"body": "Why?"}}',
    }
    async with ParserPool(60, 1024) as parsers:
        for name, data in files.items():
            assert await parsers.load(name, data) == load(name, data)


async def test_a_worker_serves_many_files() -> None:
    async with pool() as parsers:
        assert len({await text(parsers, "process") for _ in range(5)}) == 1


async def test_a_large_file_passes_whole() -> None:
    async with pool() as parsers:
        assert await text(parsers, "length", bytes(20 * 2**20)) == str(20 * 2**20)


@pytest.mark.parametrize("action", ["hang", "sleep"])
async def test_a_file_over_the_time_limit_is_hostile_and_the_next_one_is_served(action: str) -> None:
    async with pool(seconds=1) as parsers:
        first = await text(parsers, "process")
        with pytest.raises(HostileDocument, match=rf"{action}: .*1 s.*EDUMOD_PARSE_SECONDS"):
            await parsers.load(action, b"60")
        assert await text(parsers, "process") != first


@pytest.mark.parametrize(("action", "data"), [("swell", b""), ("allocate", b"300"), ("bloat", b"300")])
async def test_a_file_over_the_memory_limit_is_hostile_and_the_next_one_is_served(action: str, data: bytes) -> None:
    async with pool() as parsers:
        with pytest.raises(HostileDocument, match=rf"{action}: .*256 MiB.*EDUMOD_PARSE_MEMORY_MB"):
            await parsers.load(action, data)
        assert await text(parsers, "allocate", b"200") == str(200 * 2**20)


async def test_the_memory_limit_is_for_each_file_anew() -> None:
    async with pool() as parsers:
        assert [await text(parsers, "allocate", b"150") for _ in range(4)] == [str(150 * 2**20)] * 4


@pytest.mark.parametrize(("action", "end"), [("exit", "exit status 3"), ("crash", "SIGSEGV")])
async def test_a_crash_is_hostile_and_the_next_file_is_served(action: str, end: str) -> None:
    async with pool() as parsers:
        with pytest.raises(HostileDocument, match=rf"{action}: .*crashed.*{end}"):
            await parsers.load(action, b"")
        assert await text(parsers, "length") == "0"


async def test_a_loaders_error_keeps_its_type_and_message_and_its_worker() -> None:
    async with pool() as parsers:
        process = await text(parsers, "process")
        with pytest.raises(EncryptedDocument, match=r"^file: a password is needed$"):
            await parsers.load("refuse", b"")
        for action, reason in (("fail", "KeyError: 'lost'"), ("fail oddly", "ModelError"), ("recurse", "Recursion")):
            with pytest.raises(UnreadableDocument, match=f"{action}: .*{reason}"):
                await parsers.load(action, b"")
        assert await text(parsers, "process") == process


async def test_what_a_parser_prints_is_no_reply() -> None:
    async with pool() as parsers:
        assert await text(parsers, "chatter") == "said"
        assert await text(parsers, "length", b"123") == "3"


async def test_a_worker_sees_no_secrets_and_imports_no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUMOD_LLM_API_KEY", "secret")
    async with pool() as parsers:
        assert "EDUMOD_LLM_API_KEY" not in (await text(parsers, "environment")).split()
        modules = set((await text(parsers, "modules")).split())
        assert not modules & {"torch", "llama_index", "fastapi", "openai", "pymupdf", "asyncio"}


async def test_files_are_parsed_side_by_side_up_to_the_number_of_workers(
    tmp_path: Path, children: Callable[[], set[int]]
) -> None:
    async with pool(workers=3) as parsers:
        # Each file waits for two others that are being parsed.
        assert await asyncio.gather(*(text(parsers, "meet", bytes(tmp_path)) for _ in range(6))) == ["met"] * 6
        assert len(children()) == 3


async def test_waiting_for_a_worker_is_not_part_of_a_files_time() -> None:
    async with pool(seconds=2) as parsers:
        assert await asyncio.gather(*(text(parsers, "sleep", b"0.7") for _ in range(4))) == ["slept"] * 4


async def test_cancelling_ends_the_worker_at_once(children: Callable[[], set[int]]) -> None:
    async with pool() as parsers:
        await parsers.load("length", b"")
        task = asyncio.create_task(parsers.load("hang", b""))
        await asyncio.sleep(0.2)
        assert len(children()) == 1
        started = perf_counter()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert perf_counter() - started < 15
        assert children() == set()
        assert await text(parsers, "length", b"1") == "1"


async def test_cancelling_while_a_worker_starts_leaves_none(children: Callable[[], set[int]]) -> None:
    async with pool() as parsers:
        task = asyncio.create_task(parsers.load("length", b""))
        await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert children() == set()


async def test_leaving_the_pool_ends_its_workers(children: Callable[[], set[int]]) -> None:
    async with pool(workers=2) as parsers:
        await asyncio.gather(*(parsers.load("length", b"") for _ in range(2)))
        assert len(children()) == 2
    assert children() == set()


async def test_a_worker_that_died_idle_is_replaced() -> None:
    async with pool() as parsers:
        os.kill(int(await text(parsers, "process")), 9)
        await asyncio.sleep(0.5)
        assert await text(parsers, "length") == "0"


async def test_workers_are_replaced_after_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "FILES_PER_WORKER", 2)
    async with pool() as parsers:
        processes = [await text(parsers, "process") for _ in range(4)]
    assert processes[0] == processes[1] != processes[2] == processes[3]


async def test_a_worker_that_cannot_start_is_an_error_of_the_installation() -> None:
    async with ParserPool(1, 256, loaders="no_such_module") as parsers:
        with pytest.raises(SetupError, match="did not start"):
            await parsers.load("a.txt", b"a")


def test_a_reply_with_objects_in_it_is_refused_unread() -> None:
    with pytest.raises(HostileDocument, match="a reply that cannot be read"):
        sandbox._unpickled("a.pdf", pickle.dumps(("document", subprocess.Popen)))


def test_the_pool_works_from_a_script_without_a_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio\nfrom ingestion.parsing.sandbox import ParserPool\n"
        "async def main():\n    async with ParserPool(20, 256) as pool:\n"
        "        print((await pool.load('a.txt', b'hello')).text)\n"
        "asyncio.run(main())\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(sandbox.__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert (done.stdout, done.stderr) == ("hello\n", "")


def bomb() -> bytes:
    """A PDF of a few kilobytes whose one page holds 400,000 lines of text, compressed twice."""
    page = b"BT /F 10 Tf " + b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj 0 12 Td " * 400_000 + b"ET"
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "x", fontname="helv")
    (content,) = document[0].get_contents()
    document.update_stream(content, zlib.compress(zlib.compress(page, 9), 9), compress=False)
    document.xref_set_key(content, "Filter", "[/FlateDecode/FlateDecode]")
    return document.tobytes()


async def test_a_decompression_bomb_is_stopped() -> None:
    data = bomb()
    assert len(data) < 20_000
    async with ParserPool(3, 256) as parsers:
        with pytest.raises(HostileDocument, match=r"bomb\.pdf"):
            await parsers.load("bomb.pdf", data)
        assert (await parsers.load("a.txt", b"fine")).text == "fine"


@pytest.mark.parametrize(
    ("name", "data"),
    [("deep.ipynb", b"[" * 2_000_000), ("deep.jsonl", b'{"a":' * 100_000), ("big.html", b"<div>" * 500_000)],
)
async def test_deeply_nested_files_are_refused(name: str, data: bytes) -> None:
    async with ParserPool(3, 256) as parsers:
        with pytest.raises(UnreadableDocument, match=name):
            await parsers.load(name, data)
