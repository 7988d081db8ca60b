"""Which course functions a question needs, told from its words: the offline router, behind one function."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.types import Question

CALL_FROM = 0.5
"""Score from which a function is worth calling."""

_CUES: dict[str, re.Pattern[str]] = {
    "logistics_retrieval": re.compile(
        r"\b(due|deadline|late|slip ?days?|extensions?|midterm|final exam|exams?|office hours?|grad(e|es|ing)|curve|"
        r"syllabus|waitlist|regrade|lectures?|sections?|discussions?|when|where|attendance|participation|credit|points|"
        r"policy|polic(y|ies)|collaborat\w*|dsp|accommodations?|textbook required|prerequisites?|schedule|drop(ped)?|"
        r"checkoffs?|cheat ?sheet|allowed|chatgpt|copilot|ai( tools?)?)\b",
        re.IGNORECASE,
    ),
    "assignment_retrieval": re.compile(
        r"\b(hw ?\d*|homework|proj(ect)? ?\d*|problem \d+|question \d+|q ?\d+[a-z]?|\d[a-z]|part \(?[a-z]\)?|"
        r"assignment|autograder|grader\.check|hidden tests?|skeleton)\b",
        re.IGNORECASE,
    ),
    "textbook_retrieval": re.compile(
        r"\b(what (is|are|does|do)|why|explain|differences?|versus|vs|mean(s|ing)?|understand|concepts?|"
        r"intuition|chapter|how (do|does|can|would|to)|formula|definition|example|"
        r"when (do|should|would) (we|i|you) use|error|traceback)\b",
        re.IGNORECASE,
    ),
}
_THANKS = re.compile(r"^\W*(thanks?|thank you|thx|ty|got it|never ?mind|nvm|solved|gracias|danke)\b", re.IGNORECASE)


_STRENGTH = {
    "logistics_retrieval": 0.9, "assignment_retrieval": 0.85, "textbook_retrieval": 0.8, "qa_retrieval": 0.7,
}  # fmt: skip
"""Scores of functions whose cues occur; past Q&A, which has something on everything, comes last."""
_NO_CUE = 0.1


def choose_functions(question: Question, functions: Iterable[str], category: str = "") -> dict[str, float]:
    """How much the question needs each function, by its name, from 0 to 1; call those from `CALL_FROM` on.

    A function scores by its cue words, past Q&A always; without any cue, textbook and past Q&A do. A message that only
    gives thanks needs none. The category counts as further words of the question.
    """
    text = f"{question.text} {category}"
    cued = {name for name, cue in _CUES.items() if cue.search(text)} or {"textbook_retrieval"}
    needed = 0.1 if asks_nothing(question) else 1.0
    return {name: needed * (_STRENGTH[name] if name in {*cued, "qa_retrieval"} else _NO_CUE) for name in functions}


def asks_nothing(question: Question) -> bool:
    """True for a message that only gives thanks."""
    return bool(_THANKS.match(question.body)) and "?" not in question.text and len(question.body.split()) < 15
