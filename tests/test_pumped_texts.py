"""The work on a text grows in proportion to it, whatever is repeated in it.

Processor time is compared with that of half the text, so that the speed of the machine does not matter. How long others
wait meanwhile is measured by `benchmarks.pumped`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from app.web.markdown import markdown
from benchmarks.pumped import FRAGMENTS
from core.privacy.masks import Detector, masked
from core.privacy.names import KnownPerson
from core.text.changes import changes, missing
from core.text.html import html_text
from core.text.posts import read_post
from core.text.strikes import without_struck
from core.types import Passage, Position, Question, Source, Visibility
from offline.phrases import phrases_for
from offline.router import sentences
from pipelines.running.briefing import brief_for
from posts import intents, parts
from posts.query import search_query
from retrievers.tokens import tokenize
from safeguards.checks import DEFAULT_WRITING, Checks, checked
from safeguards.statements import Examined
from student_code.inspector import code_work
from tasks import Quoted, Statement, WrittenAnswer

CHARS = 8_000
LITTLE = 0.25
"""Seconds of processor time that need no comparison: two and a half times the characters take a second or two even
where time grows with their square."""
MAX_GROWTH = 3.0
"""Of the time from half the text to all of it: in proportion it doubles, with the square it is four times as long."""
ATTEMPTS = 4

PEOPLE = tuple(
    KnownPerson(name=name, aliases=("aa11", "a b")) for name in ("Jane Doe", "Will Smith", "A. A. Aa", "11 a")
)
TASK = Passage(
    block_id="b", document_id="d", document="hw1.md", title="Homework 1", source=Source.ASSIGNMENT, label="1a",
    visibility=Visibility.STUDENT, heading_path=("Homework 1",), text="Question 1a. Compute the speed of a stone.",
    position=Position(start=0, end=10), score=1.0,
)  # fmt: skip


def read_question(text: str) -> None:
    question = Question(title=text[:500], body=text, images=(text[:500],))
    parts.read_post(question)
    search_query(question)
    brief_for(question, [TASK])
    sentences(question)
    phrases_for(question, None)
    tokenize(text)


def read_intents(text: str) -> None:
    intents.wants_nothing("", text, 0.7)
    intents.is_about_wording(text)
    intents.is_stuck(text)
    for cue in intents.CUES.values():
        cue.search(text)


def read_code(text: str) -> None:
    code_work(Question(body=text, code=text))
    read_post("x", text)


def mask(text: str) -> None:
    question, masks = masked(Question(title=text[:500], body=text), Detector.of(PEOPLE, r"\b\d{7}\b"))
    masks.restore(question.body)


def check_answer(text: str) -> None:
    statement = Statement(text=text, sources=(Quoted(passage=1, quote="Compute the speed"),))
    written = WrittenAnswer(status="answered", statements=(statement,), confidence=0.5)
    checked(Examined(written, [TASK], Question(body=text)), Checks(Question(body=text), [TASK]), DEFAULT_WRITING)


def edit(text: str) -> None:
    edited = f"{text[: len(text) // 2]} x {text[len(text) // 2 :]}"
    changes(text, edited)
    missing(text, edited)
    without_struck(text, {2}, edited)


WORK: dict[str, Callable[[str], object]] = {
    "a question is read": read_question,
    "its intent is read": read_intents,
    "its code is read": read_code,
    "its personal data is masked": mask,
    "an answer is checked": check_answer,
    "an answer is shown": markdown,
    "HTML is read": html_text,
    "an edit is compared": edit,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_time_grows_in_proportion_to_the_text(name: str) -> None:
    assert len(FRAGMENTS) >= 200
    work = WORK[name]
    work("Why is that so? ")  # What is prepared once does not count.
    assert not [fragment for fragment in FRAGMENTS if not _is_in_proportion(work, fragment)]


def _is_in_proportion(work: Callable[[str], object], fragment: str) -> bool:
    whole, half = _pumped(fragment, CHARS), _pumped(fragment, CHARS // 2)
    if (seconds := _seconds(work, whole)) <= LITTLE:
        return True
    ratios = [seconds / _seconds(work, half)]
    while ratios[-1] > MAX_GROWTH and len(ratios) < ATTEMPTS:
        ratios.append(_seconds(work, whole) / _seconds(work, half))
    return ratios[-1] <= MAX_GROWTH


def _pumped(fragment: str, chars: int) -> str:
    """Repeated, between what it does not begin and end with."""
    return f"x{fragment * (chars // len(fragment))}@"


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    work(text)
    return time.process_time() - begun
