"""The report on function selection: set F1 per question (EduMod-LLM, section 3.2 and Table 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from pydantic import Field

from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.datasets.questions import FUNCTIONS, LabelledQuestion, RaterAgreement, agreement
from eval.metrics.set_f1 import SetF1, set_f1
from eval.report import Figures, Report, common, common_figures
from eval.scoring import ScoredRun
from eval.statistics import compare

BASELINE = "edison"
"""The pipeline that every other one is compared with; if it was not measured, the first is used."""
MAX_CONFUSIONS = 10

Called = tuple[str, frozenset[str]]
"""A question's id, and the functions called for it."""


class PrecisionRecall(Value):
    precision: float
    recall: float


class Confusion(Value):
    """A wrong set of calls, and how often it was made."""

    wanted: tuple[str, ...]
    called: tuple[str, ...]
    times: int


class ConstantSet(Value):
    """The set of functions with the best score if it is called for every question."""

    functions: tuple[str, ...]
    set_f1: float


class FunctionFigures(Figures):
    """Figures of one actor: micro and macro F1, precision and recall per function, and the most frequent wrong sets."""

    micro_f1: float | None
    macro_f1: float | None
    functions: dict[str, PrecisionRecall]
    confusion: tuple[Confusion, ...]


class FunctionsReport(Report[FunctionFigures]):
    """`comparisons` are paired tests of set F1 with the baseline."""

    split: str | None
    agreement: RaterAgreement
    best_constant: ConstantSet
    baseline: str
    actors: dict[str, FunctionFigures] = Field(alias="pipelines")


def functions_report(outcome: ScoredRun[LabelledQuestion]) -> FunctionsReport:
    """Set F1, micro and macro F1, precision and recall per function, and the most frequent wrong sets. CPU-bound."""
    questions = outcome.plan.dataset.items
    names = [actor.name for actor in outcome.plan.actors]
    baseline = BASELINE if BASELINE in names else names[0]
    scores = {name: outcome.scores(SetF1.stem, name) for name in names}
    return FunctionsReport(
        **common(outcome),
        split=outcome.plan.facts.get("split"),
        agreement=agreement(questions),
        best_constant=best_constant([frozenset(one.functions) for one in questions]),
        baseline=baseline,
        actors={name: _figures(outcome, name) for name in names},
        comparisons=tuple(compare(scores, baseline)),
    )


def best_constant(wanted: Sequence[frozenset[str]]) -> ConstantSet:
    """The best constant answer: a lower bound for useful pipelines."""
    sets = (frozenset(some) for size in range(len(FUNCTIONS) + 1) for some in combinations(FUNCTIONS, size))
    means = ((one, fmean(set_f1(one, want) for want in wanted)) for one in sets)
    functions, score = max(means, key=lambda found: found[1])
    return ConstantSet(functions=tuple(sorted(functions)), set_f1=round(score, 6))


def _figures(outcome: ScoredRun[LabelledQuestion], actor: str) -> FunctionFigures:
    wanted = {one.id: frozenset(one.functions) for one in outcome.plan.dataset.items}
    called = _called(outcome.of(actor))
    return FunctionFigures.model_validate(
        {**common_figures(outcome, actor), **_by_function(called, wanted), "confusion": _confusion(called, wanted)}
    )


def _called(rows: Sequence[ResultRow]) -> list[Called]:
    return [(row.item, frozenset(row.output)) for row in rows if row.state == ResultState.SCORED]


def _by_function(called: Sequence[Called], wanted: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    from sklearn.metrics import precision_recall_fscore_support

    if not called:
        return {"micro_f1": None, "macro_f1": None, "functions": {}}
    truth = [[name in wanted[item] for name in FUNCTIONS] for item, _ in called]
    calls = [[name in one for name in FUNCTIONS] for _, one in called]
    precision, recall, f1, _ = precision_recall_fscore_support(truth, calls, average=None, zero_division=0.0)
    micro = precision_recall_fscore_support(truth, calls, average="micro", zero_division=0.0)[2]
    return {
        "micro_f1": round(float(micro), 6),
        "macro_f1": round(float(f1.mean()), 6),
        "functions": {
            name: PrecisionRecall(precision=round(float(precision[n]), 6), recall=round(float(recall[n]), 6))
            for n, name in enumerate(FUNCTIONS)
        },
    }


def _confusion(called: Sequence[Called], wanted: Mapping[str, frozenset[str]]) -> tuple[Confusion, ...]:
    """The most frequent wrong sets, with the right ones."""
    wrong = Counter((tuple(sorted(wanted[item])), tuple(sorted(one))) for item, one in called if one != wanted[item])
    return tuple(
        Confusion(wanted=want, called=one, times=times) for (want, one), times in wrong.most_common(MAX_CONFUSIONS)
    )
