"""The conditions of an evaluation, on which its outcome depends besides actors and items."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from core.llm.models import NamedModel
from core.llm.task import Task
from core.store.store import Store
from core.types import Audience


async def conditions(
    store: Store,
    course_id: str,
    embedding_model: str,
    model: NamedModel,
    tasks: Iterable[type[Task[Any]]],
    audience: Audience = Audience.STUDENTS,
) -> dict[str, Any]:
    """Whose search it is, versions of program, material, models, and of the prompts of `tasks`.

    `model` is asked where nobody names one.
    """
    behind_alias = {"endpoint": model.fingerprint} if model.fingerprint else {}
    return {
        "version": version("edumod"),
        "revision": (await store.courses.get(course_id)).revision,
        "audience": audience.value,
        "embedding_model": embedding_model,
        "model": model.name,
        **behind_alias,
        "prompts": {task.name(): task.version for task in tasks},
    }
