"""The forums that there are, and a course's own: one entry each in `FORUMS`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from app.forums.http import ForumTransport, Throttle
from app.forums.shape import Forum, ForumAccount, StaffDraft
from app.webhooks.targets import check_url
from core.course import Course, ForumKind, ForumRules
from core.errors import InvalidInput, SetupError

FORUMS: Mapping[ForumKind, str] = {
    ForumKind.DISCOURSE: "app.forums.discourse.Discourse",
    ForumKind.ED: "app.forums.ed.Ed",
    ForumKind.ZULIP: "app.forums.zulip.Zulip",
    ForumKind.MOODLE: "app.forums.moodle.Moodle",
    ForumKind.CANVAS: "app.forums.canvas.Canvas",
    ForumKind.EMAIL: "app.forums.mail.Mail",
    ForumKind.PIAZZA: "app.forums.piazza.Piazza",
}
"""By kind, the adapter's class; it is imported when a course has such a forum."""


BY_PLACE = (ForumKind.ED, ForumKind.MOODLE, ForumKind.CANVAS, ForumKind.PIAZZA)
"""Forums in which `place` is a course of its own."""


def adapter_of(kind: ForumKind) -> Any:
    """The adapter's class."""
    module, _, name = FORUMS[kind].rpartition(".")
    return getattr(import_module(module), name)


def connect(
    course_id: str, rules: ForumRules, transport: ForumTransport, variables: Mapping[str, str], hosts: tuple[str, ...]
) -> Forum:
    """A course's forum. Raises `InvalidInput` for rules that it cannot keep, `SetupError` without a token."""
    adapter = adapter_of(rules.kind)
    _check_address("url", rules.url, adapter.schemes, hosts)
    if rules.kind is ForumKind.EMAIL:
        _check_address("outgoing", rules.outgoing, ("smtps", "smtp"), hosts)
    capabilities = adapter.capabilities
    if rules.staff_draft and capabilities.staff_draft is StaffDraft.NONE:
        raise InvalidInput(
            f"forum.staff_draft: {adapter.name} has no place where only staff read, so drafts are reviewed in EduMod "
            "alone. What it calls private, whoever asked can read."
        )
    if rules.staff_draft and not rules.staff_thread:
        raise InvalidInput("forum.staff_draft needs forum.staff_thread: a place that only staff read.")
    account = ForumAccount(
        url=rules.url,
        place=rules.place,
        account=rules.account,
        token=secret_of(course_id, "TOKEN", variables),
        secret=secret_of(course_id, "SECRET", variables, is_needed=False),
        categories=tuple(rule.name for rule in rules.categories),
        outgoing=rules.outgoing,
        staff_place=rules.staff_thread,
    )
    forum: Forum = adapter.of(account, transport, Throttle(capabilities.requests_a_minute))
    return forum


def demand_own(course: Course, courses: Iterable[Course]) -> None:
    """Raises `InvalidInput` where another course would answer the same questions with the same account."""
    mine = course.forum
    for other in courses:
        theirs = other.forum
        if mine is None or theirs is None or other.id == course.id or _account(mine) != _account(theirs):
            continue
        shared = {rule.name.casefold() for rule in mine.categories} & {
            rule.name.casefold() for rule in theirs.categories
        }
        if not mine.categories or not theirs.categories or shared:
            which = f"both list {', '.join(sorted(shared))}" if shared else "without categories, all of it is answered"
            raise InvalidInput(
                f"forum.categories: {course.id} and {other.id} are connected to the same forum with the same account, "
                f"and would answer the same questions ({which}). List the categories of each course, and none twice."
            )


def _account(rules: ForumRules) -> tuple[str, ...]:
    place = rules.place if rules.kind in BY_PLACE else ""
    return rules.kind, rules.url.rstrip("/").casefold(), place, rules.account.casefold()


def _check_address(field: str, address: str, schemes: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    """Raises `InvalidInput`."""
    scheme, _, rest = address.partition("://")
    if scheme not in schemes:
        begins = " or ".join(f"{one}://" for one in schemes)
        raise InvalidInput(f"forum.{field} must begin with {begins}, so that nobody on the way can read the token.")
    check_url(f"https://{rest}", hosts, "EDUMOD_FORUM_HOSTS")


def variable_of(course_id: str, what: str) -> str:
    """The variable that holds a forum's token or secret."""
    return f"EDUMOD_FORUM_{course_id.upper().replace('-', '_')}_{what}"


def secret_of(course_id: str, what: str, variables: Mapping[str, str], *, is_needed: bool = True) -> str:
    """A token or secret, from its variable or from the file that the variable names. Raises `SetupError`."""
    name = variable_of(course_id, what)
    value = variables.get(name, "")
    if not value and (path := variables.get(f"{name}_FILE")):
        try:
            value = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise SetupError(f"The file that {name}_FILE names cannot be read: {error.strerror}.") from error
    if is_needed and not value.strip():
        raise SetupError(f"The forum of {course_id} needs a token in {name}, or in a file that {name}_FILE names.")
    return value.strip()
