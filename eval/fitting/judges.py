"""Fits the computed judges, and compares them with cosine on each course by coefficients fitted on the others.

    python -m eval.fitting.judges FOLDER... [--courses data] [--write]

Each FOLDER holds the scored answers of a course as `edumod eval judges` reads them. With `--write`, the coefficients
(`answers.json` in `judging/computed`) and the counts of the order of words (`word_order.json`, from the sample
courses' own texts) are replaced. The scored answers themselves are not kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.agreement import MEASURES, gain
from eval.attacks import ATTACKS
from eval.calibration.baselines import BASELINES
from eval.datasets.judged import read_judged
from eval.statistics import Figure, Mean, Resampling
from judging.answers import JudgedAnswer, JudgedAnswers, Scale, by_question
from judging.computed import word_order
from judging.computed.doubts import unexplained
from judging.computed.features import Features, features
from judging.computed.model import MAX_SCORE, WEIGHTS, JudgeRegression, Weights, assess
from judging.computed.reading import read

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
TOPICAL_STRENGTH = 0.01
"""Inverse of the penalty of the logistic regression (scikit-learn's C)."""
RIDGE_PENALTY = 100.0
AGREEMENT = ("pearson", "spearman", "kappa_quadratic")
ANSWERS_FROM = 0.6
"""Share of the scale from which an answer counts as one to its question."""
GOOD = 0.8
"""Share of the scale from which an answer is good."""
ATTACKED_PER_QUESTION = 5
CHUNK = 20
CUT = (0.005, 0.995)
"""Quantiles at which features are cut."""
PASSED = 0.08
"""Share of swapped terms that may pass as explained."""
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
        return self.human is not None and self.human >= GOOD * MAX_SCORE


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
    on_five, name = Scale(min=0, max=MAX_SCORE), data.dataset.name
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
    """A logistic regression of people's answers against what attacks leave of them."""
    from sklearn.linear_model import LogisticRegression

    right = [one for one in chosen if (one.human or 0.0) >= ANSWERS_FROM * MAX_SCORE]
    wrong = [one for one in chosen if one.attack in OFF_TOPIC]
    values = np.array([[one.features[name] for name in TOPICAL] for one in (*right, *wrong)])
    low, high = np.quantile(values, CUT, axis=0)
    cut = np.clip(values, low, high)
    centre, spread = cut.mean(0), cut.std(0) + 1e-9
    model = LogisticRegression(C=TOPICAL_STRENGTH, max_iter=5000)
    model.fit((cut - centre) / spread, np.repeat([1, 0], [len(right), len(wrong)]))
    weights = np.ravel(model.coef_) / spread
    topical = JudgeRegression(
        intercept=round(float(model.intercept_[0] - weights @ centre), 5),
        weights={
            name: (round(float(weight), 5), round(float(least), 5), round(float(most), 5))
            for name, weight, least, most in zip(TOPICAL, weights, low, high, strict=True)
        },
    )
    return Weights(fitted_on=answers, topical=topical)


def figures(chosen: Sequence[Example], courses: Sequence[str]) -> Iterator[str]:
    """For each course, by coefficients fitted on the others: agreement of the judge, of its parts and of a regression
    with people, and how much higher it is than that of cosine; the baselines; and the weight of a word in doubt."""
    for course in courses:
        own = [one for one in chosen if one.dataset == course]
        others = [one for one in chosen if one.dataset != course]
        yield f"{course}, left out:"
        yield from _of_course([one for one in own if one.human is not None], others)
        if swapped := [one for one in own if one.attack == SWAPPED]:
            weights = [
                unexplained(*map(read, (one.item.question, one.item.reference, one.item.answer))) for one in swapped
            ]
            yield f"  {PASSED:.0%} of {len(swapped)} swapped terms weigh less than {np.quantile(weights, PASSED):.2f}"


def _of_course(scored: Sequence[Example], others: Sequence[Example]) -> Iterator[str]:
    items = [one.item for one in scored]
    human = np.array([one.human for one in scored], dtype=float)
    weights = fitted(others, {})
    baselines = {name: MAX_SCORE * measure(items) for name, measure in BASELINES.items() if name != "length"}
    assessments = [assess(one.features, weights) for one in scored]
    judges = {
        "judge": np.array([one.score for one in assessments]),
        "likeness alone": np.array([MAX_SCORE * one.likeness for one in assessments]),
        "regression": _ridge([one for one in others if one.human is not None], scored),
        **baselines,
    }
    resampling = Resampling([item.question for item in items])
    for name, scores in judges.items():
        measures = (f"{one} {_shown(resampling.interval(_figure(one, scores, human)))}" for one in AGREEMENT)
        less = resampling.interval(gain(scores, baselines["cosine"], human))
        yield f"  {name}: {', '.join(measures)}; less cosine {_shown(less)}"


def _figure(name: str, scores: Matrix, human: Matrix) -> Figure:
    return lambda rows: MEASURES[name](scores[rows], human[rows])


def _ridge(others: Sequence[Example], scored: Sequence[Example]) -> Matrix:
    """Scores by a ridge regression on the other courses' scores, which all weigh alike: what likeness has to beat."""
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    def values(chosen: Sequence[Example]) -> Matrix:
        return np.array([[one.features[name] for name in TOPICAL] for one in chosen], dtype=float)

    sizes = Counter(one.dataset for one in others)
    scaler = StandardScaler().fit(values(others))
    model = Ridge(alpha=RIDGE_PENALTY)
    model.fit(
        scaler.transform(values(others)),
        [one.human for one in others],
        sample_weight=[len(others) / len(sizes) / sizes[one.dataset] for one in others],
    )
    return np.asarray(np.clip(model.predict(scaler.transform(values(scored))), 0.0, MAX_SCORE))


def _shown(mean: Mean) -> str:
    return "–" if mean.mean is None else f"{mean.mean:.3f} ({mean.low:.3f} to {mean.high:.3f})"


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
    courses = [part.dataset.name for part in data]
    for line in figures(chosen, courses if len(courses) > 1 else []):
        sys.stdout.write(f"{line}\n")
    if asked.write:
        answers = {part.dataset.name: len(part.dataset.items) for part in data}
        WEIGHTS.write_text(fitted(chosen, answers).model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
