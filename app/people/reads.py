"""Reads of students' data, in the audit log."""

from __future__ import annotations

from app import request_id
from core.access import Person
from core.store.people.audit import AuditEntry
from core.store.store import Store


def note_read(store: Store, reader: Person, action: str, course_id: str | None, subject: str) -> None:
    """Note who has read what. `action` is such as `answer.read`, `subject` the id of what was read."""
    store.audit.note(AuditEntry(reader, action, course_id, subject, request_id.current()))
