"""Edison's rules: which course functions a question calls for, as the course's staff wrote it down.

The deterministic baseline of EduMod-LLM, section 3.2 (after Miroyan et al. 2025).
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from core.types import Question, Source, Value

FUNCTION_NAMES = tuple(f"{source}_retrieval" for source in Source)
"""The course functions: one searches each kind of material."""


def _known_function(name: str) -> str:
    if name not in FUNCTION_NAMES:
        raise ValueError(f"there is no function {name!r}; there are {', '.join(FUNCTION_NAMES)}")
    return name


def _known_category(pattern: str, info: ValidationInfo) -> str:
    """Checked where a course file is read, which tells its categories; a course without any knows no wrong one."""
    known = (info.context or {}).get("categories") or ()
    if known and not any(_fits(pattern, str(category)) for category in known):
        raise ValueError(f"no category of this course is {pattern!r}; it has {', '.join(map(str, known))}")
    return pattern


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else value


FunctionName = Annotated[str, AfterValidator(_known_function)]
Category = Annotated[str, AfterValidator(_known_category)]
Keyword = Annotated[str, Field(min_length=1)]


class When(Value):
    """Conditions on a question; all that are given must hold. Letter case does not matter."""

    category: Annotated[tuple[Category, ...], BeforeValidator(_tuple)] = Field(
        default=(), description="The student's category is one of these; `*` stands for any letters."
    )
    any: tuple[Keyword, ...] = Field(default=(), description="One of these words or phrases occurs, whole.")
    all: tuple[Keyword, ...] = Field(default=(), description="All of these words or phrases occur, whole.")
    pattern: Annotated[str, AfterValidator(_compiles)] | None = Field(
        default=None, description="This regular expression is found in title or body."
    )

    @model_validator(mode="after")
    def _says_something(self) -> When:
        if not (self.category or self.any or self.all or self.pattern):
            raise ValueError("give at least one of category, any, all, pattern; what always holds is the default")
        return self

    def holds(self, question: Question) -> bool:
        """True where every given condition holds for the question."""
        text = question.text
        return (
            (not self.category or any(_fits(one, question.category or "") for one in self.category))
            and (not self.any or any(_occurs(one, text) for one in self.any))
            and all(_occurs(one, text) for one in self.all)
            and (self.pattern is None or bool(re.search(self.pattern, text, re.IGNORECASE)))
        )


class Rule(Value):
    """Functions to call when the conditions hold."""

    when: When
    call: tuple[FunctionName, ...] = Field(
        description="Names of course functions. An empty list means that nothing is called."
    )


class Edison(Value):
    """The functions of every rule that holds are called, in the order of the rules; `default` where none holds.

    A rule with an empty list ends it: then nothing is called, whatever else holds.
    """

    rules: tuple[Rule, ...] = ()
    default: tuple[FunctionName, ...] = FUNCTION_NAMES

    def functions_for(self, question: Question) -> tuple[str, ...]:
        """Names of the functions to call, each once."""
        matching = [rule for rule in self.rules if rule.when.holds(question)]
        if not matching:
            return self.default
        if not all(rule.call for rule in matching):
            return ()
        return tuple(dict.fromkeys(name for rule in matching for name in rule.call))


def _fits(pattern: str, category: str) -> bool:
    return fnmatchcase(category.casefold(), pattern.casefold())


def _occurs(words: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE))
