"""Who may do what in which course (decision 0038)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.errors import Forbidden, Unauthenticated
from core.quotas import Subject
from core.types import Role

MAX_NAMED = 5
"""Courses that a message names."""


class Permission(StrEnum):
    """What may be done in a course; as the scopes of keys they are written like this."""

    ANSWER = "answer"
    DRAFTS_READ = "drafts:read"
    DRAFTS_DECIDE = "drafts:decide"
    EVAL = "eval"
    COURSE_ADMIN = "course:admin"
    OPERATE = "operator"
    """Everything in every course, and what belongs to no course, such as metrics."""


ROLE_PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.STUDENT: frozenset({Permission.ANSWER}),
    Role.TA: frozenset({Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE}),
    Role.INSTRUCTOR: frozenset(Permission) - {Permission.OPERATE},
}
"""What a member of a course may do in it."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who acts: a person, or a program with a key. `id` is stored with decisions and in the audit log."""

    id: str
    name: str


KEY_PREFIX = "key-"
"""What the `Person.id` of a program begins with, before the id of its key."""
LOCAL = Person("local", "this machine")
"""Whoever uses the service on the server's own machine, where no key is needed."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The rows that a request may touch: those of `courses` (None: of all), and those that `asker` asked for."""

    courses: frozenset[str] | None = None
    asker: str | None = None


EVERYTHING = Reach()
"""For commands, which belong to the operator, and for the service's own work."""


@dataclass(frozen=True)
class Access:
    """What whoever sends a request may do. `person` is None where nobody has signed in."""

    person: Person | None
    by_course: Mapping[str, frozenset[Permission]] = field(default_factory=dict)
    everywhere: frozenset[Permission] = frozenset()
    """What may be done in every course, also in those that come later."""
    key: Subject | None = None
    """The key that was sent, with its quotas; None for a person."""
    csrf: str | None = None
    """What forms must repeat; None where no session says who sends them."""

    @property
    def is_operator(self) -> bool:
        return Permission.OPERATE in self.everywhere

    @property
    def actor(self) -> Person:
        """Who acts. Raises `Unauthenticated` where nobody has signed in."""
        if self.person is None:
            raise Unauthenticated(SIGN_IN)
        return self.person

    def may(self, permission: Permission, course_id: str | None = None) -> bool:
        """True if it is allowed in that course, or in any course at all if none is named."""
        if permission in self.everywhere:
            return True
        if course_id is None:
            return any(permission in allowed for allowed in self.by_course.values())
        return permission in self.by_course.get(course_id, frozenset())

    def demand(self, permission: Permission, course_id: str | None = None) -> None:
        """Raises `Unauthenticated` if nobody has signed in, and `Forbidden` if it is not allowed in that course.

        The message is the same for a course that does not exist.
        """
        if self.may(permission, course_id):
            return
        if self.person is None:
            raise Unauthenticated(SIGN_IN)
        courses = self.courses(permission) or ()
        if not courses:
            raise Forbidden(f"{self.person.name} lacks the permission `{permission}`. Ask an operator for it.")
        raise Forbidden(f"{self.person.name} has the permission `{permission}` for {_list_names(courses)} alone.")

    def courses(self, permission: Permission) -> frozenset[str] | None:
        """The courses in which it is allowed; None for all, also those that come later."""
        if permission in self.everywhere:
            return None
        return frozenset(course for course, allowed in self.by_course.items() if permission in allowed)

    def within(self, owner: Access) -> Access:
        """The same, without what the owner may not do any more."""
        courses = {*self.by_course, *owner.by_course}
        by_course = {
            course: (self.everywhere | self.by_course.get(course, frozenset()))
            & (owner.everywhere | owner.by_course.get(course, frozenset()))
            for course in courses
        }
        return replace(self, by_course=by_course, everywhere=self.everywhere & owner.everywhere)

    @property
    def is_empty(self) -> bool:
        """True if nothing is allowed anywhere."""
        return not self.everywhere and not any(self.by_course.values())

    def reach(self, permission: Permission, *, or_own: bool = False) -> Reach:
        """The rows for which it is allowed, for conditions in SQL; with `or_own` also those of one's own questions."""
        own = self.person.id if or_own and self.person is not None else None
        return Reach(self.courses(permission), own)


SIGN_IN = "A key is needed: send it as `Authorization: Bearer KEY`, or sign in with the link of your invitation."

NOBODY = Access(None)
OPERATOR = frozenset(Permission)
LOCAL_ACCESS = Access(LOCAL, everywhere=OPERATOR)


def access_of_roles(person: Person, roles: Mapping[str, Role], *, is_operator: bool = False) -> Access:
    """What a person with these roles by course may do."""
    by_course = {course: ROLE_PERMISSIONS[role] for course, role in roles.items()}
    return Access(person, by_course, OPERATOR if is_operator else frozenset())


def access_of_key(
    person: Person, scopes: Iterable[Permission], courses: Iterable[str] | None, key: Subject | None = None
) -> Access:
    """What a key with these scopes may do in its courses; None stands for all of them."""
    allowed = frozenset(scopes)
    if Permission.OPERATE in allowed:
        return Access(person, everywhere=OPERATOR, key=key)
    if courses is None:
        return Access(person, everywhere=allowed, key=key)
    return Access(person, dict.fromkeys(courses, allowed), key=key)


def _list_names(courses: Iterable[str]) -> str:
    names = sorted(courses)
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more
