"""The conditions of an evaluation, on which its outcome depends besides actors and items."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from core.llm.task import Task
from core.store.store import Store


async def conditions(
    store: Store, course_id: str, embedding_model: str, model: str, tasks: Iterable[type[Task[Any]]]
) -> dict[str, Any]:
    """Versions of program, material, models, and of the prompts of `tasks`."""
    return {
        "version": version("edumod"),
        "revision": (await store.courses.get(course_id)).revision,
        "embedding_model": embedding_model,
        "model": model,
        "prompts": {task.name(): task.version for task in tasks},
    }
