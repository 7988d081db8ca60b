"""Trains the offline router on a course's labelled questions, and measures it by cross-validation."""

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
from offline.router import NOTHING, InputReader, Needs, input_reader
from retrievers.affinity import Affinities
from retrievers.index.indexes import Indexes

STRENGTH = 0.2
"""Inverse of the L2 penalty of each regression (scikit-learn's C)."""
FEATURE_SCALE = 0.7
VECTOR_SCALE = 6.0
"""Scale of features (after standardising) and embeddings (of length 1): the larger, the less their weights are
penalised."""
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
    """An intercept per target, and weights of shape (5, f) and (5, d) for unscaled features."""

    intercepts: Matrix
    features: Matrix
    vectors: Matrix

    def needs(self, data: Examples) -> list[Needs]:
        """The predicted needs of each question."""
        logits = data.features @ self.features.T + data.vectors @ self.vectors.T + self.intercepts
        chances = (1 / (1 + np.exp(-logits))).tolist()
        return [Needs(row[-1], dict(zip(FUNCTIONS, row[:-1], strict=True))) for row in chances]


def learn(data: Examples) -> Learned:
    """One regression per function, trained on questions that need any, and one for needing none, trained on all.

    Their scores are calibrated on held-out folds (Platt, 1999).
    """
    centre, spread = data.features.mean(0), data.features.std(0) + 1e-6
    stretch, shift = FEATURE_SCALE / spread, data.vectors.mean(0)
    inputs = np.hstack([(data.features - centre) * stretch, (data.vectors - shift) * VECTOR_SCALE])
    some = data.needed.any(axis=1)
    fitted = [_calibrated(inputs[some], column) for column in data.needed[some].T]
    fitted.append(_calibrated(inputs, np.asarray(~some, dtype=np.int64)))
    intercepts, weights = np.array([one for one, _ in fitted]), np.array([one for _, one in fitted])
    count = len(data.names)
    on_features, on_vectors = weights[:, :count] * stretch, weights[:, count:] * VECTOR_SCALE
    return Learned(intercepts - on_features @ centre - on_vectors @ shift, on_features, on_vectors)


def _calibrated(inputs: Matrix, needed: NDArray[np.int64]) -> tuple[float, Matrix]:
    """Intercept and weights of a regression whose logits are calibrated on held-out questions."""
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
    """Quality of the weights on questions that were not used for training."""

    n: int
    set_f1: Mean
    brier: float


def cross_validated(data: Examples) -> CrossValidated:
    """Set F1 with its interval and the Brier score, each fold measured with weights trained on the others."""
    from sklearn.model_selection import KFold

    scores, errors = [], []
    for rest, fold in KFold(FOLDS, shuffle=True, random_state=SEED + 1).split(data.features):
        for needs, row in zip(learn(data.rows(rest)).needs(data.rows(fold)), data.needed[fold], strict=True):
            wanted = frozenset(name for name, one in zip(FUNCTIONS, row, strict=True) if one)
            scores.append(set_f1(frozenset(needs.best_set()), wanted))
            errors += [
                ((1 - needs.nothing) * chance - (name in wanted)) ** 2 for name, chance in needs.functions.items()
            ]
    return CrossValidated(n=len(scores), set_f1=mean_of(scores), brier=round(float(np.mean(errors)), 4))


class RouterReport(CrossValidated):
    """The figures, and the data used for training."""

    course: str
    split: str
    questions: int


async def learned_router(
    indexes: Indexes, embedding_model: str, course_id: str, split: str, questions: Sequence[LabelledQuestion]
) -> tuple[RouterReport, dict[str, Any]]:
    """The figures of cross-validation, and the content of `router.json` trained on all questions."""
    data = await examples(input_reader(Affinities(indexes)), course_id, questions)
    facts = {"course": course_id, "split": split, "questions": len(questions)}
    measured = await in_thread(cross_validated, data)
    weights = to_file(await in_thread(learn, data), data, embedding_model, facts)
    return RouterReport.model_validate({**facts, **dict(measured)}), weights


def to_file(learned: Learned, data: Examples, embedding: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of `router.json`; `facts` describe the training data."""
    return {
        "embedding": embedding,
        "learned_from": dict(facts),
        "weights": {
            name: {
                "intercept": round(float(learned.intercepts[n]), 4),
                "features": {one: round(float(learned.features[n, at]), 4) for at, one in enumerate(data.names)},
                "vector": [round(float(value), 3) for value in learned.vectors[n]],
            }
            for n, name in enumerate(TARGETS)
        },
    }
