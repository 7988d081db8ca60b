"""From a student's question to the words to search for."""

from __future__ import annotations

import re

from core.types import Question

MAX_QUERY_WORDS = 60
_FENCE = re.compile(r"^\s*(```|~~~)")


def search_query(question: Question) -> str:
    """The question as a search query: code and traceback lines left out but the error's own line, at most 60 words."""
    kept: list[str] = []
    fenced = traceback = False
    for line in question.text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif line.startswith("Traceback "):
            traceback = True
        elif re.match(r"\s*\w*(Error|Exception|Warning)\b", line):
            kept.append(line.strip())
            traceback = False
        elif not (fenced or traceback):
            kept.append(line.strip())
    words = " ".join(kept).split() or question.text.split()
    return " ".join(words[:MAX_QUERY_WORDS])
