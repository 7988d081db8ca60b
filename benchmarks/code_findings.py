"""Fits how sure a finding on a student's code is, and draws precision against recall.

Usage: python -m benchmarks.code_findings [--write] [--keep FOLDER]

The findings are those of first runs, of checks that were not tuned on the set: `first_run.jsonl` of sets of
data/cs1/questions, which `--keep FOLDER` writes. Each set is left out in turn, and rated by what the others teach.
`--write` replaces student_code/confidence.json and docs/code_curve.png.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.harness import show
from eval.charts import new_figure
from eval.code.dataset import CodeItem, read_code_dataset
from student_code.catalogue import kind_of
from student_code.confidence import FEATURES, WEIGHTS, FindingCalibration, features_of
from student_code.inspection import inspected
from student_code.inspector import code_work

DATA, CURVE, FIRST_RUN = Path("data/cs1/questions"), Path("docs/code_curve.png"), "first_run.jsonl"
STRENGTH = 1.0
"""Inverse of the L2 penalty (scikit-learn's C)."""
THRESHOLDS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7)
WANTED = 0.85
"""Share of the findings that are told which shall be right, in line and in kind."""


@dataclass(frozen=True)
class FindingCase:
    """The likeliest finding on a labelled question; one without a finding has no features."""

    question: str
    mistake: str
    line: int
    right_line: bool
    right_kind: bool
    features: Mapping[str, float]

    @property
    def is_right(self) -> bool:
        return self.right_line and self.right_kind


def _cases_of(folder: Path) -> list[FindingCase]:
    lines = (folder / FIRST_RUN).read_text(encoding="utf-8").splitlines()
    return [FindingCase(**json.loads(line)) for line in lines]


def _case(item: CodeItem) -> FindingCase:
    labelled, exercise = item.labelled, item.exercise
    findings = inspected(code_work(labelled.asked(exercise), exercise.solution))
    if not findings:
        return FindingCase(item.id, "", 0, right_line=False, right_kind=False, features={})
    first, issue = findings[0], labelled.issue
    features = {name: round(value, 3) for name, value in features_of(first, findings).items()}
    is_kind = kind_of(first.mistake) is issue.kind
    return FindingCase(item.id, first.mistake, first.line, first.line in issue.line, is_kind, features)


def _fit(cases: Iterable[FindingCase], told_from: float = 0.0) -> FindingCalibration:
    found = [case for case in cases if case.features]
    table = np.array([[case.features[name] for name in FEATURES] for case in found])
    model = LogisticRegression(C=STRENGTH).fit(table, [case.is_right for case in found])
    weights = {name: round(float(weight), 3) for name, weight in zip(FEATURES, model.coef_[0], strict=True)}
    return FindingCalibration(round(float(model.intercept_[0]), 3), weights, told_from)


Rated = tuple[FindingCase, float]
"""A case with the confidence from the other sets."""


def _rated_by_others(sets: Mapping[str, Sequence[FindingCase]]) -> dict[str, list[Rated]]:
    rated = {}
    for name, cases in sets.items():
        taught = _fit(case for other, group in sets.items() if other != name for case in group)
        rated[name] = [(case, taught.confidence(case.features) if case.features else 0.0) for case in cases]
    return rated


def _curve(rated: Sequence[Rated]) -> Iterator[tuple[float, float, float]]:
    """Confidence, precision (share of the findings from it on that are right), and recall (of all questions)."""
    for at in sorted({confidence for _, confidence in rated if confidence}):
        right = [case.is_right for case, confidence in rated if confidence >= at]
        yield at, sum(right) / len(right), sum(right) / len(rated)


def _told_from(rated: Sequence[Rated]) -> float:
    """The lowest confidence from which enough findings are right."""
    return min((at for at, precision, _ in _curve(rated) if precision >= WANTED), default=1.0)


def _show(by_set: Mapping[str, Sequence[Rated]], told_from: float) -> None:
    rows = []
    for name, group in by_set.items():
        sure = np.array([confidence for _, confidence in group])
        right = np.array([case.is_right for case, _ in group])
        told = right[sure >= told_from]
        brier = float(np.mean((sure - right) ** 2))
        rows.append(
            (
                name,
                len(group),
                f"{sure.mean():.2f}",
                f"{right.mean():.2f}",
                f"{brier:.3f}",
                len(told),
                f"{told.mean():.2f}",
            )
        )
    columns = ("set", "questions", "confidence", "right", "Brier", "told", "of these right")
    show(f"Findings, rated by the other sets; told from {told_from:g}", columns, rows)
    pooled = [one for group in by_set.values() for one in group]
    points = [next(point for point in _curve(pooled) if point[0] >= at) for at in THRESHOLDS]
    shares = [(f"{at:.2f}", f"{precision:.2f}", f"{recall:.2f}") for at, precision, recall in points]
    show("Told from a confidence on", ("from", "precision", "recall"), shares)


def _draw(rated: Sequence[Rated], told_from: float) -> None:
    figure = new_figure(height=3.2)
    axes = figure.subplots()
    points = list(_curve(rated))
    axes.step([recall for _, _, recall in points], [precision for _, precision, _ in points], where="post")
    told = next(((recall, precision) for at, precision, recall in points if at >= told_from), None)
    if told:
        axes.plot([told[0]], [told[1]], marker="o", linestyle="", color="black")
    axes.set_xlabel("recall: share of all questions whose line and kind are told rightly", fontsize=9)
    axes.set_ylabel("precision: share of those told", fontsize=9)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.02)
    axes.grid(alpha=0.3)
    figure.savefig(CURVE, dpi=100)


def main() -> None:
    """Measure; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    if chosen.keep:
        cases = map(_case, read_code_dataset(chosen.keep).items.items)
        rows = "".join(f"{json.dumps(asdict(case))}\n" for case in cases)
        (chosen.keep / FIRST_RUN).write_text(rows, encoding="utf-8")
        return
    sets = {kept.parent.name: _cases_of(kept.parent) for kept in sorted(DATA.glob(f"*/{FIRST_RUN}"))}
    by_set = _rated_by_others(sets)
    rated = [one for group in by_set.values() for one in group]
    told_from = _told_from(rated)
    _show(by_set, told_from)
    if chosen.write:
        fitted = _fit((case for cases in sets.values() for case in cases), told_from)
        WEIGHTS.write_text(f"{json.dumps(asdict(fitted), indent=1)}\n", encoding="utf-8")
        _draw(rated, told_from)


if __name__ == "__main__":
    main()
