"""The terms of a question, by which passages are compared with it."""

from __future__ import annotations

from functools import lru_cache

from retrievers.names import CACHED_TEXTS, TO_HAND_IN, read_names
from retrievers.tokens import tokenize

_EVERYDAY = frozenset(
    """
    please pls help hi hello im confused confusing idk hey thanks thank anyone know someone question get got
    want need like just really sure can could would should does doing done also still even way thing something
    is are was were be am if for and or in not as on at of to it its this that the an do did with from by so but than
    explain describ tell work
    then there these those what which who whom whose when where why how
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)


@lru_cache(CACHED_TEXTS)
def question_terms(text: str) -> frozenset[str]:
    """A text's relevant search terms; a separate number is not a term.

    "hw 3" and "homework 3" give the same term, and also the term "homework", so that general rules match.
    """
    names = read_names(text)
    works = [work_term(work) for work in names.known_works]
    kinds = (work.rpartition(" ")[0] for work in works)
    words = (term for term in tokenize(" ".join((names.rest, *kinds))) if term not in _EVERYDAY and not term.isdigit())
    return frozenset((*words, *works, *map(question_term, names.questions)))


def work_term(work: str) -> str:
    """The term of a work such as "homework 3", the same whatever the course calls it."""
    kind, _, number = work.rpartition(" ")
    return f"{TO_HAND_IN[0]} {number}" if kind in TO_HAND_IN else work


def question_term(question: str) -> str:
    """The term of a question's number."""
    return f"question {question}"
