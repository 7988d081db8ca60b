"""Questions with the facts that an answer has to show, of courses that labels of locations would not fit.

A folder has `questions.jsonl`, one object a line: `id`, `kind`, `question`, `answerable`, and `keys`, groups of regular
expressions of which one each must match the answer's text, case and spaces apart.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from pydantic import ConfigDict

from core.types import Question, Value
from eval.datasets.answers import Expectation
from eval.datasets.jsonl import read_unique, validated

QUESTIONS = "questions.jsonl"
SOLUTION_REQUEST = "solution_request"
"""A kind that may be answered by a hint or not at all."""
_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"\*\*|__|`")


class FactQuestion(Value):
    """A question, whether the course's material answers it, and the facts that an answer has to show."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: str
    question: Question
    answerable: bool
    keys: tuple[tuple[str, ...], ...] = ()

    @property
    def expects(self) -> Expectation:
        """The right reaction."""
        if self.kind == Expectation.NO_RESPONSE:
            return Expectation.NO_RESPONSE
        return Expectation.ANSWER if self.answerable else Expectation.ABSTAIN

    def is_shown_by(self, answer: str) -> bool:
        """Whether the answer's Markdown shows a fact of each group; none does for what cannot be answered."""
        plain = _SPACE.sub(" ", unicodedata.normalize("NFKC", answer))
        texts = (plain, _MARKS.sub("", plain))
        return self.answerable and all(
            any(re.search(pattern, text, re.IGNORECASE) for pattern in group for text in texts) for group in self.keys
        )


def read_fact_questions(folder: Path) -> list[FactQuestion]:
    """The questions of the folder. Raises `InvalidInput` naming the file and the line."""
    rows = read_unique(folder / QUESTIONS, "kind", "question", "answerable")
    return [validated(row, FactQuestion) for row in rows.values()]
