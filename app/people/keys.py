"""Keys for programs: what a new one needs, who may make and revoke which, and how they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel

from core.access import Access, Permission
from core.errors import Forbidden, InvalidInput
from core.quotas import KeyQuotas
from core.store.people.keys import NewKey, shown
from core.store.tables import KeyRow, now

DEFAULT_DAYS = 365
"""Days until a key ends, where nothing else is said."""

MAX_NAME_CHARS = 200


class KeyOut(BaseModel):
    """A key without its secret part; `courses` is null for a key that is bound to no course."""

    id: str
    shown: str
    name: str
    scopes: list[str]
    courses: list[str] | None
    limits: KeyQuotas
    state: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None

    @classmethod
    def of(cls, row: KeyRow) -> KeyOut:
        values = row.model_dump(exclude={"digest", "revoked_at"})
        return cls(**values, shown=shown(row.id), state=_state(row))


def new_key(
    name: str, scopes: Sequence[Permission], courses: Sequence[str] | None, quotas: KeyQuotas, days: int
) -> NewKey:
    """A key to be made, bound to these courses, or with None to no course; `days` is 0 for one without an end.

    Raises `InvalidInput` where it could do nothing, or where a key of an operator is bound to courses.
    """
    chosen = list(dict.fromkeys(scopes))
    if not name.strip() or len(name) > MAX_NAME_CHARS or not name.isprintable():
        raise InvalidInput(f"Give the key a name of at most {MAX_NAME_CHARS} characters on one line: who uses it.")
    if not chosen:
        raise InvalidInput(f"Say what the key may do (--scope): at least one of {', '.join(Permission)}.")
    is_operators = Permission.OPERATE in chosen
    if (courses is not None and not courses) or (is_operators and courses):
        raise InvalidInput(
            "Bind the key to courses (--course), or to none (--all-courses). A key with the scope `operator` is bound "
            "to none."
        )
    expires_at = now() + timedelta(days=days) if days else None
    bound = None if courses is None else list(dict.fromkeys(courses))
    return NewKey(name.strip(), chosen, bound, expires_at, quotas.model_dump(exclude_none=True))


def demand_grantable(access: Access, new: NewKey) -> None:
    """Raises `Forbidden` unless whoever makes the key may do all that it may, in all of its courses."""
    for scope in new.scopes:
        for course in new.courses or ():
            access.demand(scope, course)
        if new.courses is None and scope not in access.everywhere:
            raise Forbidden(f"You have the permission `{scope}` in some courses. Bind the key to one of them.")


def may_revoke(access: Access, row: KeyRow) -> bool:
    """Whoever administers every course of a key may revoke it; one that is bound to none, only operators."""
    if row.courses is None:
        return access.is_operator
    return all(access.may(Permission.COURSE_ADMIN, course) for course in row.courses)


def _state(row: KeyRow) -> str:
    if row.revoked_at is not None:
        return "revoked"
    return "ended" if row.expires_at is not None and row.expires_at <= now() else "valid"
