"""Labelled messages of a course, as they are stored."""

from __future__ import annotations

from typing import TypeVar

from core.errors import InvalidInput
from core.store.store import Store
from core.types import Question, Value


class LabelledMessage(Value):
    """A student's message with a label; each kind of label adds its own fields."""

    id: str
    split: str
    question: Question

    @property
    def text(self) -> str:
        return " ".join(filter(None, (self.question.title, self.question.body)))


L = TypeVar("L", bound=LabelledMessage)


async def stored_labels(store: Store, course_id: str, kind: str, model: type[L], split: str | None) -> list[L]:
    """A course's labelled messages of one kind and split, or of all splits. Raises `InvalidInput` if there are none."""
    await store.courses.get(course_id)
    labels = [model.model_validate(one) for one in (await store.evaluations.labels(course_id, kind)).values()]
    found = [one for one in labels if split in (None, one.split)]
    if not found:
        splits = ", ".join(sorted({one.split for one in labels})) or "none"
        raise InvalidInput(
            f"The course {course_id!r} has no labels of the kind {kind!r} in the split {split!r} (it has: {splits}). "
            f"Put them into {kind}/ of its label folder, then run `edumod course load`."
        )
    return found
