"""What the tools say of a student's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from core.code import CodeTest, LintMessage

Basis = Literal["run", "read", "guess"]
"""What a finding rests on: what tests, a traceback or a compiler say; the code as it was read; or nothing but that
results differ."""


@dataclass(frozen=True)
class Finding:
    """A likely mistake: its name in the catalogue, its line from 1, and its weight beside other findings.

    `words` are names and numbers of the student's code that the sentences about it show. `confidence` is the chance
    that line and kind are right; `waits` that it is too low to name them to a student.
    """

    mistake: str
    line: int
    weight: float
    words: Mapping[str, str] = field(default_factory=dict)
    basis: Basis = "read"
    confidence: float = 0.0
    waits: bool = False

    def weighted(self, factor: float) -> Finding:
        return replace(self, weight=self.weight * factor)


@dataclass(frozen=True)
class CodeWork:
    """What is looked at: the code, what its tests and a linter said, and the official solution, if staff has one.

    `text` is what the student wrote about it, in which a traceback may stand; `line` the line that it is about.
    `is_excerpt` says that nothing tells what the code is for, so that it may be a part of a program.
    """

    code: str
    language: str = "python"
    line: int | None = None
    tests: tuple[CodeTest, ...] = ()
    linting: tuple[LintMessage, ...] = ()
    text: str = ""
    solution: str = ""
    is_excerpt: bool = False

    @property
    def lines(self) -> list[str]:
        return self.code.splitlines()

    @property
    def failing(self) -> tuple[CodeTest, ...]:
        return tuple(one for one in self.tests if not one.accepted)

    @property
    def passes(self) -> bool:
        """Whether tests were sent and all of them are accepted."""
        return bool(self.tests) and not self.failing
