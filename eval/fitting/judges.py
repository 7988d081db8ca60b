"""Fits the computed judges, and measures them by cross-validation over questions.

    python -m eval.fitting.judges FOLDER [--courses data] [--write]

FOLDER holds scored answers as `edumod eval judges` reads them. With `--write`, the coefficients (`answers.json` in
`eval/judges/computed`) and the counts of the order of words (`word_order.json`, from the sample courses' own texts) are
replaced. The scored answers themselves are not kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.attacks import ATTACKS
from eval.calibration.baselines import BASELINES
from eval.calibration.measures import Resampling, correlation, gain
from eval.datasets.judged import JudgedAnswer, JudgedAnswers, Scale, by_question, read_judged
from eval.judges.computed import word_order
from eval.judges.computed.features import Features, features
from eval.judges.computed.model import MAX_QUALITY, WEIGHTS, Regression, Weights, assess
from eval.statistics import Mean

QUALITY = (
    "cosine_residual", "cosine_without_question", "words_found", "words_found_exactly", "words_new_squared",
    "words_fitting", "nothing_new", "new_words", "rouge_l_precision", "length", "length_reference", "reference_new",
)  # fmt: skip
"""Features of the score that people give. A few: with many, the correlation on other questions is lower."""
TOPICAL = (
    "cosine", "cosine_question", "cosine_residual", "cosine_without_question", "statements_found", "statements_wanted",
    "best_statement", "best_window", "words_found", "words_found_exactly", "words_all", "words_fitting",
    "words_foreign", "nothing_new", "new_words", "length", "reference_new", "rouge_l_precision", "rouge_l_recall",
    "longer", "shorter",
)  # fmt: skip
OFF_TOPIC = (
    "empty", "dont_know", "question_repeated", "other_answer", "garbled", "style_only", "padded", "injected_score",
    "injected_rubric", "injected_tags", "injected_language", "invisible",
)  # fmt: skip
"""Attacks that leave no answer to the question."""
QUALITY_PENALTY = 10.0
"""Of the ridge regression, for standardised features."""
TOPICAL_STRENGTH = 0.01
"""Inverse of the penalty of the logistic regression (scikit-learn's C)."""
ANSWERS_FROM = 0.6
"""Share of the scale from which an answer counts as one to its question."""
GOOD = 0.8
ATTACKED_PER_QUESTION = 10
CUT = (0.005, 0.995)
"""Quantiles at which features are cut."""
FOLDS = 8
SEEDS = 3
FUNCTION_WORDS = 150
_CODE = re.compile(r"```.*?```", re.DOTALL)
_MARKS = re.compile(r"[`*_$]")
MIN_TEXT = 40

Matrix = NDArray[np.float64]


class Example:
    """An answer with its features. `human` is its mean score from 0 to 5; None for an off-topic one."""

    def __init__(self, item: JudgedAnswer, found: Features, human: float | None) -> None:
        self.item, self.features, self.human = item, found, human


def examples(data: JudgedAnswers, processes: int) -> list[Example]:
    """The scored answers, and what the off-topic attacks make of the good ones."""
    good = [item for item in data.dataset.items if data.scale.share(item.human) >= GOOD]
    work = []
    for question, items in by_question(data.dataset.items).items():
        others = tuple(item for item in good if item.question != question)
        own = [item for item in good if item.question == question][:ATTACKED_PER_QUESTION]
        made = [
            changed
            for item in own
            for attack in ATTACKS
            if attack.name in OFF_TOPIC and (changed := attack.apply(item, others, 0)) is not None
        ]
        work.append([*items, *made])
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(_features_of, work))
    on_five = Scale(min=0, max=MAX_QUALITY)
    return [
        Example(item, one, on_five.at(data.scale.share(item.human)) if item.scores else None)
        for items, ones in zip(work, found, strict=True)
        for item, one in zip(items, ones, strict=True)
    ]


def _features_of(items: Sequence[JudgedAnswer]) -> list[Features]:
    return [features(item.question, item.reference, item.answer) for item in items]


