"""What the tools say of a student's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.code import CodeTest, LintMessage


@dataclass(frozen=True)
class Finding:
    """A likely mistake: its name in the catalogue, its line from 1, and how sure it is (0 to 1).

    `words` are names and numbers of the student's code that the sentences about it show.
    """

    mistake: str
    line: int
    weight: float
    words: Mapping[str, str] = field(default_factory=dict)

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
