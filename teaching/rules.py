"""Questions made from English sentences by rules, one per kind of statement; the answer is the sentence itself.

A rule reads a whole sentence and refuses what it does not understand: most sentences give no question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

from teaching.statements.causes import cause
from teaching.statements.comparisons import comparison
from teaching.statements.definitions import definition
from teaching.statements.enumerations import enumeration, number
from teaching.statements.functions import function
from teaching.statements.names import CARDINAL

MIN_WORDS = 5
MAX_WORDS = 45
"""Sentences outside of these are no statements, or hold several."""


class StatementKind(StrEnum):
    """What a question asks for."""

    DEFINITION = "definition"
    ENUMERATION = "enumeration"
    NUMBER = "number"
    CAUSE = "cause"
    COMPARISON = "comparison"


Rule = Callable[[str], "str | None"]
"""The question that a sentence answers, None if the rule sees none. Names begin as the sentence does."""
RULES: dict[StatementKind, Rule] = {
    StatementKind.COMPARISON: comparison,
    StatementKind.CAUSE: cause,
    StatementKind.ENUMERATION: enumeration,
    StatementKind.NUMBER: number,
    StatementKind.DEFINITION: lambda sentence: definition(sentence) or function(sentence),
}
"""The first that sees a question in a sentence makes it."""


def is_statement(sentence: str) -> bool:
    """Whether the sentence is whole, of a usable length, and about the subject rather than about a figure or page."""
    words = sentence.split()
    return (
        MIN_WORDS <= len(words) <= MAX_WORDS
        and sentence[0].isupper()
        and re.search(r"(?<!\b[A-Z])\.$|\b(?:and|or) [A-Z]\.$", sentence) is not None
        and sentence.count("(") == sentence.count(")")
        and not _has_subtitle(sentence)
        and re.search(
            r"\b(?:[Ff]igure|[Ff]ig\.|[Tt]able|[Cc]hapter|[Ss]ections?(?= \d| above| below|\.)|[Tt]his section|http)",
            sentence,
        )
        is None
    )


def _has_subtitle(sentence: str) -> bool:
    """Whether a title with its subtitle is in it, rather than a list of names behind a number."""
    colon = re.search(r": [A-Z][a-z]", sentence)
    return colon is not None and re.search(rf"\b{CARDINAL} \w", sentence[: colon.start()], re.I) is None
