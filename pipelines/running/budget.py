"""Shortens the contents of a prompt to a number of characters: the best first, whole if possible.

A token is about four characters of English, and fewer of other scripts; budgets leave room for that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.llm.prompt import MAX_TEST_CHARS, MAX_TESTS
from core.llm.task import CallResult
from core.types import Message, Passage, Question

TAGS_CHARS = 200
"""Characters of the tags around one passage."""
MIN_CUT_CHARS = 600
"""A passage is left out if fewer characters of it would fit."""
QUESTION_SHARE = 0.4
"""Maximum share of a prompt's budget for the question with its code and thread."""
EXERCISE_SHARE = 0.1
"""The same for the text of an exercise, and for its solution."""
CUT = "\n[...]\n"

History = tuple[tuple[CallResult, ...], ...]


def fit_passages(passages: Iterable[Passage], chars: int) -> tuple[Passage, ...]:
    """The passages that fit, in order; one that does not fit is shortened if enough room is left, or left out."""
    kept: list[Passage] = []
    for passage in passages:
        room = chars - TAGS_CHARS
        if _size(passage) > room:
            if room < MIN_CUT_CHARS:
                continue
            passage = _cut_passage(passage, room)
        kept.append(passage)
        chars -= _size(passage) + TAGS_CHARS
    return tuple(kept)


def fit_history(history: Sequence[Sequence[CallResult]], chars: int) -> History:
    """All calls with the passages that fit, by rank over all calls; each passage with the call that ranked it best."""
    results = [result for round_ in history for result in round_]
    best: dict[str, tuple[int, int, Passage]] = {}
    for number, result in enumerate(results):
        for rank, passage in enumerate(result.passages):
            known = best.get(passage.block_id, (rank, number, passage))
            first, again = (known[2], passage) if known[0] <= rank else (passage, known[2])
            best[passage.block_id] = (*min(known[:2], (rank, number)), first.with_facts_of(again))
    ranked = sorted(best.values(), key=lambda one: one[:2])
    shown: dict[int, list[Passage]] = defaultdict(list)
    for passage in fit_passages((passage for _, _, passage in ranked), chars):
        shown[best[passage.block_id][1]].append(passage)
    fitted = iter([_showing(result, shown[number]) for number, result in enumerate(results)])
    return tuple(tuple(next(fitted) for _ in round_) for round_ in history)


def _showing(result: CallResult, passages: Sequence[Passage]) -> CallResult:
    left_out = len(result.passages) - len(passages)
    return result.model_copy(update={"passages": tuple(passages), "left_out": left_out})


def fit_question(question: Question, chars: int) -> Question:
    """The question; if too long, with shortened body, code and images, and only the latest messages that fit."""
    if question_size(question) <= chars:
        return question
    body = cut(question.body, chars // 2)
    code = cut(question.code, chars // 4) if question.code else question.code
    images = tuple(cut(text, chars // 4 // len(question.images) - TAGS_CHARS) for text in question.images)
    left = chars - len(body) - len(code or "") - sum(map(len, images)) - TAGS_CHARS * len(images)
    thread: list[Message] = []
    for message in reversed(question.thread):
        left -= len(message.body) + TAGS_CHARS
        if left < 0:
            break
        thread.append(message)
    return question.model_copy(update={"body": body, "code": code, "images": images, "thread": tuple(reversed(thread))})


def cut(text: str, chars: int) -> str:
    """The text, with its middle left out if it is longer than `chars`."""
    if len(text) <= chars:
        return text
    half = max(chars - len(CUT), 0) // 2
    return text[:half] + CUT + text[len(text) - half :]


def question_size(question: Question) -> int:
    """Characters a question takes in a prompt."""
    tagged = (*question.images, *(message.body for message in question.thread))
    tested = MAX_TEST_CHARS * min(len(question.tests), MAX_TESTS) if question.tests else 0
    own = sum(map(len, (question.title, question.body, question.code or "", *tagged)))
    return own + TAGS_CHARS * len(tagged) + tested


def _size(passage: Passage) -> int:
    return len(passage.text) + len(passage.solution)


def _cut_passage(passage: Passage, room: int) -> Passage:
    text = passage.text[: room if not passage.solution else max(room // 2, room - len(passage.solution))]
    return passage.model_copy(update={"text": text, "solution": passage.solution[: room - len(text)]})
