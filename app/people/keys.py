"""Keys for programs: what a new one needs, who may make and revoke which, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel

from core.access import KEY_PREFIX, LOCAL, Access, Permission, Person, access_of_key
from core.errors import Forbidden, InvalidInput, Unauthenticated
from core.quotas import KeyQuotas, Subject, subject_of_key
from core.store.people.keys import NewKey, masked_key
from core.store.store import Store
from core.store.tables import KeyRow, now

DEFAULT_DAYS = 365
"""Days until a key ends, where nothing else is said."""

MAX_NAME_CHARS = 200
VALID = "valid"
OWNER_LEFT = "owner left"


class KeyOut(BaseModel):
    """A key without its secret part; `courses` is null for a key that is bound to no course.

    `owner` is the id of the person, or `key-` and the id of the key, that made it; null for a key of the operator.
    """

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
    owner: str | None = None
    owner_name: str | None = None

    @classmethod
    def of(cls, row: KeyRow, state: str | None = None, owner_name: str | None = None) -> KeyOut:
        """Its state is one of the key itself, unless its owner's says more."""
        values = row.model_dump(exclude={"digest", "revoked_at"})
        return cls(**values, shown=masked_key(row.id), state=state or state_of(row), owner_name=owner_name)

    @property
    def belongs_to(self) -> str:
        """Whose it is, for people."""
        return "operator" if self.owner is None else self.owner_name or self.owner


async def describe_keys(rows: Iterable[KeyRow], store: Store) -> list[KeyOut]:
    """Keys as they are shown, with their owners; one that can do nothing for want of its owner says so."""
    names = {member.id: member.name for member in await store.members.all()}
    names |= {f"{KEY_PREFIX}{row.id}": row.name for row in await store.keys.all()}
    return [KeyOut.of(row, await _state_with_owner(row, store), names.get(row.owner or "")) for row in rows]


async def _state_with_owner(row: KeyRow, store: Store) -> str:
    state = state_of(row)
    if state != VALID or row.owner is None:
        return state
    try:
        return OWNER_LEFT if (await access_of(row, store)).is_empty else VALID
    except Unauthenticated:
        return OWNER_LEFT


async def access_of(row: KeyRow, store: Store) -> Access:
    """What a key may do now: no more than whoever made it, and nothing once they have left.

    Raises `Unauthenticated` for a key that ended or was revoked, or whose owner is gone.
    """
    if row.revoked_at is not None:
        raise Unauthenticated(f"The key {masked_key(row.id)} was revoked. Ask an operator for a new one.")
    if row.expires_at is not None and row.expires_at <= now():
        raise Unauthenticated(f"The key {masked_key(row.id)} ended on {row.expires_at:%Y-%m-%d}. Ask for a new one.")
    scopes = [Permission(scope) for scope in row.scopes]
    key = Subject(subject_of_key(row.id), row.name, KeyQuotas.model_validate(row.limits))
    own = access_of_key(Person(f"{KEY_PREFIX}{row.id}", row.name), scopes, row.courses, key)
    if row.owner is None:
        return own
    owner = await _access_of_owner(row.owner, store)
    if owner is None or (access := own.within(owner)).is_empty:
        raise Unauthenticated(
            f"The key {masked_key(row.id)} belongs to someone who has left. "
            "Ask an instructor or an operator for a new one."
        )
    return access


async def _access_of_owner(owner: str, store: Store) -> Access | None:
    """What the person, or the key, may do now; None if there is none any more."""
    if not owner.startswith(KEY_PREFIX):
        member = await store.members.known(owner)
        return member.access if member is not None and member.id == owner else None
    maker = await store.keys.get(owner.removeprefix(KEY_PREFIX))
    return None if maker is None else await access_of(maker, store)


def new_key(
    name: str,
    scopes: Sequence[Permission],
    courses: Sequence[str] | None,
    quotas: KeyQuotas,
    days: int,
    owner: Person | None = None,
) -> NewKey:
    """A key to be made, bound to `courses` (None: to none) for `days` (0: without end). It is the operator's without an
    `owner`.

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
    own = None if owner is None or owner == LOCAL else owner.id
    return NewKey(name.strip(), chosen, bound, expires_at, quotas.model_dump(exclude_none=True), own)


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


def state_of(row: KeyRow) -> str:
    """`revoked`, `ended` or `valid`."""
    if row.revoked_at is not None:
        return "revoked"
    return "ended" if row.expires_at is not None and row.expires_at <= now() else VALID
