"""Learns the offline router's weights from a course's labelled questions, and measures them by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.concurrency import in_thread
from core.types import Value
from eval.datasets.questions import FUNCTIONS, LabelledQuestion
from eval.metrics.set_f1 import set_f1
from eval.statistics import Mean, mean_of
from pipelines.offline.router import NOTHING, InputReader, Needs, input_reader
from retrievers.affinity import Affinities
from retrievers.index.course_index import Indexes

STRENGTH = 0.2
"""Inverse of the L2 penalty of each regression (scikit-learn's C)."""
FEATURE_SCALE = 0.7
VECTOR_SCALE = 6.0
"""How far features (after standardising) and embeddings (of length 1) are stretched: the further, the less a weight on
them is penalised."""
FOLDS = 5
SEED = 0
TARGETS = (*FUNCTIONS, NOTHING)

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Examples:
    """Questions as numbers: named features of shape (n, f), embeddings (n, d), needed functions (n, 4) as 0 or 1."""

    names: tuple[str, ...]
    features: Matrix
    vectors: Matrix
    needed: NDArray[np.int64]

    def rows(self, chosen: NDArray[np.int64]) -> Examples:
        return Examples(self.names, self.features[chosen], self.vectors[chosen], self.needed[chosen])


async def examples(read: InputReader, course_id: str, questions: Sequence[LabelledQuestion]) -> Examples:
    """The router's input for each question, with its labels. Raises `UnknownName` for an unknown course."""
    inputs = [await read(course_id, one.question, "") for one in questions]
    names = tuple(inputs[0].features)
    needed = [[name in one.functions for name in FUNCTIONS] for one in questions]
    return Examples(
        names,
        np.array([[one.features[name] for name in names] for one in inputs]),
        np.array([one.vector for one in inputs], dtype=np.float64),
        np.array(needed, dtype=np.int64),
    )


@dataclass(frozen=True)
class Learned:
    """An intercept per target, and weights of shape (5, f) and (5, d) on the features as they are."""

    intercepts: Matrix
    features: Matrix
    vectors: Matrix

    def needs(self, seen: Examples) -> list[Needs]:
        """What each of the questions needs."""
        logits = seen.features @ self.features.T + seen.vectors @ self.vectors.T + self.intercepts
        chances = (1 / (1 + np.exp(-logits))).tolist()
        return [Needs(row[-1], dict(zip(FUNCTIONS, row[:-1], strict=True))) for row in chances]


def learn(seen: Examples) -> Learned:
    """One regression per function, over the questions that need any, and one for needing nothing, over all.

    Their scores are calibrated on held-out folds (Platt, 1999).
    """
    centre, spread = seen.features.mean(0), seen.features.std(0) + 1e-6
    stretch, shift = FEATURE_SCALE / spread, seen.vectors.mean(0)
    inputs = np.hstack([(seen.features - centre) * stretch, (seen.vectors - shift) * VECTOR_SCALE])
    some = seen.needed.any(axis=1)
    fitted = [_calibrated(inputs[some], column) for column in seen.needed[some].T]
    fitted.append(_calibrated(inputs, np.asarray(~some, dtype=np.int64)))
    intercepts, weights = np.array([one for one, _ in fitted]), np.array([one for _, one in fitted])
    count = len(seen.names)
    on_features, on_vectors = weights[:, :count] * stretch, weights[:, count:] * VECTOR_SCALE
    return Learned(intercepts - on_features @ centre - on_vectors @ shift, on_features, on_vectors)


def _calibrated(inputs: Matrix, needed: NDArray[np.int64]) -> tuple[float, Matrix]:
    """Intercept and weights of a regression whose logits were mapped to those that held-out questions bear out."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, cross_val_predict

    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    held_out = cross_val_predict(model, inputs, needed, cv=folds, method="decision_function")
    platt = LogisticRegression(C=1.0).fit(held_out[:, None], needed)
    slope, offset = float(platt.coef_[0, 0]), float(platt.intercept_[0])
    model.fit(inputs, needed)
    return slope * float(model.intercept_[0]) + offset, slope * model.coef_[0]


class CrossValidated(Value):
    """How good weights are on questions that they were not learned from."""

    n: int
    set_f1: Mean
    brier: float


def cross_validated(seen: Examples) -> CrossValidated:
    """Set F1 with its interval and the Brier score of weights learned without the questions they are measured on."""
    from sklearn.model_selection import KFold

    scores, errors = [], []
    for rest, fold in KFold(FOLDS, shuffle=True, random_state=SEED + 1).split(seen.features):
        for needs, row in zip(learn(seen.rows(rest)).needs(seen.rows(fold)), seen.needed[fold], strict=True):
            wanted = frozenset(name for name, one in zip(FUNCTIONS, row, strict=True) if one)
            scores.append(set_f1(frozenset(needs.best_set()), wanted))
            errors += [
                ((1 - needs.nothing) * chance - (name in wanted)) ** 2 for name, chance in needs.functions.items()
            ]
    return CrossValidated(n=len(scores), set_f1=mean_of(scores), brier=round(float(np.mean(errors)), 4))


class RouterReport(CrossValidated):
    """The figures, and what the weights were learned from."""

    course: str
    split: str
    questions: int


async def learned_router(
    indexes: Indexes, embedding_model: str, course_id: str, split: str, questions: Sequence[LabelledQuestion]
) -> tuple[RouterReport, dict[str, Any]]:
    """The figures of cross-validation, and the content of `router.json` learned from all questions."""
    seen = await examples(input_reader(Affinities(indexes)), course_id, questions)
    facts = {"course": course_id, "split": split, "questions": len(questions)}
    measured = await in_thread(cross_validated, seen)
    weights = to_file(await in_thread(learn, seen), seen, embedding_model, facts)
    return RouterReport.model_validate({**facts, **dict(measured)}), weights


def to_file(learned: Learned, seen: Examples, embedding: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of `router.json`; `facts` say what the weights were learned from."""
    return {
        "embedding": embedding,
        "learned_from": dict(facts),
        "weights": {
            name: {
                "intercept": round(float(learned.intercepts[n]), 4),
                "features": {one: round(float(learned.features[n, at]), 4) for at, one in enumerate(seen.names)},
                "vector": [round(float(value), 3) for value in learned.vectors[n]],
            }
            for n, name in enumerate(TARGETS)
        },
    }
