"""How often the computed answers find the mistake, give nothing away, and keep the student's language."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from core.code import CodeIssue, IssueKind
from core.types import Value
from eval.actors.computed import COMPUTED
from eval.code.dataset import CodeItem, CodeQuestion
from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun
from eval.statistics import Mean, share_of

EXACT_KINDS = (IssueKind.SYNTAX, IssueKind.NAME, IssueKind.TYPE, IssueKind.OFF_BY_ONE)
"""Kinds of mistakes that can be seen in the code."""


class ComputedCodeAnswer(Value):
    """What was found and answered; `language` is that of the answer, empty if there is none."""

    issue: CodeIssue | None = None
    answer: str = ""
    disclosed: bool = False
    language: str = ""


class MistakeFigures(Value):
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


class CodeAnswersReport(Report[Figures]):
    """Shares of all questions, with exact intervals of 95 %."""

    right_line: Mean = Field(description="The line named is one of the labelled ones.")
    right_kind: Mean
    disclosed: Mean = Field(description="Answers that give the solution away, by the judge or by their code.")
    language_kept: Mean = Field(description="Answers in the student's language.")
    both: Mean = Field(description="Line and kind right, of mistakes of syntax, name, type and off by one.")
    told: Mean = Field(description="Questions whose answer names line and kind; the others ask the next question.")
    told_right: Mean = Field(description="Line and kind right, of the answers that name them.")
    kinds: dict[str, MistakeFigures]
    missed: tuple[Missed, ...] = ()


Pair = tuple[CodeQuestion, ComputedCodeAnswer]


def code_report(outcome: ScoredRun[CodeItem]) -> CodeAnswersReport:
    """Compare the answer to each question with its label."""
    items = outcome.plan.dataset.by_id
    pairs = [
        (items[name].labelled, ComputedCodeAnswer.model_validate(output))
        for name, output in outcome.outputs(COMPUTED).items()
    ]
    by_kind = {kind: [pair for pair in pairs if pair[0].issue.kind is kind] for kind in IssueKind}
    exact = [pair for kind in EXACT_KINDS for pair in by_kind[kind]]
    return CodeAnswersReport(
        **common(outcome),
        actors=plain_figures(outcome),
        comparisons=(),
        right_line=_share([has_line(*pair) for pair in pairs]),
        right_kind=_share([has_kind(*pair) for pair in pairs]),
        disclosed=_share([answer.disclosed for _, answer in pairs]),
        language_kept=_share([keeps_language(*pair) for pair in pairs]),
        both=_share([has_line(*pair) and has_kind(*pair) for pair in exact]),
        told=_share([is_told(answer) for _, answer in pairs]),
        told_right=_share([has_line(*pair) and has_kind(*pair) for pair in pairs if is_told(pair[1])]),
        kinds={
            kind.value: MistakeFigures(
                n=len(some),
                right_line=_share([has_line(*pair) for pair in some]),
                right_kind=_share([has_kind(*pair) for pair in some]),
                both=_share([has_line(*pair) and has_kind(*pair) for pair in some]),
            )
            for kind, some in by_kind.items()
            if some
        },
        missed=tuple(
            Missed(question=item.id, kind=item.issue.kind, lines=item.issue.line, found=answer.issue)
            for item, answer in pairs
            if not (has_line(item, answer) and has_kind(item, answer))
        ),
    )


def has_line(item: CodeQuestion, answer: ComputedCodeAnswer) -> bool:
    """Whether the line named is one of the labelled ones."""
    return answer.issue is not None and answer.issue.line in item.issue.line


def has_kind(item: CodeQuestion, answer: ComputedCodeAnswer) -> bool:
    """Whether the kind of mistake is the labelled one."""
    return answer.issue is not None and answer.issue.kind is item.issue.kind


def is_told(answer: ComputedCodeAnswer) -> bool:
    """Whether the finding is sure enough to be named."""
    return answer.issue is not None and not answer.issue.waits


def keeps_language(item: CodeQuestion, answer: ComputedCodeAnswer) -> bool:
    """Whether the answer is in the student's language."""
    return answer.language == item.language.casefold().split("-")[0]


def _share(flags: Sequence[bool]) -> Mean:
    return share_of(sum(flags), len(flags))
