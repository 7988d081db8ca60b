"""What a post asks: its terms, the works it names, its parts, and whether it asks at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.fences import split_at_blocks
from core.types import Passage, Question
from pipelines.offline.intents import is_about_wording, is_remark
from pipelines.offline.terms import question_terms, work_term
from pipelines.query import asked_text, search_query
from retrievers.names import read_names

MAX_PARTS = 3
MIN_PART_TERMS = 2
"""A part of fewer terms ("How come?") belongs to the part before it."""
_ENUMERATED = re.compile(r"^\s*(?:\(?\d{1,2}[.)]|[-*])\s+(?=\S)", re.MULTILINE)
_QUESTION_END = re.compile(r"(?<=[?？])\s+")
_ERROR_NAME = re.compile(r"\b[A-Za-z_][\w.]*(?:Error|Exception|Warning)\b")
_ASKS = re.compile(r"[?？]|^\W*(?:what|which|who|when|where|why|how|explain|define|describe)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Post:
    """A question as the offline writer reads it. `parts` are its separate questions, none if it asks one thing."""

    text: str
    terms: frozenset[str]
    works: frozenset[str]
    questions: tuple[str, ...]
    errors: frozenset[str]
    parts: tuple[str, ...]
    is_about_wording: bool
    is_remark: bool

    def has_error_in(self, passage: Passage) -> bool:
        """True if the passage has the error that the post ends with."""
        return bool(self.errors) and any(error in passage.text.casefold() for error in self.errors)

    @property
    def is_vague(self) -> bool:
        """True for a few words without a specific question ("it doesn't work")."""
        return len(self.terms) <= 2 and len(self.text) < 80 and not self.asks

    @property
    def asks(self) -> bool:
        """True for a text with a question mark, or that begins with a word that asks."""
        return bool(_ASKS.search(self.text))


def read_post(question: Question) -> Post:
    """The current question of a post, follow-ups included."""
    query, text = search_query(question), asked_text(question)
    names = read_names(query)
    prose = "\n".join(part for part, is_code in split_at_blocks(text) if not is_code)
    return Post(
        text=text,
        terms=question_terms(query),
        works=frozenset(map(work_term, names.known_works)),
        questions=names.questions,
        errors=frozenset(name.casefold() for name in _ERROR_NAME.findall(query)[-1:]),
        parts=separate_questions(prose, MAX_PARTS),
        is_about_wording=is_about_wording(text),
        is_remark=is_remark(text),
    )


def separate_questions(prose: str, most: int) -> tuple[str, ...]:
    """The separate questions of a text: items of its list, or sentences up to a question mark.

    None if it asks only one thing, or more than `most`.
    """
    items = [item.strip() for item in _ENUMERATED.split(prose)[1:] if item.strip()]
    cut = items if len(items) > 1 else _QUESTION_END.split(prose.strip())
    parts: list[str] = []
    for one in cut:
        if parts and len(question_terms(one)) < MIN_PART_TERMS:
            parts[-1] = f"{parts[-1]} {one}"
        else:
            parts.append(one)
    return tuple(parts) if 1 < len(parts) <= most else ()
