"""Terms of how a question is asked, rather than of what."""

from __future__ import annotations

ASKING = frozenset(
    ("differ", "differenc", "between", "mean", "exampl", "exact", "exactli", "understand", "compar", "use")
)
"""That another passage has them adds nothing."""

AT_A_LOSS = frozenset(("stuck", "start", "begin", "hint", "idea", "clue", "lost", "even", "figur", "approach"))
"""Terms of students who do not know how to go on."""


def plain_words(terms: frozenset[str]) -> frozenset[str]:
    """The terms that are neither names nor numbers nor single letters."""
    return frozenset(term for term in terms if len(term) > 1 and " " not in term and not term[0].isdigit())
