"""Tesseract itself reads pictures drawn here."""

from __future__ import annotations

import asyncio
import os
import time
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from core.errors import UnreadableImage
from pipelines.ocr import find_tesseract, read_text
from pipelines.pictures import for_ocr
from tests.pipelines.images import drawn

PIXELS = 25_000_000


@pytest.fixture
def tesseract() -> str:
    program = find_tesseract()
    if program is None:
        pytest.skip("tesseract is not installed")
    return program


def program(folder: Path, lines: str) -> str:
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(("ink", "ground"), [("black", "white"), ("#dddddd", "#1e1e1e")], ids=["light", "dark"])
async def test_a_screenshot_of_a_terminal_is_read(tesseract: str, ink: str, ground: str) -> None:
    text = await read_text(tesseract, for_ocr(drawn(ink=ink, ground=ground), PIXELS), ["en"], 20)
    assert "Traceback (most recent call last)" in text
    assert "KeyError: " in text


async def test_a_language_without_a_model_is_left_out(tesseract: str) -> None:
    text = await read_text(tesseract, for_ocr(drawn("Homework three"), PIXELS), ["xx-YY", "vi", "en"], 20)
    assert text.strip() == "Homework three"


async def test_an_installed_language_is_used_along_with_english(tmp_path: Path) -> None:
    row = "'" + "5\\t" + "1\\t" * 9 + "90\\t%s\\n'"
    fake = program(tmp_path, f"[ $1 = --list-langs ] && echo deu eng spa || {{ cat > /dev/null; printf {row} $4; }}")
    assert await read_text(fake, b"", ["de-CH", "fr", "en"], 20) == "eng+deu"


async def test_what_only_looks_like_letters_is_left_out(tesseract: str) -> None:
    blobs = Image.effect_noise((80, 60), 90).resize((1200, 900))
    file = BytesIO()
    blobs.save(file, "PNG")
    assert len(await read_text(tesseract, for_ocr(file.getvalue(), PIXELS), [], 60)) < 20


async def test_a_program_that_hangs_is_stopped(tmp_path: Path) -> None:
    started = time.perf_counter()
    with pytest.raises(UnreadableImage, match="not done within 1 seconds"):
        await read_text(program(tmp_path, "exec sleep 60"), b"", [], 1)
    assert time.perf_counter() - started < 10


async def test_a_cancelled_reading_leaves_no_process_behind(tmp_path: Path) -> None:
    reading = asyncio.create_task(read_text(program(tmp_path, f"echo $$ > {tmp_path}/pid; exec sleep 60"), b"", [], 60))
    number = await asyncio.to_thread(written_to, tmp_path / "pid")
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def written_to(path: Path) -> int:
    while not path.exists() or not path.read_text():
        time.sleep(0.01)
    return int(path.read_text())


async def test_a_failing_program_is_named_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match=r"tesseract failed \(no model\)"):
        await read_text(program(tmp_path, "echo no model >&2; exit 1"), b"", [], 20)
    with pytest.raises(UnreadableImage, match="cannot be run"):
        await read_text(str(tmp_path / "gone"), b"", [], 20)
