"""GIFT, which Moodle imports: essay questions, the reference answer as their general feedback.

$CATEGORY: $course$/Data Science 101

::12 Missing values::[html]<p>What is a missing value?</p>{
####[html]<p>A missing value is ...</p>}
"""

from __future__ import annotations

import re

from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz
from app.quizzes.formats.rich import html_of

_SPECIAL = re.compile(r"[~=#{}:]|\\(?=[~=#{}:n\\]|$)")
"""Characters with a meaning. A backslash has one before these, before another, and before the n of a new line."""
_SEPARATORS = re.compile(r"[\s/]+")
MAX_TITLE_CHARS = 200
"""Of a question's name; Moodle has room for 255 characters."""


def gift(quiz: ExportedQuiz) -> str:
    """The quiz as a GIFT file."""
    category = _SEPARATORS.sub(" ", quiz.name).strip()
    return "\n".join([f"$CATEGORY: $course$/{category}\n", *map(_question, quiz.questions)])


def escape(line: str) -> str:
    """Escape one line for GIFT. Moodle needs literal backslashes in formulas, so they stay where possible."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], line)


def _question(question: ExportedQuestion) -> str:
    # Without colons at its end, which some readers take for those that end it.
    title = " ".join(f"{question.number} {question.section}".split())[:MAX_TITLE_CHARS].rstrip(": ")
    text, answer = (escape(html_of(words)) for words in (question.question, question.answer))
    return f"::{escape(title)}::[html]{text}{{####[html]{answer}}}\n"
