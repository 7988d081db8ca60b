"""What the app is made of: a feature declares all that it brings in one value (see `app.features`)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from core.access import Permission


@dataclass(frozen=True)
class Link:
    """An entry of the pages' navigation."""

    label: str
    path: str
    key: str = ""
    """The key that leads there after `g`."""
    permission: Permission | None = None
    """Who sees it: those who have it in any course; None for everybody."""


@dataclass(frozen=True)
class Start:
    """Requests that start a run (decision 0022): `path` is a regular expression, `query` a required parameter."""

    method: str
    path: str
    query: str = ""


@dataclass(frozen=True)
class Feature:
    """An optional part of the app; its modules are imported on first use."""

    name: str
    routes: tuple[str, ...] = ()
    """Modules with a `router` of FastAPI, for pages as well as for the API."""
    commands: tuple[str, ...] = ()
    """Modules of `app.cli`, see `app.cli`."""
    navigation: tuple[Link, ...] = ()
    """Its entries in the pages' navigation."""
    starts_runs: tuple[Start, ...] = ()
    forms_from_elsewhere: tuple[str, ...] = ()
    """Addresses to which pages of other services send forms; their rule is `FROM_ELSEWHERE`."""

    def routers(self) -> list[Any]:
        return [import_module(module).router for module in self.routes]