def fitted(chosen: Sequence[Example], facts: dict[str, str | float]) -> Weights:
    """A ridge regression on people's scores, and a logistic one of their answers against off-topic ones."""
    from sklearn.linear_model import LogisticRegression, Ridge

    scored = [one for one in chosen if one.human is not None]
    quality = _regression(
        Ridge(alpha=QUALITY_PENALTY), QUALITY, scored, np.array([one.human for one in scored], dtype=float)
    )
    least = ANSWERS_FROM * MAX_QUALITY
    kept = [one for one in chosen if one.human is None or one.human >= least]
    topical = _regression(
        LogisticRegression(C=TOPICAL_STRENGTH, max_iter=5000),
        TOPICAL,
        kept,
        np.array([one.human is not None for one in kept], dtype=int),
    )
    return Weights(fitted_on=facts, quality=quality, topical=topical)


def _regression(model: Any, names: Sequence[str], chosen: Sequence[Example], target: NDArray[Any]) -> Regression:
    """Fitted on standardised features; the weights are those of the features as they are."""
    values = np.array([[one.features[name] for name in names] for one in chosen])
    low, high = np.quantile(values, CUT, axis=0)
    cut = np.clip(values, low, high)
    centre, spread = cut.mean(0), cut.std(0) + 1e-9
    model.fit((cut - centre) / spread, target)
    weights = np.ravel(model.coef_) / spread
    return Regression(
        intercept=round(float(np.ravel(model.intercept_)[0] - weights @ centre), 5),
        weights={
            name: (round(float(weight), 5), round(float(least), 5), round(float(most), 5))
            for name, weight, least, most in zip(names, weights, low, high, strict=True)
        },
    )


def cross_validated(chosen: Sequence[Example], seed: int) -> Matrix:
    """Scores of the scored answers, each by coefficients fitted on other questions."""
    questions = list(dict.fromkeys(one.item.question for one in chosen))
    order = np.random.default_rng(seed).permutation(len(questions))
    fold = {questions[position]: number % FOLDS for number, position in enumerate(order)}
    scored = [one for one in chosen if one.human is not None]
    found = np.zeros(len(scored))
    for number in range(FOLDS):
        weights = fitted([one for one in chosen if fold[one.item.question] != number], {})
        for position, one in enumerate(scored):
            if fold[one.item.question] == number:
                found[position] = assess(one.features, weights).score
    return found


def figures(chosen: Sequence[Example]) -> Iterator[str]:
    """Correlations with people, and how much higher they are than those of the baselines."""
    scored = [one for one in chosen if one.human is not None]
    human = np.array([one.human for one in scored], dtype=float)
    items = [one.item for one in scored]
    resampling = Resampling([item.question for item in items])
    for seed in range(SEEDS):
        found = cross_validated(chosen, seed)
        yield f"split {seed}: pearson {_shown(resampling.interval(correlation(found, human)))}"
        if seed == 0:
            for name, measure in BASELINES.items():
                base = measure(items)
                yield f"  {name} {_shown(resampling.interval(correlation(base, human)))}"
                yield f"    less than the judge by {_shown(resampling.interval(gain(found, base, human)))}"


def _shown(mean: Mean) -> str:
    return f"{mean.mean:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def course_texts(folder: Path) -> Iterator[str]:
    """Paragraphs of the textbooks and posts of the sample courses."""
    for path in sorted(folder.glob("*/textbook/*.md")):
        for paragraph in _CODE.sub("", path.read_text(encoding="utf-8")).split("\n\n"):
            if not paragraph.startswith(("#", "|", "    ")):
                yield _MARKS.sub("", paragraph)
    for path in sorted(folder.glob("*/qa/threads.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from _texts(json.loads(line))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) > MIN_TEXT:
        yield _MARKS.sub("", _CODE.sub("", value))
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def main() -> None:
    """Fit, measure and perhaps write."""
    parser = argparse.ArgumentParser(description="Fit the computed judges on scored answers.")
    parser.add_argument("folder", type=Path, help="folder with answers.jsonl and scale.json")
    parser.add_argument("--courses", type=Path, default=Path("data"), help="folder of the sample courses")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="replace the shipped coefficients")
    asked = parser.parse_args()
    if asked.write:
        counts = word_order.counted(course_texts(asked.courses), FUNCTION_WORDS)
        word_order.COUNTS.write_text(json.dumps(counts) + "\n", encoding="utf-8")
    data = read_judged(asked.folder)
    chosen = examples(data, asked.processes)
    for line in figures(chosen):
        sys.stdout.write(f"{line}\n")
    if asked.write:
        facts: dict[str, str | float] = {"answers": len(data.dataset.items), "dataset": data.dataset.name}
        WEIGHTS.write_text(fitted(chosen, facts).model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
