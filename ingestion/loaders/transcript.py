"""WebVTT and SubRip captions, cut into sections of about a minute, each headed by its time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import unescape

from core.errors import EmptyDocument, UnreadableDocument
from core.text.clock import clock
from core.text.lines import tidy
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import decode, title_from

SECTION_SECONDS = 60.0
"""A section ends at the first end of a sentence or pause behind this."""
MAX_SECTION_SECONDS = 90.0
PAUSE_SECONDS = 2.0
OVERLAP_SECONDS = 0.1
"""A caption that rolls begins this long behind the end of the one before, or earlier."""
MIN_ROLLING_WORDS = 3
"""A shorter beginning that is said again may be a speaker's own."""

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?$", re.ASCII)
_HEADER = re.compile(r"WEBVTT(?:[ \t]+[-–—:]*[ \t]*(.*))?$")
_OTHER_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]+)>")
_TAG = re.compile(r"</?(?:[cibuv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<[\d:.]+>|\{\\[^{}]*\}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…。！？][\"')\]»”]*$")


@dataclass(frozen=True, slots=True)
class Cue:
    """One caption. Times are seconds; `speaker` is empty where the format names none."""

    start: float
    end: float
    text: str
    speaker: str = ""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` where no line holds times, `EmptyDocument` where nothing is said."""
    decoded = decode(name, data)
    rows = decoded.text.split("\n")
    header = _HEADER.match(rows[0].strip())
    cues = list(_cues(rows, ends_at_blank=header is not None))
    if not cues:
        raise UnreadableDocument(
            f"{name}: no line holds times as in 00:01:02.000 --> 00:01:04.000. Export the captions again."
        )
    lines = tuple(_lines(_said_once(sorted(cues, key=lambda cue: cue.start))))
    if not lines:
        raise EmptyDocument(f"{name}: there are times in it, but no words.")
    title = title_from(name, header[1] if header else None)
    return LoadedDocument(title, lines, complete=True, warnings=decoded.warnings)


def _cues(rows: Iterable[str], *, ends_at_blank: bool) -> Iterator[Cue]:
    cue: Cue | None = None
    texts: list[str] = []
    is_late = False
    for row in rows:
        if timing := _TIMING.match(row):
            if cue:
                # SubRip numbers its captions on the line above the times.
                numbered = texts and (texts[-1].strip().isdecimal() or is_late)
                yield _with_words(cue, texts[:-1] if numbered else texts)
            cue, texts, is_late = _cue(timing), [], False
        elif cue and ends_at_blank and not row.strip():
            # Words may follow an empty line; comments and the next caption's name do not belong to them.
            is_late = not texts
            if texts:
                yield _with_words(cue, texts)
                cue = None
        elif cue and is_late and not texts and _OTHER_BLOCK.match(row):
            yield cue
            cue = None
        elif cue:
            texts.append(row)
    if cue:
        yield _with_words(cue, texts)


def _cue(timing: re.Match[str]) -> Cue:
    start, end = _seconds(timing.groups()[:4]), _seconds(timing.groups()[4:])
    return Cue(start, max(start, end), "")


def _seconds(groups: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = groups
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction or 0}")


def _with_words(cue: Cue, texts: list[str]) -> Cue:
    whole = "\n".join(texts)
    voice = _VOICE.search(whole)
    words = (" ".join(tidy(unescape(row)).split()) for row in _TAG.sub("", _VOICE.sub("", whole)).split("\n"))
    speaker = " ".join(tidy(unescape(voice[1])).split()) if voice else ""
    return replace(cue, text="\n".join(filter(None, words)), speaker=speaker)


def _said_once(cues: Iterable[Cue]) -> Iterator[Cue]:
    """The captions on one line each, without what the one before has on the screen still."""
    on_screen: list[str] = []
    last: Cue | None = None
    for cue in cues:
        rows = cue.text.split("\n") if cue.text else []
        fresh = rows
        if last and cue.start <= last.end + OVERLAP_SECONDS:
            while fresh and fresh[0] in on_screen:
                fresh = fresh[1:]
        elif not rows:
            continue
        text = " ".join(fresh)
        if last and fresh and _grows(last, cue, text):
            last = replace(last, end=max(last.end, cue.end), text=text)
        elif fresh:
            if last:
                yield last
            last = replace(cue, text=text)
        elif last:
            last = replace(last, end=max(last.end, cue.end))
        on_screen = rows or on_screen
    if last:
        yield last


def _grows(last: Cue, cue: Cue, text: str) -> bool:
    begun = text.startswith(f"{last.text} ") and len(last.text.split()) >= MIN_ROLLING_WORDS
    return begun and cue.start <= last.end + OVERLAP_SECONDS


def _lines(cues: Iterable[Cue]) -> Iterator[Line]:
    begun: float | None = None
    last: Cue | None = None
    for cue in cues:
        if begun is None or last is None or _ends_section(begun, last, cue):
            begun = cue.start
            # The blank line keeps the time out of the first sentence.
            yield from (Line(text, level=int(bool(text)), seconds=(begun, begun)) for text in (clock(begun), ""))
        names = cue.speaker and (last is None or cue.speaker != last.speaker)
        yield Line(f"{cue.speaker}: {cue.text}" if names else cue.text, seconds=(cue.start, cue.end))
        last = cue


def _ends_section(begun: float, last: Cue, cue: Cue) -> bool:
    if cue.start - begun >= MAX_SECTION_SECONDS:
        return True
    rests = cue.start - last.end >= PAUSE_SECONDS or _SENTENCE_END.search(last.text)
    return cue.start - begun >= SECTION_SECONDS and bool(rests)
