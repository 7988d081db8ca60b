"""Whether pipelines call the right course functions: set F1 per question (EduMod-LLM, section 3.2 and Table 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import Field, ValidationError

from core.course import Course
from core.errors import InvalidInput
from core.llm.base import LLM
from core.store.store import Store
from core.store.tables import ResultRow, ResultState
from core.types import Question, Value
from eval.jsonl import read_unique
from eval.runner import Act, Outcome, Plan, mean_usage
from eval.statistics import compare, mean_of, percentile
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration
from retrievers.functions import COURSE_FUNCTIONS

KIND = "functions"
"""Of evaluations and of labels."""
QUESTIONS, LABELS = "questions.jsonl", "labels.jsonl"
FUNCTIONS = tuple(function.name for function in COURSE_FUNCTIONS)
BASELINE = "edison"
"""The pipeline that every other one is compared with; where it is not among them, the first is."""
MOST_CONFUSED = 10


class LabelledQuestion(Value):
    """A student's question, the functions it needs, and where two raters marked them, what each did."""

    id: str
    split: str
    question: Question
    functions: tuple[str, ...]
    raters: dict[str, tuple[str, ...]] = Field(default_factory=dict)


def read_function_labels(folder: Path) -> list[LabelledQuestion]:
    """Read `questions.jsonl` and `labels.jsonl`. Raises `InvalidInput` naming the file and the line or id."""
    questions, labels = (read_unique(folder / name) for name in (QUESTIONS, LABELS))
    missing = sorted(questions.keys() ^ labels.keys())
    if missing:
        raise InvalidInput(f"{folder}: only one of {QUESTIONS} and {LABELS} has {', '.join(missing[:5])}.")
    found = []
    for name, row in questions.items():
        try:
            labelled = LabelledQuestion.model_validate({**row.content, **labels[name].content})
        except ValidationError as error:
            raise InvalidInput(f"{folder}: the labelled question {name!r} is not valid: {error}") from error
        for function in {*labelled.functions, *(one for rated in labelled.raters.values() for one in rated)}:
            if function not in FUNCTIONS:
                raise InvalidInput(
                    f"{folder / LABELS}: {name!r} names the function {function!r}; there are {', '.join(FUNCTIONS)}."
                )
        found.append(labelled)
    return found


async def labelled_questions(store: Store, course_id: str, split: str | None) -> list[LabelledQuestion]:
    """A course's labelled questions of one split, or all. Raises `InvalidInput` where it has none."""
    await store.courses.get(course_id)
    labels = [
        LabelledQuestion.model_validate(one) for one in (await store.evaluations.labels(course_id, KIND)).values()
    ]
    found = [one for one in labels if split in (None, one.split)]
    if not found:
        splits = ", ".join(sorted({one.split for one in labels})) or "none"
        raise InvalidInput(
            f"The course {course_id!r} has no labelled questions in the split {split!r} (it has: {splits}). Put "
            f"{QUESTIONS} and {LABELS} into functions/ of its label folder, then run `edumod course load`."
        )
    return found


def functions_plan(
    assistant: Assistant,
    course: Course,
    questions: Sequence[LabelledQuestion],
    configurations: Mapping[str, Configuration],
    seeds: int,
    facts: Mapping[str, Any],
) -> Plan[LabelledQuestion]:
    """Every configuration, by the name to report it under, on every question under each of `seeds` seeds."""

    def actor(configuration: Configuration) -> Act[LabelledQuestion]:
        async def act(labelled: LabelledQuestion, seed: int, llm: LLM) -> list[str]:
            seeded = configuration.model_copy(update={"seed": seed})
            working = replace(assistant, llm=llm)
            run = working.start(course, labelled.question, seeded)
            await working.answer(run, seeded)
            return sorted({call.name for call in run.calls})

        return act

    return Plan(
        course_id=course.id,
        kind=KIND,
        items={one.id: one for one in questions},
        actors={name: actor(configuration) for name, configuration in configurations.items()},
        seeds=tuple(range(seeds)),
        facts={"configurations": {name: one.hash for name, one in configurations.items()}, **facts},
    )


@dataclass(frozen=True)
class FunctionsReport:
    """The figures, and per pipeline and question the set F1 averaged over seeds."""

    summary: dict[str, Any]
    scores: dict[str, dict[str, float]]


