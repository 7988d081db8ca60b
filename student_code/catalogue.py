"""What is said of each mistake, by language, and the concept behind it: the entries of `catalogue.yaml`.

To add a language, add its sentences to every entry and to `FRAMES`, and its name to `LANGUAGES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from core.code import CodeIssue, IssueKind
from student_code.findings import Finding

CATALOGUE = Path(__file__).with_name("catalogue.yaml")
ENGLISH = "en"
LANGUAGES = (ENGLISH, "nl")
MAX_WORD_CHARS = 120


@dataclass(frozen=True)
class Sentences:
    """What is wrong, and the question that leads on."""

    summary: str
    ask: str


@dataclass(frozen=True)
class Entry:
    """One mistake. `topic` are words that find its concept in a textbook."""

    kind: IssueKind
    topic: str
    sentences: Mapping[str, Sentences]


@cache
def entries() -> Mapping[str, Entry]:
    """The catalogue by the names of mistakes."""
    read = yaml.safe_load(CATALOGUE.read_text(encoding="utf-8"))
    return {
        name: Entry(
            IssueKind(one["kind"]), one["topic"], {language: Sentences(**one[language]) for language in LANGUAGES}
        )
        for name, one in read.items()
    }


def kind_of(mistake: str) -> IssueKind:
    """The kind of a mistake of the catalogue."""
    return entries()[mistake].kind


def told(finding: Finding, language: str = ENGLISH) -> Sentences:
    """The sentences about a finding, with its line and the student's own names in them."""
    sentences = entries()[finding.mistake].sentences[language]
    words = {name: _short(word) for name, word in finding.words.items()} | {"line": str(finding.line)}
    return Sentences(sentences.summary.format(**words), sentences.ask.format(**words))


def _short(word: str) -> str:
    """One line without the signs that would end inline code."""
    plain = " ".join(word.replace("`", "'").split())
    return plain if len(plain) <= MAX_WORD_CHARS else f"{plain[: MAX_WORD_CHARS - 1]}…"


def issue_of(finding: Finding, language: str = ENGLISH) -> CodeIssue:
    """The finding as it is told to people."""
    return CodeIssue(
        line=finding.line,
        kind=kind_of(finding.mistake),
        summary=told(finding, language).summary,
        confidence=round(finding.confidence, 2),
        waits=finding.waits,
    )
