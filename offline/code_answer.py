"""The answer to a question about code that is made of findings alone, in fixed sentences, which say so.

It points at a line, names the concept with its passage in the textbook, and asks the next question; where no finding is
sure enough it only asks the question. Nothing of the official solution is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.code import CodeTest
from core.types import Question, Source
from offline.candidates import Candidate, by_worth, coverage, read_candidates, term_weights
from offline.quoting import Quotable, Quote
from posts.parts import read_post
from student_code.catalogue import entries, told
from student_code.findings import Finding
from student_code.inspector import CodeReport
from tasks import Quoted, Statement, WriteAnswer, WrittenAnswer
from tasks.writing import STUDENT

MAX_VALUE_CHARS = 80
MIN_FIT = 0.6
"""Sum of a passage's similarity to the concept and of the share of its words from which it is shown."""


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
    statements = [Statement(text=f"{FRAMES[report.language].preface}\n"), *_statements(task, report)]
    return WrittenAnswer(status="answered", statements=tuple(statements), confidence=finding.confidence)


def _statements(task: WriteAnswer, report: CodeReport) -> Iterator[Statement]:
    finding = report.findings[0]
    frame, sentences = FRAMES[report.language], told(_next_question(finding, task.question.tests), report.language)
    own = (Quoted(passage=STUDENT, quote=_around(task.question, 1 if finding.waits else finding.line)),)
    if not finding.waits:
        yield Statement(text=f"**{sentences.summary}**\n", sources=own)
    if test := _first_failing(task.question.tests):
        values = {"name": _short(test.name), "expected": _short(test.expected), "got": _short(test.got)}
        yield Statement(text=f"{frame.test.format(**values)}\n", sources=own)
    if not finding.waits and (found := _concept(task, report, entries()[finding.mistake].topic)):
        candidate, quote = found
        shown = "\n".join(f"> {line}".rstrip() for line in quote.shown.split("\n"))
        place = f"**{candidate.passage.location}** [{candidate.number}]"
        source = Quoted(passage=candidate.number, quote=quote.text)
        yield Statement(text=f"{frame.concept.format(location=place)}\n\n{shown}\n", sources=(source,))
    yield Statement(text=frame.next.format(ask=sentences.ask), sources=own)


def _next_question(finding: Finding, tests: Sequence[CodeTest]) -> Finding:
    """The finding to take the question from: one that names no mistake where this one is not sure enough."""
    if not finding.waits or finding.basis == "guess":
        return finding
    return replace(finding, mistake="trace_by_hand" if all(one.accepted for one in tests) else "result_differs")


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


def _concept(task: WriteAnswer, report: CodeReport, topic: str) -> tuple[Candidate, Quote] | None:
    """The passage of the textbook that explains the concept best, and what to show of it."""
    post = read_post(Question(body=topic))
    shown = {one.block_id: number for number, one in enumerate(task.passages, 1)}
    # The texts are those that the writer was given, which may be cut; how well they match is the concept's search.
    books = [
        task.passages[shown[one.block_id] - 1].model_copy(update={"match": one.match})
        for one in report.concept
        if one.block_id in shown and one.source is Source.TEXTBOOK
    ]
    candidates = read_candidates(post, books)
    weights = term_weights(post.terms, candidates)
    for one in by_worth(post, candidates, weights)[:1]:
        fits = one.meaning + coverage(one.all_terms, weights) >= MIN_FIT
        if fits and (quote := Quotable(one).paragraph(weights)):
            return replace(one, number=shown[one.passage.block_id]), quote
    return None