def functions_report(
    course_id: str, questions: Sequence[LabelledQuestion], outcome: Outcome, seeds: int
) -> FunctionsReport:
    """Set F1, micro and macro F1, precision and recall per function, and what was called instead of what."""
    wanted = {one.id: frozenset(one.functions) for one in questions}
    pipelines = list(outcome.evaluation.config["actors"])
    scores = {name: _per_question(outcome.of(name), wanted) for name in pipelines}
    constant, constant_f1 = best_constant(list(wanted.values()))
    baseline = BASELINE if BASELINE in pipelines else pipelines[0]
    summary = {
        "course": course_id,
        "n": len(questions),
        "seeds": seeds,
        **{fact: outcome.evaluation.config.get(fact) for fact in ("split", "model")},
        "agreement": agreement(questions),
        "best_constant": {"functions": sorted(constant), "set_f1": round(constant_f1, 6)},
        "pipelines": {
            name: _figures(outcome.of(name), wanted, scores[name], len(questions) * seeds) for name in pipelines
        },
        "baseline": baseline,
        "comparisons": [found.model_dump() for found in compare(scores, baseline)],
    }
    return FunctionsReport(summary, scores)


def set_f1(called: frozenset[str], wanted: frozenset[str]) -> float:
    """F1 of two sets; 1 where both are empty, for then nothing was to be called and nothing was."""
    return 2 * len(called & wanted) / (len(called) + len(wanted)) if called or wanted else 1.0


def best_constant(wanted: Sequence[frozenset[str]]) -> tuple[frozenset[str], float]:
    """The set which, called for every question, scores best: what a pipeline must beat to have learned anything."""
    sets = (frozenset(some) for size in range(len(FUNCTIONS) + 1) for some in combinations(FUNCTIONS, size))
    return max(((one, fmean(set_f1(one, want) for want in wanted)) for one in sets), key=lambda found: found[1])


def agreement(questions: Sequence[LabelledQuestion]) -> dict[str, Any]:
    """How far the two raters agree: the same set, and Cohen's kappa per function."""
    rated = [[frozenset(marked) for marked in one.raters.values()] for one in questions if len(one.raters) == 2]
    if not rated:
        return {"n": 0}
    return {
        "n": len(rated),
        "same_set": round(fmean(float(a == b) for a, b in rated), 4),
        "kappa": {name: _kappa([name in a for a, _ in rated], [name in b for _, b in rated]) for name in FUNCTIONS},
    }


def _kappa(a: list[bool], b: list[bool]) -> float | None:
    """None where both raters say the same about every question: then there is no chance to correct for."""
    from sklearn.metrics import cohen_kappa_score

    return None if len({*a, *b}) < 2 else round(float(cohen_kappa_score(a, b)), 4)


def _scored(rows: Iterable[ResultRow]) -> list[tuple[str, frozenset[str]]]:
    return [(row.item, frozenset(row.output)) for row in rows if row.state == ResultState.SCORED]


def _per_question(rows: Iterable[ResultRow], wanted: Mapping[str, frozenset[str]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for item, called in _scored(rows):
        found.setdefault(item, []).append(set_f1(called, wanted[item]))
    return {item: fmean(values) for item, values in found.items()}


def _figures(
    rows: Sequence[ResultRow], wanted: Mapping[str, frozenset[str]], scores: Mapping[str, float], cells: int
) -> dict[str, Any]:
    scored = _scored(rows)
    return {
        "set_f1": mean_of(list(scores.values())).model_dump(),
        **_by_function(scored, wanted),
        "confusion": _confusion(scored, wanted),
        "model_calls": mean_usage(rows, "calls"),
        "tokens": mean_usage(rows, "prompt_tokens", "completion_tokens"),
        "cost_usd": mean_usage(rows, "cost_usd"),
        "latency_ms": {
            "p50": percentile([row.ms for row in rows], 0.5),
            "p95": percentile([row.ms for row in rows], 0.95),
        },
        "unscored": cells - len(scored),
    }


def _by_function(scored: Sequence[tuple[str, frozenset[str]]], wanted: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    from sklearn.metrics import precision_recall_fscore_support

    if not scored:
        return {"micro_f1": None, "macro_f1": None, "functions": {}}
    truth = [[name in wanted[item] for name in FUNCTIONS] for item, _ in scored]
    called = [[name in calls for name in FUNCTIONS] for _, calls in scored]
    precision, recall, f1, _ = precision_recall_fscore_support(truth, called, average=None, zero_division=0.0)
    micro = precision_recall_fscore_support(truth, called, average="micro", zero_division=0.0)[2]
    return {
        "micro_f1": round(float(micro), 6),
        "macro_f1": round(float(f1.mean()), 6),
        "functions": {
            name: {"precision": round(float(precision[n]), 6), "recall": round(float(recall[n]), 6)}
            for n, name in enumerate(FUNCTIONS)
        },
    }


def _confusion(
    scored: Sequence[tuple[str, frozenset[str]]], wanted: Mapping[str, frozenset[str]]
) -> list[dict[str, Any]]:
    """The commonest wrong sets, with the right one beside them."""
    wrong = Counter(
        (tuple(sorted(wanted[item])), tuple(sorted(called))) for item, called in scored if called != wanted[item]
    )
    return [
        {"wanted": list(want), "called": list(called), "times": times}
        for (want, called), times in wrong.most_common(MOST_CONFUSED)
    ]
