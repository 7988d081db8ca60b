"""Reads the text of an image with the program tesseract, if it is installed."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean

from core.errors import UnreadableImage

log = logging.getLogger("edumod")

ENGLISH = "eng"
ONE_BLOCK = "6"
"""Page segmentation that keeps lines whole; the default mistakes aligned code for columns and drops words."""
WORD, COLUMNS = "5", 12
"""The level of words in tesseract's table, and its number of columns: ..., confidence in percent, text."""
MIN_CONFIDENCE = 45
"""Minimum mean confidence in percent: on a photo without text, tesseract reports many words of low confidence."""
LANGUAGES = {
    "ar": ("ara",), "cs": ("ces",), "da": ("dan",), "de": ("deu",), "el": ("ell",), "es": ("spa",), "fi": ("fin",),
    "fr": ("fra",), "he": ("heb",), "hi": ("hin",), "hu": ("hun",), "it": ("ita",), "ja": ("jpn",), "ko": ("kor",),
    "nl": ("nld",), "no": ("nor",), "pl": ("pol",), "pt": ("por",), "ro": ("ron",), "ru": ("rus",), "sv": ("swe",),
    "tr": ("tur",), "uk": ("ukr",), "vi": ("vie",), "zh": ("chi_sim", "chi_tra"),
}  # fmt: skip
"""Tesseract's names of languages by BCP 47 tag; English is always included, since errors and code are in English."""
_installed: dict[str, frozenset[str]] = {}
"""Languages of each program, read once: an installation changes while the service is down."""


def find_tesseract() -> str | None:
    """The path of the program, or None if it is not installed."""
    return shutil.which("tesseract")


@dataclass(frozen=True)
class OcrText:
    """What was read, line by line, and the mean confidence of its words from 0 to 1."""

    text: str
    confidence: float = 0.0


async def read_text(program: str, image: bytes, languages: Iterable[str], seconds: float) -> OcrText:
    """The text in an image file.

    `languages` are BCP 47 tags; those without an installed model are ignored. Raises `UnreadableImage` if the program
    fails or takes longer than `seconds`; it is stopped then, and also if the caller is cancelled.
    """
    try:
        async with asyncio.timeout(seconds):
            names = _names(languages, await _languages(program))
            options = ("-l", "+".join(names), "--psm", ONE_BLOCK, "tsv")
            return _confident(await _run(program, image, "stdin", "stdout", *options))
    except TimeoutError:
        raise UnreadableImage(f"tesseract did not finish within {seconds:.0f} seconds") from None
    except OSError as error:
        log.warning("tesseract cannot be run: %s", error)
        raise UnreadableImage("tesseract cannot be run") from error


async def _languages(program: str) -> frozenset[str]:
    if program not in _installed:
        _installed[program] = frozenset((await _run(program, None, "--list-langs")).split())
    return _installed[program]


def _names(languages: Iterable[str], installed: frozenset[str]) -> list[str]:
    wanted = [name for tag in languages for name in LANGUAGES.get(tag.split("-")[0].lower(), ())]
    return [ENGLISH, *dict.fromkeys(name for name in wanted if name in installed)]


def _confident(table: str) -> OcrText:
    """The lines of tesseract's table of words; no text if their mean confidence is too low."""
    lines: dict[tuple[str, ...], list[str]] = defaultdict(list)
    percents: list[float] = []
    for row in table.splitlines():
        columns = row.split("\t")
        if len(columns) == COLUMNS and columns[0] == WORD:
            lines[tuple(columns[1:5])].append(columns[-1])
            percents.append(float(columns[-2]))
    confidence = fmean(percents or [0.0])
    text = "\n".join(map(" ".join, lines.values())) if confidence >= MIN_CONFIDENCE else ""
    return OcrText(text, round(confidence / 100, 2))


async def _run(program: str, given: bytes | None, *arguments: str) -> str:
    # One thread each: the service limits concurrent processes, and more threads hardly speed up one image.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    stdin = DEVNULL if given is None else PIPE
    process = await asyncio.create_subprocess_exec(
        program, *arguments, stdin=stdin, stdout=PIPE, stderr=PIPE, env=environment
    )
    try:
        _give(process, given)
        written, problem = await process.communicate()
    finally:
        await _end(process)
    if process.returncode:
        raise UnreadableImage(f"tesseract failed ({problem.decode(errors='replace').strip()[-200:]})")
    return written.decode(errors="replace")


def _give(process: Process, given: bytes | None) -> None:
    if process.stdin and given is not None:
        # A program that ended before it read everything reports why; uvloop would raise another error.
        with suppress(RuntimeError):
            process.stdin.write(given)
        process.stdin.close()


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()
