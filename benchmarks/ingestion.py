"""Pages per second of ingestion before embedding, against bare PyMuPDF text extraction of the same file; and memory.

Memory is what `edumod ingest` takes at its peak for a text file of 5 MB, over what it takes for a few words.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median

import pymupdf

from benchmarks.harness import EDUMOD, ROOT, environment, load_sample_course, show
from core.concurrency import in_thread
from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from ingestion.parsing.parser import FileParser
from ingestion.questions.headers import detect_by_rule
from ingestion.tree import build_tree

RUNS = 5
PAGES = 600
TEXT_BYTES = 5_000_000
WORDS = """
    each model learns from data how a tree of light cells may show what history never tells us
""".split()  # noqa: SIM905


def long_pdf() -> bytes:
    """The sample course's PDFs, repeated to a long file."""
    target = pymupdf.open()
    paths = sorted((ROOT / "data" / "ds101").rglob("*.pdf"))
    while target.page_count < PAGES:
        for path in paths:
            with pymupdf.open(path) as source:
                target.insert_pdf(source)
    data: bytes = target.tobytes(garbage=3, deflate=True)
    return data


def bare(data: bytes) -> float:
    started = time.perf_counter()
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for page in document:
            page.get_text()
        return document.page_count / (time.perf_counter() - started)


async def ours(parser: FileParser, data: bytes) -> float:
    started = time.perf_counter()
    document = await parser.load("long.pdf", data)
    headers = await in_thread(detect_by_rule, document, questions=True)
    await in_thread(build_tree, document, headers, solutions=True)
    return document.pages / (time.perf_counter() - started)


def prose(size: int) -> str:
    """Paragraphs of sentences, in all about `size` characters."""
    random, paragraphs, chars = Random(7), [], 0
    while chars < size:
        sentences = (" ".join(random.choices(WORDS, k=random.randint(6, 24))).capitalize() + "." for _ in range(5))
        paragraphs.append(" ".join(sentences))
        chars += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)


def peak_mb(folder: Path, text: str) -> float:
    """Peak resident memory of ingesting the text, in MB of a million bytes. Linux: `ru_maxrss` is in KiB."""
    path = folder / "text.txt"
    path.write_text(text, encoding="utf-8")
    command = [str(EDUMOD), "ingest", str(path), "--course", f"peak{len(text)}", "--source", "textbook"]
    settings = environment(EDUMOD_DATABASE_URL=f"sqlite+aiosqlite:///{folder / 'edumod.db'}")
    process = subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(
            f"Ingesting {len(text):,} characters failed with exit code {os.waitstatus_to_exitcode(status)}."
        )
    return usage.ru_maxrss * 1024 / 1e6


def show_memory() -> None:
    load_sample_course()
    with tempfile.TemporaryDirectory() as folder:
        small, large = peak_mb(Path(folder), "A few words."), peak_mb(Path(folder), prose(TEXT_BYTES))
    rows = [
        ("a few words", small, ""),
        ("5 MB of text", large, (large - small) / (TEXT_BYTES / 1e6)),
    ]
    show("Peak resident memory of `edumod ingest`", ("", "MB", "growth over size"), rows)


async def main() -> None:
    data = long_pdf()
    fast, floor = [], []
    async with WorkPool() as pool:
        parser = FileParser(pool, WorkLimits(120, 2048))
        await ours(parser, data)
        for _ in range(RUNS):
            floor.append(bare(data))
            fast.append(await ours(parser, data))
    ratio = median(one / other for one, other in zip(fast, floor, strict=True))
    rows = [
        ("parser process, headers and tree", median(fast), ratio),
        ("bare page.get_text()", median(floor), 1.0),
    ]
    show(f"Ingestion of a PDF of {PAGES}+ pages before embedding, {RUNS} runs", ("", "pages/s", "ratio"), rows)


if __name__ == "__main__":
    asyncio.run(main())
    show_memory()
