"""What somebody is in our course, from the roles that the platform names (LTI core, appendix A)."""

from __future__ import annotations

from collections.abc import Iterable

from core.types import Role

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
ASSISTING = ("TeachingAssistant", "Grader")
"""How the sub-roles of instructors begin that are assistants here. Platforms send the principal role beside them."""


def role_of(roles: Iterable[str]) -> Role | None:
    """The role in the course; None for who is neither staff nor student in it, such as an administrator."""
    names = {name for role in roles if (name := _own_name(role)) is not None}
    if any(name.startswith(ASSISTING) for name in names):
        return Role.TA
    if "Instructor" in names:
        return Role.INSTRUCTOR
    return Role.STUDENT if "Learner" in names else None


def _own_name(role: str) -> str | None:
    """The part behind the `#` of a role in the course, or a short name; None for roles in the institution."""
    path, mark, name = role.partition("#")
    if not mark:
        return role if role.isalpha() else None
    principal = path.removeprefix(MEMBERSHIP)
    if principal == path or (principal and principal.lower() not in ("/instructor", "/learner")):
        return None
    # All kinds of learners are, also `membership/Learner#Instructor`.
    return "Learner" if principal.lower() == "/learner" else name
