"""How often retrieval finds what answers a query: Recall@k, MRR and nDCG (EduMod-LLM, section 3.3 and Table 1)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.llm.base import LLM
from core.store.store import Store
from core.store.tables import ResultRow, ResultState
from core.types import Source
from eval.datasets import PlaceOf, Query, missing_places
from eval.runner import Act, Outcome, Plan, mean_usage
from eval.statistics import Comparison, compare, mean_of, percentile
from retrievers import retriever_named
from retrievers.functions import retrieve
from retrievers.index import Indexes
from retrievers.tasks import RETRIEVAL_TASKS

DEPTH = 50
"""Passages asked of a retriever, before they are collapsed to the places that labels speak of."""
KEPT = 20
"""Places kept of each ranking."""
KIND = "retrieval"
"""Of evaluations and of labels."""
RANK_CUTOFF = 10
"""Where MRR and nDCG stop looking."""


async def labelled_queries(store: Store, course_id: str) -> list[Query]:
    """A course's own labelled queries. Raises `InvalidInput` where it has none."""
    await store.courses.get(course_id)
    labels = await store.evaluations.labels(course_id, KIND)
    if not labels:
        raise InvalidInput(
            f"The course {course_id!r} has no labelled queries. Name their folder under `labels` in the course file "
            "(queries.jsonl and qrels.tsv in retrieval/), then run `edumod course load` on it."
        )
    return [
        Query(name, content["text"], content["kind"], frozenset(content["relevant"]))
        for name, content in labels.items()
    ]


async def demand_places(indexes: Indexes, course_id: str, queries: Sequence[Query]) -> None:
    """Raises `InvalidInput` naming labelled places that the course's material does not have."""
    missing = missing_places(queries, (await indexes.get(course_id)).passages)
    if missing:
        shown = "; ".join(missing[:5]) + ("; …" if len(missing) > 5 else "")
        raise InvalidInput(
            f"{len(missing)} labelled places are not in the material of {course_id!r}: {shown}. "
            "Mend the labels (a place is DOCUMENT > Heading > Sub-heading), or ingest what is missing."
        )


async def retrieval_facts(store: Store, embedding_model: str, model: str, course_id: str) -> dict[str, Any]:
    """On what the rankings of a course depend, besides the retriever and the query."""
    return {
        "version": version("edumod"),
        "revision": (await store.courses.get(course_id)).revision,
        "embedding_model": embedding_model,
        "model": model,
        "prompts": {task.name(): task.version for task in RETRIEVAL_TASKS},
    }


def retrieval_plan(
    indexes: Indexes,
    course_id: str,
    queries: Sequence[Query],
    retrievers: Sequence[str],
    place_of: PlaceOf,
    facts: Mapping[str, Any],
    kind: str = KIND,
) -> Plan[Query]:
    """Every retriever on every query. Raises `UnknownName` for a retriever there is none of.

    A query whose kind is a source is searched in that source alone, as its course function does it.
    """

    def actor(retriever: str) -> Act[Query]:
        retriever_named(retriever)

        async def act(query: Query, _seed: int, llm: LLM) -> list[str]:
            source = Source(query.kind) if query.kind in set(Source) else None
            found = await retrieve(indexes, course_id, source, query.text, retriever=retriever, top_k=DEPTH, llm=llm)
            return list(dict.fromkeys(place_of(query, passage) for passage in found))[:KEPT]

        return act

    return Plan(
        course_id=course_id,
        kind=kind,
        items={query.id: query for query in queries},
        actors={retriever: actor(retriever) for retriever in dict.fromkeys(retrievers)},
        facts={"queries": _digest(queries), "depth": DEPTH, **facts},
    )


def _digest(queries: Sequence[Query]) -> str:
    return hashlib.sha256(repr([(q.id, q.text, q.kind, sorted(q.relevant)) for q in queries]).encode()).hexdigest()


