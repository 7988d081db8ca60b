"""Who asked a question, as far as it is known, to count people rather than questions."""

from __future__ import annotations

from collections.abc import Iterable

from core.access import KEY_PREFIX
from core.store.tables import DraftRow


def person_of(draft: DraftRow) -> str | None:
    """The author: a pseudonym of the forum, or who was signed in. A program that names no author tells nobody."""
    if draft.pseudonym:
        return f"pseudonym {draft.pseudonym}"
    return None if (draft.asked_by or KEY_PREFIX).startswith(KEY_PREFIX) else draft.asked_by


def count_people(drafts: Iterable[DraftRow]) -> int:
    """How many people asked these at least: all questions of unknown authors may be of the same person."""
    return len({person_of(draft) for draft in drafts})
