"""Learns the offline router's weights from a course's labelled questions, and measures them by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.functions import FUNCTIONS, LabelledQuestion, set_f1
from eval.statistics import mean_of
from pipelines.query import search_query
from pipelines.router import Held, best_set, features, routed_text

STRENGTH = 0.2
"""Inverse of the L2 penalty of each regression (scikit-learn's C)."""
CUE_SCALE = 0.7
VECTOR_SCALE = 6.0
"""How far cue words (after standardising) and embeddings (of length 1) are stretched: the further, the less a weight on
them is penalised."""
FOLDS = 5
SEED = 0

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


async def examples(held: Held, course_id: str, questions: Sequence[LabelledQuestion]) -> Examples:
    """What the router sees of each question, beside its label. Raises what `held` does."""
    rows: list[dict[str, float]] = []
    vectors = []
    for one in questions:
        text = routed_text(one.question)
        found = await held(course_id, search_query(one.question), text)
        rows.append(features(text, found.sources))
        vectors.append(found.vector)
    names = tuple(rows[0])
    needed = [[name in one.functions for name in FUNCTIONS] for one in questions]
    return Examples(
        names,
        np.array([[row[name] for name in names] for row in rows]),
        np.array(vectors, dtype=np.float64),
        np.array(needed, dtype=np.int64),
    )


@dataclass(frozen=True)
class Learned:
    """An intercept per function, and weights of shape (4, f) and (4, d) on the features as they are."""

    intercepts: Matrix
    features: Matrix
    vectors: Matrix

    def probabilities(self, seen: Examples) -> Matrix:
        """P(function is needed), of shape (n, 4)."""
        logits = seen.features @ self.features.T + seen.vectors @ self.vectors.T + self.intercepts
        return np.asarray(1 / (1 + np.exp(-logits)))


def learn(seen: Examples) -> Learned:
    """One regression per function, its scores calibrated on held-out folds (Platt, 1999)."""
    scales = np.array([1.0 if ":" in name else CUE_SCALE for name in seen.names])
    centre, spread = seen.features.mean(0), seen.features.std(0) + 1e-6
    stretch, shift = scales / spread, seen.vectors.mean(0)
    inputs = np.hstack([(seen.features - centre) * stretch, (seen.vectors - shift) * VECTOR_SCALE])
    intercepts, weights = [], []
    for column in seen.needed.T:
        intercept, weight = _calibrated(inputs, column)
        intercepts.append(intercept)
        weights.append(weight)
    count = len(seen.names)
    on_features = np.array(weights)[:, :count] * stretch
    on_vectors = np.array(weights)[:, count:] * VECTOR_SCALE
    return Learned(np.array(intercepts) - on_features @ centre - on_vectors @ shift, on_features, on_vectors)


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


def cross_validated(seen: Examples) -> dict[str, Any]:
    """Set F1 with its interval and the Brier score of weights learned without the questions they are measured on."""
    from sklearn.model_selection import KFold

    chances = np.zeros(seen.needed.shape)
    for rest, fold in KFold(FOLDS, shuffle=True, random_state=SEED + 1).split(seen.features):
        chances[fold] = learn(seen.rows(rest)).probabilities(seen.rows(fold))
    scores = [
        set_f1(frozenset(best_set(dict(zip(FUNCTIONS, chances[n].tolist(), strict=True)))), _needed(seen.needed[n]))
        for n in range(len(chances))
    ]
    brier = float(np.mean((chances - seen.needed) ** 2))
    return {"n": len(scores), "set_f1": mean_of(scores).model_dump(), "brier": round(brier, 4)}


def to_file(learned: Learned, seen: Examples, embedding: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of `router.json`; `facts` say what the weights were learned from."""
    return {
        "embedding": embedding,
        "learned_from": dict(facts),
        "functions": {
            name: {
                "intercept": round(float(learned.intercepts[n]), 4),
                "features": {one: round(float(learned.features[n, at]), 4) for at, one in enumerate(seen.names)},
                "vector": [round(float(value), 3) for value in learned.vectors[n]],
            }
            for n, name in enumerate(FUNCTIONS)
        },
    }


def _needed(row: NDArray[np.int64]) -> frozenset[str]:
    return frozenset(name for name, wanted in zip(FUNCTIONS, row, strict=True) if wanted)
