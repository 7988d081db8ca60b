"""Who may read drafts, and who may decide them."""

from __future__ import annotations

from typing import Annotated

from app.people.rules import needs
from app.review.deciding import Reviewer
from core.access import Access, Permission

Reader = Annotated[Access, needs(Permission.DRAFTS_READ)]
Decider = Annotated[Access, needs(Permission.DRAFTS_DECIDE)]


def reading(access: Access) -> Reviewer:
    """Who reads, and the drafts of which courses."""
    return Reviewer(access.actor, access.reach(Permission.DRAFTS_READ))


def deciding(access: Access) -> Reviewer:
    """Who decides, and the drafts of which courses."""
    return Reviewer(access.actor, access.reach(Permission.DRAFTS_DECIDE))
