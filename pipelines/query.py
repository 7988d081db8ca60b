"""From a student's question to the words to search for."""

from __future__ import annotations

import re

from core.types import Question

MAX_QUERY_WORDS = 60
MAX_IMAGE_WORDS = 25
"""Words of a query that images may give."""
FEW_WORDS = 12
"""A question of fewer words leaves it to its images to say what it is about."""
_FENCE = re.compile(r"^\s*(```|~~~)")
_ERROR = re.compile(r"\s*\w*(Error|Exception|Warning)\b")
_ERROR_IN_IMAGE = re.compile(r"^\W*([\w.]*(?:Error|Exception|Warning)\b.*)", re.MULTILINE)


def search_query(question: Question) -> str:
    """The question as a search query, at most 60 words.

    Code and traceback lines are left out but the error's own line. Images add theirs; where none shows an error and
    the question says little itself, their first words.
    """
    words = " ".join(_lines(question.text)).split() or question.text.split()
    seen = _seen(question, words)
    return " ".join([*words[: MAX_QUERY_WORDS - len(seen)], *seen])


def _lines(text: str) -> list[str]:
    kept: list[str] = []
    fenced = traceback = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif line.startswith("Traceback "):
            traceback = True
        elif _ERROR.match(line):
            kept.append(line.strip())
            traceback = False
        elif not (fenced or traceback):
            kept.append(line.strip())
    return kept


def _seen(question: Question, words: list[str]) -> list[str]:
    """The images' words that belong into the query."""
    texts = "\n".join(question.images)
    errors = dict.fromkeys(_ERROR_IN_IMAGE.findall(texts))
    shown = " ".join(errors) or (texts if len(words) < FEW_WORDS else "")
    return shown.split()[:MAX_IMAGE_WORDS]
