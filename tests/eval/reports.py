"""Reports on function selection, made without running anything."""

from __future__ import annotations

from typing import Any

from eval.datasets.questions import FUNCTIONS, RaterAgreement
from eval.functions.report import ConstantSet, FunctionFigures, FunctionsReport
from eval.metrics.set_f1 import SetF1
from eval.report import measure

QA, TEXTBOOK, ASSIGNMENT, LOGISTICS = FUNCTIONS


def figures(f1: float | None, **fields: Any) -> FunctionFigures:
    """Of one pipeline; without an F1 nothing of it could be scored."""
    mean = {"mean": f1, "low": None if f1 is None else f1 - 0.1, "high": None if f1 is None else f1 + 0.1}
    scored = {
        "micro_f1": f1,
        "macro_f1": f1,
        "functions": {name: {"precision": f1, "recall": f1} for name in FUNCTIONS},
        "confusion": [{"wanted": [QA], "called": [], "times": 1}],
    }
    failed: dict[str, Any] = {"micro_f1": None, "macro_f1": None, "functions": {}, "confusion": []}
    return FunctionFigures.model_validate(
        {
            "set_f1": mean,
            **(failed if f1 is None else scored),
            "model_calls": 2.0,
            "tokens": 100.0,
            "cost_usd": 0.0,
            "latency_ms": {"p50": 30.0, "p95": 60.0},
            "unscored": 40 if f1 is None else 0,
            **fields,
        }
    )


def report(actors: dict[str, FunctionFigures], **fields: Any) -> FunctionsReport:
    """Of a course `ds` with 20 questions and two seeds."""
    whole: dict[str, Any] = {
        "evaluation": "e",
        "kind": "functions",
        "dataset": "ds",
        "course": "ds",
        "digest": "d",
        "n": 20,
        "seeds": 2,
        "split": "test",
        "model": "offline",
        "metrics": (measure(SetF1()),),
        "agreement": RaterAgreement(
            n=20, same_set=0.9, kappa={QA: 0.8, TEXTBOOK: 0.7, ASSIGNMENT: 1.0, LOGISTICS: None}
        ),
        "best_constant": ConstantSet(functions=(QA, TEXTBOOK), set_f1=0.4),
        "actors": actors,
        "baseline": next(iter(actors)),
        "comparisons": (),
    }
    return FunctionsReport(**{**whole, **fields})
