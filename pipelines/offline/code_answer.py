"""The answer to a question about code that is made of findings alone, in fixed sentences, which say so.

It points at a line, names the concept with its passage in the textbook, and asks the next question. Nothing of the
official solution is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.code import CodeTest
from core.types import Passage, Question, Source
from pipelines.code.catalogue import entries, told
from pipelines.code.findings import Finding
from pipelines.code.inspector import CodeReport
from pipelines.offline.candidates import Candidate, by_worth, read_candidates, term_weights
from pipelines.offline.posts import read_post
from pipelines.offline.quoting import Quotable, Quote
from pipelines.tasks import Quoted, Statement, WriteAnswer, WrittenAnswer
from pipelines.tasks.writing import STUDENT

MAX_VALUE_CHARS = 80
MIN_MEANING = 0.3
"""Similarity to the concept from which a passage is shown for it."""
SURE = 0.85
"""Confidence in the surest finding."""


@dataclass(frozen=True)
class Frame:
    """The sentences around a finding, in one language."""

    preface: str
    test: str
    concept: str
    next: str


FRAMES = {
    "en": Frame(
        "*Worked out from your code and the course material; not written by a model.*",
        "The test `{name}` expects `{expected}` and gets `{got}`.",
        "The idea behind it, from {location}:",
        "To find it yourself: {ask}",
    ),
    "nl": Frame(
        "*Afgeleid uit je code en het cursusmateriaal; niet door een model geschreven.*",
        "De test `{name}` verwacht `{expected}` en krijgt `{got}`.",
        "Het idee erachter, uit {location}:",
        "Om het zelf te vinden: {ask}",
    ),
}


def write_code_answer(task: WriteAnswer, report: CodeReport) -> WrittenAnswer:
    """The likeliest finding as an answer. The report has at least one."""
    finding = report.findings[0]
    statements = [Statement(text=f"{FRAMES[report.language].preface}\n"), *_statements(task, finding, report.language)]
    confidence = round(SURE * min(finding.weight, 1.0), 3)
    return WrittenAnswer(status="answered", statements=tuple(statements), confidence=confidence)


def _statements(task: WriteAnswer, finding: Finding, language: str) -> Iterator[Statement]:
    frame, sentences = FRAMES[language], told(finding, language)
    own = (Quoted(passage=STUDENT, quote=_around(task.question, finding.line)),)
    yield Statement(text=f"**{sentences.summary}**\n", sources=own)
    if test := _first_failing(task.question.tests):
        values = {"name": _short(test.name), "expected": _short(test.expected), "got": _short(test.got)}
        yield Statement(text=f"{frame.test.format(**values)}\n", sources=own)
    if found := _concept(task.passages, entries()[finding.mistake].topic):
        candidate, quote = found
        shown = "\n".join(f"> {line}".rstrip() for line in quote.shown.split("\n"))
        place = f"**{candidate.passage.location}** [{candidate.number}]"
        source = Quoted(passage=candidate.number, quote=quote.text)
        yield Statement(text=f"{frame.concept.format(location=place)}\n\n{shown}\n", sources=(source,))
    yield Statement(text=frame.next.format(ask=sentences.ask), sources=own)


def _around(question: Question, line: int) -> str:
    """The line in the student's code, with the next ones if it is too short to be a quote."""
    lines = (question.code or "").splitlines()
    after = lines[line - 1 : line + 2]
    before = lines[max(line - 3, 0) : line]
    return "\n".join(after if len(" ".join(after)) >= len(" ".join(before)) else before)


def _first_failing(tests: Sequence[CodeTest]) -> CodeTest | None:
    """The first test that failed by its result, with both values."""
    told = (one for one in tests if not one.accepted and one.expected is not None and one.got)
    return next((one for one in told if one.expected != one.got), None)


def _short(text: str | None) -> str:
    plain = " ".join((text or "").replace("`", "'").split())
    return plain if len(plain) <= MAX_VALUE_CHARS else f"{plain[: MAX_VALUE_CHARS - 1]}…"


def _concept(passages: Sequence[Passage], topic: str) -> tuple[Candidate, Quote] | None:
    """The passage of the textbook that explains the concept best, and what to show of it."""
    post = read_post(Question(body=topic))
    books = [one for one in read_candidates(post, passages) if one.passage.source is Source.TEXTBOOK]
    weights = term_weights(post.terms, books)
    for candidate in by_worth(post, books, weights)[:1]:
        if candidate.meaning >= MIN_MEANING and (quote := Quotable(candidate).step(weights)):
            return candidate, quote
    return None
