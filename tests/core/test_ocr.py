"""Tesseract itself reads pictures drawn here."""

from __future__ import annotations

import asyncio
import os
import time
from io import BytesIO
from pathlib import Path

import pytest
import uvloop
from PIL import Image

from core.errors import UnreadableImage
from core.ocr import OcrText, find_tesseract, read_text
from pipelines.images.pictures import for_ocr
from tests.pipelines.images.drawing import drawn

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
    read = await read_text(tesseract, for_ocr(drawn(ink=ink, ground=ground), PIXELS), ["en"], 20)
    assert 0.6 < read.confidence <= 1
    assert "Traceback (most recent call last)" in read.text
    assert "KeyError: " in read.text


async def test_a_language_without_a_model_is_left_out(tesseract: str) -> None:
    read = await read_text(tesseract, for_ocr(drawn("Homework three"), PIXELS), ["xx-YY", "vi", "en"], 20)
    assert read.text.strip() == "Homework three"


async def test_an_installed_language_is_used_along_with_english(tmp_path: Path) -> None:
    row = "'" + "5\\t" + "1\\t" * 9 + "90\\t%s\\n'"
    fake = program(tmp_path, f"[ $1 = --list-langs ] && echo deu eng spa || {{ cat > /dev/null; printf {row} $4; }}")
    assert await read_text(fake, b"", ["de-CH", "fr", "en"], 20) == OcrText("eng+deu", 0.9)


async def test_what_only_looks_like_letters_is_left_out(tesseract: str) -> None:
    blobs = Image.effect_noise((80, 60), 90).resize((1200, 900))
    file = BytesIO()
    blobs.save(file, "PNG")
    assert len((await read_text(tesseract, for_ocr(file.getvalue(), PIXELS), [], 60)).text) < 20


async def test_a_program_that_hangs_is_stopped(tmp_path: Path) -> None:
    started = time.perf_counter()
    with pytest.raises(UnreadableImage, match="did not finish within 1 seconds"):
        await read_text(program(tmp_path, "exec sleep 60"), b"", [], 1)
    assert time.perf_counter() - started < 40


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


ENDS = {
    "before it was given anything": "echo no model >&2; exit 1",
    "in the middle": "[ $1 = --list-langs ] && exit; head -c 1000 > /dev/null; echo no model >&2; exit 1",
}


@pytest.mark.parametrize("lines", ENDS.values(), ids=ENDS)
def test_a_program_that_ends_early_is_named_with_its_words_on_the_servers_event_loop(
    tmp_path: Path, lines: str
) -> None:
    fake = program(tmp_path, lines)

    async def read() -> list[OcrText | BaseException]:
        readings = (read_text(fake, b"x" * 500_000, [], 20) for _ in range(16))
        return await asyncio.gather(*readings, return_exceptions=True)

    assert {repr(error) for error in uvloop.run(read())} == {repr(UnreadableImage("tesseract failed (no model)"))}


def test_a_large_picture_reaches_the_program_whole_on_the_servers_event_loop(tmp_path: Path) -> None:
    row = "'" + "5\\t" + "1\\t" * 9 + "90\\t%s\\n'"
    fake = program(tmp_path, f"[ $1 = --list-langs ] && exit; sleep 0.1; printf {row} $(wc -c)")
    assert uvloop.run(read_text(fake, b"x" * 5_000_000, [], 20)).text == "5000000"


async def test_the_languages_are_asked_for_once(tmp_path: Path) -> None:
    fake = program(tmp_path, f"[ $1 = --list-langs ] && echo asked >> {tmp_path}/log; cat > /dev/null")
    for _ in range(3):
        await read_text(fake, b"", [], 20)
    assert (tmp_path / "log").read_text() == "asked\n"
