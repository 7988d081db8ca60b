"""Edison's rules: which course functions to call for a question, as written by the course's staff.

The deterministic baseline of EduMod-LLM, section 3.2 (after Miroyan et al. 2025).
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Annotated, NamedTuple

import regex
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from core.types import Question, Source, Value

FUNCTION_NAMES = tuple(f"{source}_retrieval" for source in Source)
"""Names of the course functions, one for each kind of material."""
PATTERN_SECONDS = 0.1
"""Time limit for one regular expression on one question: on some texts a pattern backtracks without end."""


def _known_function(name: str) -> str:
    if name not in FUNCTION_NAMES:
        raise ValueError(f"there is no function {name!r}; there are {', '.join(FUNCTION_NAMES)}")
    return name


def _known_category(pattern: str, info: ValidationInfo) -> str:
    """Checked when a course file is read, which supplies its categories. Without categories, every name is accepted."""
    known = (info.context or {}).get("categories") or ()
    if known and not any(_fits(pattern, str(category)) for category in known):
        raise ValueError(f"this course has no category {pattern!r}; it has {', '.join(map(str, known))}")
    return pattern


def _compiles(pattern: str) -> str:
    try:
        regex.compile(pattern, regex.IGNORECASE)
    except regex.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def one_or_more(value: object) -> object:
    """A single string as a list of one, since people leave the brackets out."""
    return (value,) if isinstance(value, str) else value


OneOrMore = BeforeValidator(one_or_more)
FunctionName = Annotated[str, AfterValidator(_known_function)]
Category = Annotated[str, AfterValidator(_known_category)]
Keyword = Annotated[str, Field(min_length=1)]


class When(Value):
    """Conditions on a question; all given conditions must hold. Case is ignored."""

    category: Annotated[tuple[Category, ...], OneOrMore] = Field(
        default=(), description="The student's category is one of these; `*` matches any characters."
    )
    any: Annotated[tuple[Keyword, ...], OneOrMore] = Field(
        default=(), description="At least one of these whole words or phrases occurs."
    )
    all: Annotated[tuple[Keyword, ...], OneOrMore] = Field(
        default=(), description="All of these whole words or phrases occur."
    )
    pattern: Annotated[str, AfterValidator(_compiles)] | None = Field(
        default=None, description="This regular expression is found in title or body."
    )

    @model_validator(mode="after")
    def _says_something(self) -> When:
        if not (self.category or self.any or self.all or self.pattern):
            raise ValueError("give at least one of category, any, all, pattern; for all other questions use `default`")
        return self

    def holds(self, question: Question, pattern_seconds: float = PATTERN_SECONDS) -> bool:
        """True if every given condition holds for the question.

        Raises `TimeoutError` if the regular expression takes longer than `pattern_seconds`.
        """
        text = question.text
        return (
            (not self.category or any(_fits(pattern, question.category or "") for pattern in self.category))
            and (not self.any or _occurs(self.any, text))
            and all(_occurs((phrase,), text) for phrase in self.all)
            and (self.pattern is None or _matches(self.pattern, text, pattern_seconds))
        )


class EdisonRule(Value):
    """The functions to call if the conditions hold."""

    when: When = Field(description="When the rule holds.")
    call: Annotated[tuple[FunctionName, ...], OneOrMore] = Field(
        description="Names of course functions. An empty list means that nothing is called."
    )


class Ruling(NamedTuple):
    """Names of the functions to call, each once, and a message for each rule that could not be applied."""

    functions: tuple[str, ...]
    problems: tuple[str, ...]


class EdisonRules(Value):
    """The functions of every matching rule are called, in the order of the rules; `default` if no rule matches.

    If a matching rule has an empty list, nothing is called, whatever other rules match.
    """

    rules: tuple[EdisonRule, ...] = Field(default=(), description="Rules, each with the functions to call.")
    default: Annotated[tuple[FunctionName, ...], OneOrMore] = Field(
        default=FUNCTION_NAMES, description="Functions to call if no rule matches."
    )

    def functions_for(self, question: Question, pattern_seconds: float = PATTERN_SECONDS) -> Ruling:
        """Which functions to call. A rule whose pattern takes longer than `pattern_seconds` is skipped and reported."""
        matching, problems = [], []
        for number, rule in enumerate(self.rules, 1):
            try:
                if rule.when.holds(question, pattern_seconds):
                    matching.append(rule)
            except TimeoutError:
                problems.append(
                    f"Rule {number} of the course's `edison` rules was skipped: its pattern took longer than "
                    f"{pattern_seconds:g} s. Simplify it."
                )
        if not matching:
            return Ruling(self.default, tuple(problems))
        if not all(rule.call for rule in matching):
            return Ruling((), tuple(problems))
        return Ruling(tuple(dict.fromkeys(name for rule in matching for name in rule.call)), tuple(problems))


def _fits(pattern: str, category: str) -> bool:
    return fnmatchcase(category.casefold(), pattern.casefold())


def _occurs(phrases: tuple[str, ...], text: str) -> bool:
    return bool(_whole(phrases).search(text))


@lru_cache(maxsize=1024)
def _whole(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)


def _matches(pattern: str, text: str, seconds: float) -> bool:
    return bool(regex.search(pattern, text, regex.IGNORECASE, timeout=seconds, concurrent=True))
