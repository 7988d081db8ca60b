"""Fits the computed judges, and measures them by cross-validation over questions.

    python -m eval.fitting.judges FOLDER... [--courses data] [--write]

Each FOLDER holds scored answers as `edumod eval judges` reads them; all weigh alike. With `--write`, the coefficients
(`answers.json` in
`eval/judges/computed`) and the counts of the order of words (`word_order.json`, from the sample courses' own texts) are
replaced. The scored answers themselves are not kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
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
    "rouge_l",
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
SWAPPED = "entity_swapped"
REPLACED = ("replaced", "words_foreign", "words_fitting_least", "statements_wanted")
"""Features by which a good answer differs from one with a term of another topic."""
QUALITY_PENALTY = 10.0
"""Of the ridge regression, for standardised features."""
TOPICAL_STRENGTH = 0.01
"""Inverse of the penalty of the logistic regression (scikit-learn's C)."""
INTACT_STRENGTH = 0.1
"""The same for replaced terms."""
ANSWERS_FROM = 0.6
"""Share of the scale from which an answer counts as one to its question."""
GOOD = 0.8
"""Share of the scale from which an answer is good."""
ATTACKED_PER_QUESTION = 5
CHUNK = 20
CUT = (0.005, 0.995)
"""Quantiles at which features are cut."""
FOLDS = 8
SEEDS = 3
FUNCTION_WORDS = 150
_CODE = re.compile(r"```.*?```", re.DOTALL)
_MARKS = re.compile(r"[`*_$]")
MIN_TEXT = 40

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """An answer with its features: a scored one with its human score from 0 to 5, or what an attack made of one."""

    item: JudgedAnswer
    features: Features
    dataset: str
    human: float | None = None
    attack: str | None = None

    @property
    def is_good(self) -> bool:
        return self.human is not None and self.human >= GOOD * MAX_QUALITY


def examples(data: JudgedAnswers, processes: int) -> list[Example]:
    """The scored answers, and what attacks make of the good ones."""
    good = [item for item in data.dataset.items if data.scale.share(item.human) >= GOOD]
    made: list[tuple[JudgedAnswer, str]] = []
    for question, items in by_question(tuple(good)).items():
        others = tuple(item for item in good if item.question != question)
        made += [
            (changed, attack.name)
            for item in items[:ATTACKED_PER_QUESTION]
            for attack in ATTACKS
            if attack.name in (*OFF_TOPIC, SWAPPED) and (changed := attack.apply(item, others, 0)) is not None
        ]
    scored = data.dataset.items
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(_features_of, (*scored, *(item for item, _ in made)), chunksize=CHUNK))
    on_five, name = Scale(min=0, max=MAX_QUALITY), data.dataset.name
    return [
        *(
            Example(item, one, name, human=on_five.at(data.scale.share(item.human)))
            for item, one in zip(scored, found, strict=False)
        ),
        *(
            Example(item, one, name, attack=attack)
            for (item, attack), one in zip(made, found[len(scored) :], strict=True)
        ),
    ]


def _features_of(item: JudgedAnswer) -> Features:
    return features(item.question, item.reference, item.answer)


def fitted(chosen: Sequence[Example], answers: dict[str, int]) -> Weights:
    """A ridge regression on people's scores, and logistic ones of their answers against those of attacks."""
    from sklearn.linear_model import LogisticRegression, Ridge

    scored = [one for one in chosen if one.human is not None]
    answering = [one for one in scored if (one.human or 0.0) >= ANSWERS_FROM * MAX_QUALITY]
    good = [one for one in scored if one.is_good]
    off_topic = [one for one in chosen if one.attack in OFF_TOPIC]
    swapped = [one for one in chosen if one.attack == SWAPPED]
    return Weights(
        fitted_on=answers,
        quality=_regression(
            Ridge(alpha=QUALITY_PENALTY),
            QUALITY,
            scored,
            np.array([one.human for one in scored], dtype=float),
            _alike([one.dataset for one in scored]),
        ),
        topical=_against(LogisticRegression(C=TOPICAL_STRENGTH, max_iter=5000), TOPICAL, answering, off_topic),
        intact=_against(
            LogisticRegression(C=INTACT_STRENGTH, max_iter=5000),
            REPLACED,
            good,
            swapped,
            _alike([(one.dataset, one.attack) for one in (*good, *swapped)]),
        ),
    )


