"""Parametrized tests of which `make test` runs a part, and `make test-slow` the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def sweep(points: Mapping[str, Any] | Iterable[Any], *, every: int) -> list[ParameterSet]:
    """The points of a long sweep: every so many, from the first, are quick."""
    named = _named(points)
    return [_param(name, point, is_quick=n % every == 0) for n, (name, point) in enumerate(named)]


def choose(points: Mapping[str, Any] | Iterable[Any], *quick: Any) -> list[ParameterSet]:
    """All points, of which these are quick: named by a mapping's keys, else the points themselves."""
    named = _named(points)
    known = [point if name is None else name for name, point in named]
    assert all(one in known for one in quick), f"of {quick}, some are none of {known}"
    return [_param(*entry, is_quick=one in quick) for entry, one in zip(named, known, strict=True)]


def _named(points: Mapping[str, Any] | Iterable[Any]) -> list[tuple[str | None, Any]]:
    return list(points.items()) if isinstance(points, Mapping) else [(None, point) for point in points]


def _param(name: str | None, point: Any, *, is_quick: bool) -> ParameterSet:
    values = point if isinstance(point, tuple) else (point,)
    return pytest.param(*values, id=name, marks=() if is_quick else pytest.mark.slow)
