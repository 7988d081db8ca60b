"""The conditions of an evaluation, on which its outcome depends besides actors and items."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from core.dataset import DIGEST_CHARS
from core.llm.models import NamedModel
from core.llm.task import Task
from core.store.store import Store
from core.types import Audience

NAMES = {
    "revision": "revision of the material",
    "settings": "settings of the course",
    "version": "EduMod",
    "audience": "audience",
    "embedding_model": "embedding model",
    "model": "language model",
    "endpoint": "endpoint of the model",
    "recording": "recording of the model",
    "prompts": "prompts",
    "judge": "judge",
}
"""Conditions by their keys, for people."""


def changed_conditions(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Which conditions differ between two stored evaluations, each as in `EduMod: 1.0 → 1.1`.

    A condition that only one of them has is left out: an earlier version did not store it.
    """
    both = {key: (before[key], after[key]) for key in NAMES if key in before and key in after}
    return [text for key, (old, new) in both.items() if old != new for text in _changes(NAMES[key], old, new)]


def _changes(name: str, old: Any, new: Any) -> list[str]:
    """A mapping's values one by one."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return [f"{name}: {old} → {new}"]
    keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    return [f"{name}, {key}: {old.get(key)} → {new.get(key)}" for key in keys]


def recorded_with(models: Iterable[NamedModel]) -> dict[str, Any]:
    """The recording that models are replayed from, as a condition; empty where they are asked."""
    players = [model.player for model in models if model.player]
    return {"recording": players[0].recording.facts.model_dump()} if players else {}


async def conditions(
    store: Store,
    course_id: str,
    embedding_model: str,
    model: NamedModel,
    tasks: Iterable[type[Task[Any]]],
    audience: Audience = Audience.STUDENTS,
) -> dict[str, Any]:
    """Whose search it is, versions of program, material, settings, models, and of the prompts of `tasks`.

    `model` is asked where nobody names one.
    """
    behind_alias = {"endpoint": model.fingerprint} if model.fingerprint else {}
    course = await store.courses.get(course_id)
    return {
        "version": version("edumod"),
        "revision": course.revision,
        "settings": hashlib.sha256(json.dumps(course.config, sort_keys=True).encode()).hexdigest()[:DIGEST_CHARS],
        "audience": audience.value,
        "embedding_model": embedding_model,
        "model": model.name,
        **behind_alias,
        **recorded_with([model]),
        "prompts": {task.name(): task.version for task in tasks},
    }
