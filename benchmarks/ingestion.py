"""Pages per second of ingestion before embedding, against bare PyMuPDF text extraction of the same file."""

from __future__ import annotations

import asyncio
import time
from statistics import median

import pymupdf

from benchmarks.harness import ROOT, show
from core.concurrency import in_thread
from ingestion.headers import detect_by_rule
from ingestion.sandbox import ParserPool
from ingestion.tree import build_tree

RUNS = 5
PAGES = 600


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


async def ours(pool: ParserPool, data: bytes) -> float:
    started = time.perf_counter()
    document = await pool.load("long.pdf", data)
    headers = await in_thread(detect_by_rule, document, questions=True)
    await in_thread(build_tree, document, headers, solutions=True)
    return document.pages / (time.perf_counter() - started)


async def main() -> None:
    data = long_pdf()
    fast, floor = [], []
    async with ParserPool(120, 2048) as pool:
        await ours(pool, data)
        for _ in range(RUNS):
            floor.append(bare(data))
            fast.append(await ours(pool, data))
    ratio = median(one / other for one, other in zip(fast, floor, strict=True))
    rows = [
        ("parser process, headers and tree", median(fast), ratio),
        ("bare page.get_text()", median(floor), 1.0),
    ]
    show(f"Ingestion of a PDF of {PAGES}+ pages before embedding, {RUNS} runs", ("", "pages/s", "ratio"), rows)


if __name__ == "__main__":
    asyncio.run(main())