def _against(
    model: Any, names: Sequence[str], right: Sequence[Example], wrong: Sequence[Example], weights: Matrix | None = None
) -> Regression:
    target = np.repeat([1, 0], [len(right), len(wrong)])
    return _regression(model, names, [*right, *wrong], target, weights)


def _alike(groups: Sequence[Hashable]) -> Matrix:
    """Weights of examples, of mean 1, with which all groups weigh alike."""
    sizes = Counter(groups)
    return np.array([len(groups) / len(sizes) / sizes[one] for one in groups])


def _regression(
    model: Any, names: Sequence[str], chosen: Sequence[Example], target: NDArray[Any], sample_weights: Matrix | None
) -> Regression:
    """Fitted on standardised features; the weights are those of the features as they are."""
    values = np.array([[one.features[name] for name in names] for one in chosen])
    low, high = np.quantile(values, CUT, axis=0)
    cut = np.clip(values, low, high)
    centre, spread = cut.mean(0), cut.std(0) + 1e-9
    model.fit((cut - centre) / spread, target, sample_weight=sample_weights)
    weights = np.ravel(model.coef_) / spread
    return Regression(
        intercept=round(float(np.ravel(model.intercept_)[0] - weights @ centre), 5),
        weights={
            name: (round(float(weight), 5), round(float(least), 5), round(float(most), 5))
            for name, weight, least, most in zip(names, weights, low, high, strict=True)
        },
    )


def cross_validated(chosen: Sequence[Example], seed: int) -> Matrix:
    """The score of each example by coefficients fitted on other questions."""
    questions = list(dict.fromkeys(one.item.question for one in chosen))
    order = np.random.default_rng(seed).permutation(len(questions))
    fold = {questions[position]: number % FOLDS for number, position in enumerate(order)}
    found = np.zeros(len(chosen))
    for number in range(FOLDS):
        weights = fitted([one for one in chosen if fold[one.item.question] != number], {})
        for position, one in enumerate(chosen):
            if fold[one.item.question] == number:
                found[position] = assess(one.features, weights).score
    return found


def figures(chosen: Sequence[Example]) -> Iterator[str]:
    """By data set, correlations with people, how much higher they are than those of the baselines, and how well swapped
    terms are noticed."""
    for seed in range(SEEDS):
        scores = cross_validated(chosen, seed)
        for dataset in dict.fromkeys(one.dataset for one in chosen):
            own = [number for number, one in enumerate(chosen) if one.dataset == dataset]
            yield f"split {seed}, {dataset}:"
            yield from _of_dataset([chosen[number] for number in own], scores[own], with_baselines=seed == 0)


def _of_dataset(chosen: Sequence[Example], scores: Matrix, with_baselines: bool) -> Iterator[str]:
    from sklearn.metrics import roc_auc_score

    rows = [number for number, one in enumerate(chosen) if one.human is not None]
    items, judge = [chosen[number].item for number in rows], scores[rows]
    human = np.array([chosen[number].human for number in rows], dtype=float)
    resampling = Resampling([item.question for item in items])
    yield f"  pearson {_shown(resampling.interval(correlation(judge, human)))}"
    pair = [number for number, one in enumerate(chosen) if one.is_good or one.attack == SWAPPED]
    yield f"  {SWAPPED} AUC {roc_auc_score([chosen[number].is_good for number in pair], scores[pair]):.3f}"
    for name, measure in BASELINES.items() if with_baselines else ():
        base = measure(items)
        yield f"  {name} {_shown(resampling.interval(correlation(base, human)))}"
        yield f"    less than the judge by {_shown(resampling.interval(gain(judge, base, human)))}"


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
    parser.add_argument("folders", type=Path, nargs="+", help="folders with answers.jsonl and scale.json")
    parser.add_argument("--courses", type=Path, default=Path("data"), help="folder of the sample courses")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="replace the shipped coefficients")
    asked = parser.parse_args()
    if asked.write:
        counts = word_order.counted(course_texts(asked.courses), FUNCTION_WORDS)
        word_order.COUNTS.write_text(json.dumps(counts) + "\n", encoding="utf-8")
    data = [read_judged(folder) for folder in asked.folders]
    chosen = [one for part in data for one in examples(part, asked.processes)]
    for line in figures(chosen):
        sys.stdout.write(f"{line}\n")
    if asked.write:
        answers = {part.dataset.name: len(part.dataset.items) for part in data}
        WEIGHTS.write_text(fitted(chosen, answers).model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
