"""The forums that the conformance tests run on: one entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.board import Double
from tests.doubles.discourse import SECRET, DiscourseDouble
from tests.doubles.ed import EdDouble


@dataclass(frozen=True)
class Case:
    kind: str
    double: Callable[[], Double]
    secret: str = ""
    rules: dict[str, Any] = field(default_factory=dict)


CASES = (Case("discourse", DiscourseDouble, SECRET), Case("ed", EdDouble, rules={"place": "5", "bots": ("17",)}))
