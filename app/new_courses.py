"""A course that begins with its name alone; its files and settings follow."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from core.course import Course
from core.errors import InvalidInput
from core.store.store import Store


async def new_course(store: Store, values: Mapping[str, str]) -> Course:
    """Stores a course of these values and defaults. Raises `InvalidInput` for bad values and an id in use."""
    course = checked(values)
    if await store.courses.find(course.id):
        raise InvalidInput(f"There is a course {course.id} already. Choose another id, or send files to that course.")
    await store.courses.put(course.id, course.model_dump(mode="json"))
    return course


def checked(values: Mapping[str, str]) -> Course:
    """Raises `InvalidInput` that says what to write instead."""
    try:
        return Course.model_validate(values)
    except ValidationError as error:
        fields = {str(problem["loc"][0]): problem["msg"] for problem in error.errors()}
    if "id" in fields:
        raise InvalidInput(
            f"{values.get('id', '')!r} cannot be a course id: use lower-case letters, digits, - and _, as in bio1."
        )
    raise InvalidInput(" ".join(f"{name}: {message}." for name, message in fields.items()))
