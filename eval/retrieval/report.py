"""The report on retrieval: Recall@k, MRR and nDCG (EduMod-LLM, section 3.3 and Table 1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pydantic import Field

from eval.datasets.queries import Query
from eval.metrics.base import Metric
from eval.metrics.mrr import Mrr
from eval.metrics.ndcg import Ndcg
from eval.metrics.recall import Recall
from eval.report import Figures, Means, Report, common, common_figures
from eval.scoring import ScoredRun
from eval.statistics import compare, mean_of

RANK_CUTOFF = 10
"""Rank up to which MRR and nDCG are computed."""


def default_metrics(cutoffs: Sequence[int]) -> tuple[Metric[Query], ...]:
    """Recall at each cut-off, MRR and nDCG."""
    return (*(Recall(k=k) for k in cutoffs), Mrr(k=RANK_CUTOFF), Ndcg(k=RANK_CUTOFF))


class QueryKindFigures(Means):
    """Recall on the queries of one kind."""

    n: int


class RetrievalFigures(Figures):
    """Figures of one actor. `kinds` are the kinds of queries, if there are several."""

    kinds: dict[str, QueryKindFigures] = Field(default_factory=dict)


class RetrievalReport(Report[RetrievalFigures]):
    """`comparisons` are paired tests by the first metric."""

    actors: dict[str, RetrievalFigures] = Field(alias="retrievers")


def retrieval_report(outcome: ScoredRun[Query]) -> RetrievalReport:
    """The figures of every actor. CPU-bound."""
    plan = outcome.plan
    first = plan.metrics[0].name
    return RetrievalReport(
        **common(outcome),
        actors={actor.name: _figures(outcome, actor.name) for actor in plan.actors},
        comparisons=tuple(compare({actor.name: outcome.scores(first, actor.name) for actor in plan.actors})),
    )


def _figures(outcome: ScoredRun[Query], actor: str) -> RetrievalFigures:
    return RetrievalFigures.model_validate({**common_figures(outcome, actor), "kinds": _kinds(outcome, actor)})


def _kinds(outcome: ScoredRun[Query], actor: str) -> dict[str, QueryKindFigures]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for query in outcome.plan.dataset.items:
        kinds[query.kind].append(query.id)
    if len(kinds) < 2:
        return {}
    recalls = {one.name: outcome.scores(one.name, actor) for one in outcome.plan.metrics if isinstance(one, Recall)}
    return {
        kind: QueryKindFigures.model_validate(
            {
                "n": len(ids),
                **{name: mean_of([values[one] for one in ids if one in values]) for name, values in recalls.items()},
            }
        )
        for kind, ids in sorted(kinds.items())
    }
