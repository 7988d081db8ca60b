"""What is built from settings."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.models.chat import ModelBuilder
from app.models.offline_backend import offline_rules
from core.llm.cached import Cached
from core.llm.models import Models
from core.llm.offline import OfflineLLM
from core.llm.openai import OpenAILLM
from core.llm.task import Chat, PromptedTask, Task
from core.settings import Settings
from tests.app.live import settings_in
from tests.fakes import Nearest, RareWords

_PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
PACKAGES = set(_PROJECT["tool"]["mypy"]["packages"]) - {"app"}


def tasks(base: type[Task]) -> Iterator[type[Task]]:
    for task in base.__subclasses__():
        yield task
        yield from tasks(task)


def is_asked(task: type[Task]) -> bool:
    """Whether it has a prompt, and is not a class to derive tasks from."""
    if task is Chat:  # a conversation of somebody else's prompts
        return False
    prompted = issubclass(task, PromptedTask) and "given" not in task.__annotations__ and "[" not in task.__name__
    return prompted or "version" in vars(task)


def test_every_task_of_the_product_has_an_offline_rule() -> None:
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if "migrations" not in module.name and "parser_worker" not in module.name:
                importlib.import_module(module.name)
    ours = {task for task in tasks(Task) if is_asked(task) and task.__module__.split(".")[0] in PACKAGES}
    assert ours == set(offline_rules(Nearest(), RareWords()))


def built(settings: Settings) -> Models:
    return ModelBuilder(settings, OfflineLLM({}), variables=dict).build()


def test_the_backend_is_chosen_by_the_endpoint_alone(tmp_path: Path) -> None:
    offline = built(settings_in(tmp_path))
    assert (offline.model, offline.names) == ("offline", ("offline",))
    online = built(settings_in(tmp_path, llm_base_url="http://127.0.0.1:1/v1"))
    assert (online.model, online.names) == ("gpt-4.1-mini", ("gpt-4.1-mini", "default", "offline"))
    assert isinstance(online["default"].llm, Cached)
    uncached = built(settings_in(tmp_path, llm_base_url="http://127.0.0.1:1/v1", llm_cache=False))
    assert isinstance(uncached["default"].llm, OpenAILLM)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDUMOD_LLM_PRICES", '{"m": {"input": 1, "output": 2}}')
    monkeypatch.setenv("EDUMOD_LLM_MODELS", '["a", "b"]')
    settings = settings_in(tmp_path, llm_base_url="http://x/v1", llm_model="m")
    assert settings.llm_prices["m"].output == 2
    models = built(settings)
    assert models.names == ("m", "a", "b", "default", "offline")
    assert models.prices["default"] == models.prices["m"]
    assert len({id(models[name].llm) for name in ("m", "a", "b", "default")}) == 1
