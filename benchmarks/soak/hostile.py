"""Clients beside the bots that mean harm: texts of repeated fragments in every field, and files that unpack to much."""

from __future__ import annotations

import asyncio
import base64
import io
import itertools
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp

from benchmarks.pumped import CHARS, FIELDS, FRAGMENTS

REQUEST_SECONDS = 60.0
SOUND = frozenset({200, 400, 409, 413, 422, 429, 502, 503, 504})
"""Statuses that refuse or answer, in good order."""
UNPACKED_MB = 64
PAUSE_SECONDS = 0.2
Request = tuple[str, Mapping[str, Any]]


def requests() -> Iterator[Request]:
    """Without an end: each fragment in the next field, and after every few of them a file."""
    files = itertools.cycle([("work.docx", packed_document()), ("work.pdf", nested_forms())])
    fields = itertools.cycle([field for name, field in FIELDS.items() if name != "ordinary"])
    for number, fragment in enumerate(itertools.cycle(FRAGMENTS)):
        path, build = next(fields)
        yield path, build((fragment * (CHARS // len(fragment) + 1))[:CHARS])
        if number % 5 == 0:
            name, data = next(files)
            yield "/feedback", submission(name, data)


def submission(name: str, data: bytes) -> Mapping[str, Any]:
    """Homework as a file."""
    file = {"name": name, "data": base64.b64encode(data).decode()}
    return {"course": "ds101", "assignment": "hw1", "question": "1a", "submission": file}


def packed_document() -> bytes:
    """A small .docx whose text is `UNPACKED_MB` large."""
    paragraph = b"<w:p><w:r><w:t>a</w:t></w:r></w:p>"
    text = paragraph * (UNPACKED_MB * 2**20 // len(paragraph))
    space = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = b'<?xml version="1.0"?><w:document xmlns:w="%s"><w:body>%s</w:body></w:document>' % (space, text)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document)
    return packed.getvalue()


def nested_forms(depth: int = 12, width: int = 8) -> bytes:
    """A PDF of a few kB, each of whose forms draws the next one several times."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
        b" /Resources << /XObject << /F 5 0 R >> >> >>",
        b"<< /Length 5 >> stream\n/F Do\nendstream",
    ]
    for number in range(depth):
        drawn = b"/F Do " * width if number < depth - 1 else b"0 0 9 9 re f "
        below = b"/XObject << /F %d 0 R >>" % (len(objects) + 2) if number < depth - 1 else b""
        head = b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << %s >> /Length %d >>"
        objects.append(head % (below, len(drawn)) + b" stream\n" + drawn + b"\nendstream")
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, text) for number, text in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer << /Root 1 0 R >>\n%%EOF"


async def attack(address: str, clients: int, seconds: float, statuses: Counter[int]) -> None:
    """Send hostile requests for that long. Counts the statuses, 0 for a connection that was lost."""
    end, waiting = time.monotonic() + seconds, requests()
    timeout = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
    async with aiohttp.ClientSession(address, timeout=timeout) as session:

        async def client() -> None:
            while time.monotonic() < end:
                path, body = next(waiting)
                statuses[await _send(session, path, body)] += 1
                await asyncio.sleep(PAUSE_SECONDS)

        await asyncio.gather(*(client() for _ in range(clients)))


async def _send(session: aiohttp.ClientSession, path: str, body: Mapping[str, Any]) -> int:
    try:
        async with session.post(path, json=body) as response:
            await response.read()
            return response.status
    except (aiohttp.ClientError, TimeoutError, OSError):
        return 0