@dataclass(frozen=True)
class RetrievalReport:
    """The figures of an evaluation, and per query what they were made of."""

    summary: dict[str, Any]
    scores: dict[str, dict[str, dict[str, float]]]
    """By metric, retriever and query; queries that failed are not in it."""
    comparisons: list[Comparison]


def retrieval_report(name: str, queries: Sequence[Query], outcome: Outcome, ks: Sequence[int]) -> RetrievalReport:
    """Score the rankings with ir-measures. `comparisons` are paired tests at the smallest k."""
    retrievers = list(outcome.evaluation.config["actors"])
    scores: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for retriever in retrievers:
        for metric, values in _measured(queries, outcome.of(retriever), ks).items():
            scores[metric][retriever] = values
    summary = {
        "dataset": name,
        "n": len(queries),
        "retrievers": {
            retriever: _figures(queries, {m: scores[m][retriever] for m in scores}, outcome.of(retriever))
            for retriever in retrievers
        },
    }
    return RetrievalReport(summary, dict(scores), compare(scores[f"recall@{min(ks)}"]))


def _measured(queries: Sequence[Query], rows: Iterable[ResultRow], ks: Sequence[int]) -> dict[str, dict[str, float]]:
    import ir_measures
    from ir_measures import RR, R, nDCG

    measures = {R @ k: f"recall@{k}" for k in ks} | {
        RR @ RANK_CUTOFF: f"mrr@{RANK_CUTOFF}",
        nDCG @ RANK_CUTOFF: f"ndcg@{RANK_CUTOFF}",
    }
    run = {row.item: _scored(row.output) for row in rows if row.state == ResultState.SCORED}
    qrels = {query.id: dict.fromkeys(query.relevant, 1) for query in queries if query.id in run}
    found: dict[str, dict[str, float]] = {metric: {} for metric in measures.values()}
    for one in ir_measures.iter_calc(list(measures), qrels, run) if qrels else ():
        found[measures[one.measure]][one.query_id] = float(one.value)
    return found


def _scored(ranking: Sequence[str]) -> dict[str, float]:
    """Scores that keep the order: the library would sort equal ones by name."""
    return {place: float(len(ranking) - rank) for rank, place in enumerate(ranking)}


def _figures(
    queries: Sequence[Query], scores: Mapping[str, Mapping[str, float]], rows: Sequence[ResultRow]
) -> dict[str, Any]:
    scored = [row for row in rows if row.state == ResultState.SCORED]
    kinds: dict[str, list[str]] = defaultdict(list)
    for query in queries:
        kinds[query.kind].append(query.id)
    return {
        **{metric: mean_of(list(values.values())).model_dump() for metric, values in scores.items()},
        "latency_ms": {"p50": percentile([r.ms for r in scored], 0.5), "p95": percentile([r.ms for r in scored], 0.95)},
        "model_calls": mean_usage(rows, "calls"),
        "cached_calls": mean_usage(rows, "cached_calls"),
        "tokens": mean_usage(rows, "prompt_tokens", "completion_tokens"),
        "cost_usd": mean_usage(rows, "cost_usd"),
        "unscored": len(queries) - len(scored),
        "kinds": {
            kind: {
                "n": len(ids),
                **{
                    metric: mean_of([values[one] for one in ids if one in values]).model_dump()
                    for metric, values in scores.items()
                    if metric.startswith("recall")
                },
            }
            for kind, ids in sorted(kinds.items())
            if len(kinds) > 1
        },
    }


def write_runs(folder: Path, outcome: Outcome) -> list[Path]:
    """One TREC run file per retriever: query, Q0, place, rank, score, name."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for retriever in outcome.evaluation.config["actors"]:
        lines = [
            f"{row.item} Q0 {place.replace(' ', '_')} {rank} {len(row.output) - rank + 1} {retriever}\n"
            for row in outcome.of(retriever)
            if row.state == ResultState.SCORED
            for rank, place in enumerate(row.output, 1)
        ]
        path = folder / f"{retriever}.run"
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(path)
    return paths
