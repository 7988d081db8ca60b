"""What only the reviewer may read of an answer is shown to nobody else."""

from __future__ import annotations

from typing import Any, cast

from app.answering.outcome import FOR_STAFF
from app.views import View
from core.access import Access, Permission
from core.code import CodeIssue, IssueKind
from core.course import Course


class Key:
    """A caller with some permissions in every course."""

    def __init__(self, *permissions: Permission) -> None:
        self.permissions = permissions

    def may(self, permission: Permission, course_id: str) -> bool:
        return permission in self.permissions


def test_why_a_model_has_no_answer_is_told_to_readers_of_drafts_alone() -> None:
    warnings = ("Image 2 was not read.", f"{FOR_STAFF}I looked for the exam; Prof. Okafor may know.")

    def shown(*permissions: Permission) -> tuple[str, ...]:
        view = View(Course(id="small"), cast(Access, Key(*permissions)), cast(Any, None))
        return view._warnings(warnings)

    assert shown(Permission.ANSWER) == warnings[:1]
    assert shown(Permission.ANSWER, Permission.DRAFTS_READ) == warnings


def test_an_issue_that_waits_for_a_person_is_for_staff_alone() -> None:
    unsure = CodeIssue(line=1, kind=IssueKind.LOGIC, summary="Perhaps.", confidence=0.3, waits=True)

    def shown(*permissions: Permission) -> CodeIssue | None:
        return View(Course(id="small"), cast(Access, Key(*permissions)), cast(Any, None))._issue(unsure)

    assert shown(Permission.ANSWER) is None
    assert shown(Permission.ANSWER, Permission.DRAFTS_READ) == unsure
