"""Turns a student's question into a search query."""

from __future__ import annotations

import re

from core.text.fences import code_blocks, markdown_lines
from core.types import Question
from retrievers.names import read_names

MAX_QUERY_WORDS = 60
MAX_ATTACHED_WORDS = 25
"""Maximum words of a query from images and code."""
FEW_WORDS = 12
"""For a question of fewer words, the words of its images are added to the query."""
_ERROR = re.compile(r"\s*(?:[\w.]*(?:Error|Exception|Warning)\b|(?:[a-z_]\w*\.)+[A-Z]\w+:\s)")
"""A line with an error: "KeyError: 'x'", "psycopg.errors.UndefinedTable: ..."."""
_ERROR_INSIDE = re.compile(r"^[^\w\n]*+([\w.]*(?:Error|Exception|Warning)\b.*)", re.MULTILINE)


def search_query(question: Question) -> str:
    """The question as a search query, at most 60 words.

    Code and traceback lines are left out, except the line of the error. A category that names the homework comes first.
    Error lines in images and code are added; if there are none and the question is short, the images' first words.
    """
    asked = asked_text(question)
    words = [*_work(asked, question.category or ""), *(" ".join(_lines(asked)).split() or asked.split())]
    attached = _attached(question, words)
    return " ".join([*words[: MAX_QUERY_WORDS - len(attached)], *attached])


def asked_text(question: Question) -> str:
    """The current question: title and body, or the title and what students wrote since the last answer by staff."""
    later = _since_staff(question)
    if not later:
        return question.text
    return "\n\n".join(filter(None, [question.title if _is_answered(question) else question.text, *later]))


def last_words(question: Question) -> tuple[str, str]:
    """Title and body; for a follow-up an empty title, and what students wrote since the last answer by staff."""
    later = _since_staff(question)
    return ("", "\n\n".join(later)) if later and _is_answered(question) else (question.title, question.body)


def _is_answered(question: Question) -> bool:
    return any(message.role.is_staff for message in question.thread)


def _since_staff(question: Question) -> list[str]:
    staff = [number for number, message in enumerate(question.thread, 1) if message.role.is_staff]
    return [message.body for message in question.thread[staff[-1] if staff else 0 :]]


def _work(asked: str, category: str) -> list[str]:
    """The words of a category such as "Homework 3" if the text names a question but no assignment."""
    names = read_names(asked)
    is_meant = names.questions and not names.known_works and read_names(category).known_works
    return category.split() if is_meant else []


def _lines(text: str) -> list[str]:
    kept: list[str] = []
    blocks = code_blocks(text)
    fences = {line for block in blocks for line in block.fences}
    # The lines after an unclosed fence count as text.
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


def _attached(question: Question, words: list[str]) -> list[str]:
    """The words of images and code for the query."""
    texts = "\n".join(question.images)
    errors = dict.fromkeys(_ERROR_INSIDE.findall(f"{question.code or ''}\n{texts}"))
    shown = " ".join(errors) or (texts if len(words) < FEW_WORDS else "")
    return shown.split()[:MAX_ATTACHED_WORDS]
