"""What kind of material a file is, where nobody says it: by the names of its folders and its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from core.types import Source
from ingestion.files import Discovery
from ingestion.naming.names import read_part

THREADS = ".jsonl"
_WORDS = {
    Source.ASSIGNMENT: re.compile(
        r"assignment|homework|problem.?set|exercise|practice|worksheet|midterm|quiz"
        r"|(?<![a-z])(?:hw|ps|pset|lab|proj|project|exam)s?[ _-]?\d*(?![a-z])",
        re.IGNORECASE,
    ),
    Source.LOGISTICS: re.compile(
        r"syllab|logistics|polic(?:y|ies)|schedule|calendar|office.hours|announce|grading", re.IGNORECASE
    ),
    Source.TEXTBOOK: re.compile(r"textbook|lecture|reading|slides|notes|chapter", re.IGNORECASE),
}


def source_by_name(name: str) -> Source:
    """By the first of the folders, or the name itself, that says it; else a solution is an assignment's, and what is
    left is to be read."""
    return _source_by_parts(PurePosixPath(name).parts)


def source_in_folder(name: str) -> Source:
    """The same, where the outermost folder is what was handed over: it counts last."""
    given, *inner = PurePosixPath(name).parts
    return _source_by_parts((*inner, given))


def _source_by_parts(parts: Sequence[str]) -> Source:
    if any(part.lower().endswith(THREADS) for part in parts):
        return Source.QA
    for part in parts:
        for source, words in _WORDS.items():
            if words.search(part):
                return source
    return Source.ASSIGNMENT if any(read_part(part) for part in parts) else Source.TEXTBOOK


def divide(discovery: Discovery, known: Mapping[str, Source]) -> list[tuple[Source, Discovery]]:
    """The files of each kind; `known` are the kinds of the course's documents, which stay what they are.

    What was skipped is told once, with the first kind.
    """
    sources = {file.name: known.get(file.name) or source_in_folder(file.name) for file in discovery.files}
    parts: list[tuple[Source, Discovery]] = []
    for source in dict.fromkeys(sources.values()):
        files = tuple(file for file in discovery.files if sources[file.name] is source)
        parts.append((source, replace(discovery, files=files, skipped=() if parts else discovery.skipped)))
    return parts
