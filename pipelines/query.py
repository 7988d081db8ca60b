"""From a student's question to the words to search for."""

from __future__ import annotations

import re

from core.text.fences import code_blocks, markdown_lines
from core.types import Question
from retrievers.names import read_names

MAX_QUERY_WORDS = 60
MAX_SEEN_WORDS = 25
"""Words of a query that images and code may give."""
FEW_WORDS = 12
"""A question of fewer words leaves it to its images to say what it is about."""
_ERROR = re.compile(r"\s*\w*(Error|Exception|Warning)\b")
_ERROR_INSIDE = re.compile(r"^\W*([\w.]*(?:Error|Exception|Warning)\b.*)", re.MULTILINE)


def search_query(question: Question) -> str:
    """The question as a search query, at most 60 words.

    Code and traceback lines are left out but the error's own line. A category that tells which homework is meant comes
    first. Images and code add theirs; where no image shows an error and the question says little itself, their first
    words.
    """
    asked = asked_text(question)
    words = [*_work(asked, question.category or ""), *(" ".join(_lines(asked)).split() or asked.split())]
    seen = _seen(question, words)
    return " ".join([*words[: MAX_QUERY_WORDS - len(seen)], *seen])


def asked_text(question: Question) -> str:
    """What is asked now: title and question, or under the title what students wrote since staff last answered."""
    later = _since_staff(question)
    if not later:
        return question.text
    return "\n\n".join(filter(None, [question.title if _is_answered(question) else question.text, *later]))


def last_words(question: Question) -> tuple[str, str]:
    """The title, and the body; of a follow-up no title, and what students wrote since staff last answered."""
    later = _since_staff(question)
    return ("", "\n\n".join(later)) if later and _is_answered(question) else (question.title, question.body)


def _is_answered(question: Question) -> bool:
    return any(message.role.is_staff for message in question.thread)


def _since_staff(question: Question) -> list[str]:
    staff = [number for number, message in enumerate(question.thread, 1) if message.role.is_staff]
    return [message.body for message in question.thread[staff[-1] if staff else 0 :]]


def _work(asked: str, category: str) -> list[str]:
    """The category ("Homework 3") where the text names a question and leaves it to the category in which work."""
    names = read_names(asked)
    is_meant = names.questions and not names.known_works and read_names(category).known_works
    return category.split() if is_meant else []


def _lines(text: str) -> list[str]:
    kept: list[str] = []
    blocks = code_blocks(text)
    fences = {line for block in blocks for line in block.fences}
    # A fence that is never closed hides nothing.
    code = {line for block in blocks if block.is_closed for line in block.lines}
    traceback = False
    for number, line in enumerate(markdown_lines(text)):
        if number in fences:
            continue
        if line.startswith("Traceback "):
            traceback = True
        elif _ERROR.match(line):
            kept.append(line.strip())
            traceback = False
        elif not (traceback or number in code):
            kept.append(line.strip())
    return kept


def _seen(question: Question, words: list[str]) -> list[str]:
    """The words of images and code that belong into the query."""
    texts = "\n".join(question.images)
    errors = dict.fromkeys(_ERROR_INSIDE.findall(f"{question.code or ''}\n{texts}"))
    shown = " ".join(errors) or (texts if len(words) < FEW_WORDS else "")
    return shown.split()[:MAX_SEEN_WORDS]
