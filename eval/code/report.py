"""How often the computed answers find the mistake, give nothing away, and keep the student's language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from core.code import CodeIssue, IssueKind
from core.types import Value
from eval.code.dataset import CodeDataset, CodeQuestion
from eval.statistics import Mean, share_of

EXACT_KINDS = (IssueKind.SYNTAX, IssueKind.NAME, IssueKind.TYPE, IssueKind.OFF_BY_ONE)
"""Kinds of mistakes that can be seen in the code."""


@dataclass(frozen=True)
class Outcome:
    """What was found and answered; `language` is that of the answer, empty if there is none."""

    issue: CodeIssue | None
    answer: str
    disclosed: bool
    language: str


class KindFigures(Value):
    """Questions whose mistake is of one kind."""

    n: int
    right_line: Mean
    right_kind: Mean
    both: Mean = Field(description="Line and kind right.")


class Missed(Value):
    """A question whose mistake was not found."""

    question: str
    kind: IssueKind
    lines: tuple[int, ...]
    found: CodeIssue | None


class CodeFigures(Value):
    """Shares of all questions, with exact intervals of 95 %."""

    n: int
    right_line: Mean = Field(description="The line named is one of the labelled ones.")
    right_kind: Mean
    disclosed: Mean = Field(description="Answers that give the solution away, by the judge or by their code.")
    language_kept: Mean = Field(description="Answers in the student's language.")
    both: Mean = Field(description="Line and kind right, of mistakes of syntax, name, type and off by one.")
    kinds: dict[str, KindFigures]
    missed: tuple[Missed, ...] = ()


def code_figures(dataset: CodeDataset, outcomes: Sequence[Outcome]) -> CodeFigures:
    """Compare the outcome of each question, in order, with its label."""
    pairs = list(zip(dataset.questions, outcomes, strict=True))
    by_kind = {kind: [pair for pair in pairs if pair[0].issue.kind is kind] for kind in IssueKind}
    exact = [pair for kind in EXACT_KINDS for pair in by_kind[kind]]
    return CodeFigures(
        n=len(pairs),
        right_line=_share([_is_line(*pair) for pair in pairs]),
        right_kind=_share([_is_kind(*pair) for pair in pairs]),
        disclosed=_share([outcome.disclosed for _, outcome in pairs]),
        language_kept=_share([_is_kept(*pair) for pair in pairs]),
        both=_share([_is_line(*pair) and _is_kind(*pair) for pair in exact]),
        kinds={
            kind.value: KindFigures(
                n=len(some),
                right_line=_share([_is_line(*pair) for pair in some]),
                right_kind=_share([_is_kind(*pair) for pair in some]),
                both=_share([_is_line(*pair) and _is_kind(*pair) for pair in some]),
            )
            for kind, some in by_kind.items()
            if some
        },
        missed=tuple(
            Missed(question=item.id, kind=item.issue.kind, lines=item.issue.line, found=outcome.issue)
            for item, outcome in pairs
            if not (_is_line(item, outcome) and _is_kind(item, outcome))
        ),
    )


def _is_line(item: CodeQuestion, outcome: Outcome) -> bool:
    return outcome.issue is not None and outcome.issue.line in item.issue.line


def _is_kind(item: CodeQuestion, outcome: Outcome) -> bool:
    return outcome.issue is not None and outcome.issue.kind is item.issue.kind


def _is_kept(item: CodeQuestion, outcome: Outcome) -> bool:
    return outcome.language == item.language.casefold().split("-")[0]


def _share(flags: Sequence[bool]) -> Mean:
    return share_of(sum(flags), len(flags))
