"""Settings of a course that people changed: they hold over the course file whenever it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, select

from core.access import Person
from core.course.editing import course_with, value_at, with_values
from core.errors import InvalidInput
from core.store.people.audit import Audit, AuditEntry
from core.store.tables import CourseRow, SettingChangeRow, table_of
from core.validation import problems_in

Config = dict[str, Any]
_courses = table_of(CourseRow)
_changes = table_of(SettingChangeRow)


def holding(course_id: str) -> tuple[ColumnElement[bool], ...]:
    """The condition of the changes that hold in a course."""
    return _changes.c.course_id == course_id, _changes.c.holds


def hold_changes(connection: Connection, course_id: str, config: Config, as_file: bool) -> Config:
    """A course file's content with what people changed. A change that the file says as well is over.

    Raises `InvalidInput` where they do not fit each other; `as_file` ends every change.
    """
    held = {row.key: row.value for row in connection.execute(select(_changes).where(*holding(course_id)))}
    if not held:
        return config
    effective = with_values(config, {} if as_file else held)
    for key in held:
        value = value_at(config, key)
        is_over = as_file or value == held[key] or value_at(effective, key) != held[key]
        _update(connection, course_id, key, {"file_value": value, "holds": not is_over})
    if as_file:
        return config
    try:
        return course_with(effective, {}).model_dump(mode="json")
    except ValidationError as error:
        raise InvalidInput(
            f"Settings that were changed in the browser do not fit this file: {problems_in(error)}. Take them back on "
            f"the page /courses/{course_id}/settings, or load the file with --as-file."
        ) from error


def change_settings(
    connection: Connection, course_id: str, values: Mapping[str, Any], by: Person, request_id: str | None
) -> int:
    """Change settings; how many were different. The course's row is locked. Raises `ValidationError`."""
    before = course_with(_config(connection, course_id), {}).model_dump(mode="json")
    after = course_with(before, values).model_dump(mode="json")
    different = {key: value_at(after, key) for key in values if value_at(after, key) != value_at(before, key)}
    held = {row.key: row.file_value for row in connection.execute(select(_changes).where(*holding(course_id)))}
    for key, value in different.items():
        file_value = held.get(key, value_at(before, key))
        _update(connection, course_id, key, {"holds": False})
        row = SettingChangeRow(
            id=uuid4().hex, course_id=course_id, key=key, before=value_at(before, key), value=value,
            file_value=file_value, holds=value != file_value, changed_by=by.id, changed_by_name=by.name,
        )  # fmt: skip
        connection.execute(_changes.insert(), row.model_dump())
    if different:
        set_config(connection, course_id, lambda _: after)
        details = {"keys": list(different)}
        Audit.record(connection, AuditEntry(by, "course.change", course_id, None, request_id, details))
    return len(different)


def set_config(connection: Connection, course_id: str, change: Callable[[Config], Config]) -> None:
    """Replace what is stored as the course's file."""
    config = change(_config(connection, course_id))
    connection.execute(_courses.update().where(_courses.c.id == course_id).values(config=config))


def _config(connection: Connection, course_id: str) -> Config:
    config: Config = connection.execute(select(_courses.c.config).where(_courses.c.id == course_id)).scalar_one()
    return config


def _update(connection: Connection, course_id: str, key: str, values: Mapping[str, Any]) -> None:
    mine = (*holding(course_id), _changes.c.key == key)
    connection.execute(_changes.update().where(*mine).values(**values))
