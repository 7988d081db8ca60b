"""Fits how sure a verdict on homework is, and draws precision against recall for each criterion.

Usage: python -m benchmarks.verdicts [--write] [--keep FOLDER]

The verdicts are those of first runs, which checks that had never seen the set have made: `first_run.jsonl` of some sets
of data/homework, which `--keep FOLDER` writes. Each set is left out in turn, and rated by what the other sets teach.
`--write` replaces homework/confidence.json and docs/homework_curves.png.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve

from benchmarks.harness import show
from core.attempts import HomeworkRules
from core.homework import Verdict
from eval.charts import new_figure
from eval.feedback.dataset import read_feedback_dataset
from homework.checking import check
from homework.confidence import COMPUTED, FEATURES, WEIGHTS, VerdictCalibration, features_in, side_of

DATA, CURVES, FIRST_RUN = Path("data/homework"), Path("docs/homework_curves.png"), "first_run.jsonl"
STRENGTH = 0.1
"""Inverse of the L2 penalty (scikit-learn's C)."""
THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
MAX_UNDECIDED = 0.5
"""Chance that something is amiss where nothing is said, at most: it ranks below every flag."""


@dataclass(frozen=True)
class VerdictCase:
    """A verdict on a labelled submission, and what speaks for it."""

    submission: str
    criterion: str
    verdict: Verdict
    label: Verdict
    features: Mapping[str, float]

    @property
    def is_right(self) -> bool:
        return self.verdict.is_flagged == self.label.is_flagged


def cases_of(folder: Path) -> list[VerdictCase]:
    """The verdicts of a first run."""
    rows = map(json.loads, (folder / FIRST_RUN).read_text(encoding="utf-8").splitlines())
    return [
        VerdictCase(
            row["submission"],
            row["criterion"],
            Verdict(row["verdict"]),
            Verdict(row["label"]),
            dict.fromkeys(FEATURES, 0.0) | row["features"],
        )
        for row in rows
    ]


def _checked(folder: Path) -> Iterator[VerdictCase]:
    dataset = read_feedback_dataset(folder)
    for item in dataset.items.items:
        checks = check(item.problem.task, item.submission.text)
        for name in COMPUTED:
            label = item.submission.labels.get(name, Verdict.NOT_APPLICABLE)
            if label is not Verdict.NOT_APPLICABLE:
                features = features_in(name, checks.checks, checks.facts)
                yield VerdictCase(item.id, name, checks[name].verdict, label, features)


def fit(cases: Iterable[VerdictCase]) -> VerdictCalibration:
    """A regression for each criterion and side."""
    groups: dict[str, list[VerdictCase]] = {}
    for case in cases:
        if side := side_of(case.verdict):
            groups.setdefault(f"{case.criterion} {side}", []).append(case)
    intercepts, weights = {}, {}
    for name, group in groups.items():
        right = np.array([case.is_right for case in group])
        if right.all() or not right.any():
            # One of each is added: nothing is known for certain from a few.
            right, group = np.append(right, [True, False]), [*group, group[0], group[0]]
        table = np.array([[case.features[feature] for feature in FEATURES] for case in group])
        model = LogisticRegression(C=STRENGTH).fit(table, right)
        intercepts[name] = round(float(model.intercept_[0]), 3)
        named = zip(FEATURES, model.coef_[0], strict=True)
        weights[name] = {feature: round(float(weight), 3) for feature, weight in named if abs(weight) >= 0.001}
    return VerdictCalibration(intercepts, weights)


@dataclass(frozen=True)
class Rated:
    """A case with the confidence from the other sets."""

    case: VerdictCase
    confidence: float | None

    @property
    def amiss(self) -> float:
        """The chance that something is amiss."""
        if self.confidence is None:
            return MAX_UNDECIDED / 2
        return self.confidence if self.case.verdict.is_flagged else (1 - self.confidence) / 2


def rated_by_others(sets: Mapping[str, Sequence[VerdictCase]]) -> dict[str, list[Rated]]:
    """Each set's cases, rated by what all other sets teach."""
    rated = {}
    for name, cases in sets.items():
        taught = fit(case for other, group in sets.items() if other != name for case in group)
        rated[name] = [Rated(case, taught.confidence(case.criterion, case.verdict, case.features)) for case in cases]
    return rated


def _show_calibration(rated: Mapping[str, Sequence[Rated]]) -> None:
    rows = []
    for name, group in rated.items():
        for criterion in COMPUTED:
            flags = [one for one in group if one.case.criterion == criterion and one.case.verdict.is_flagged]
            sure = [one.confidence or 0.0 for one in flags]
            right = [one.case.is_right for one in flags]
            if flags:
                brier = np.mean((np.array(sure) - np.array(right)) ** 2)
                rows.append(
                    (name, criterion, len(flags), f"{np.mean(sure):.2f}", f"{np.mean(right):.2f}", f"{brier:.3f}")
                )
    show("Flags, rated by the other sets", ("set", "criterion", "flags", "confidence", "right", "Brier"), rows)


def _show_thresholds(rated: Sequence[Rated]) -> None:
    rows = []
    for at in THRESHOLDS:
        for criterion in COMPUTED:
            told, amiss, right = _told(rated, criterion, at)
            false = sum(not case.is_right for case in told)
            hits = len(told) - false
            shares = (hits / max(len(told), 1), hits / max(amiss, 1), false / max(right, 1))
            rows.append((f"{at:g}", criterion, *(f"{share:.3f}" for share in shares)))
    columns = ("from", "criterion", "precision", "recall", "right work flagged")
    show("What a student is told from a confidence on, in first runs", columns, rows)


def _told(rated: Sequence[Rated], criterion: str, at: float) -> tuple[list[VerdictCase], int, int]:
    """The flags from a confidence on, and how many submissions are amiss and right."""
    group = [one for one in rated if one.case.criterion == criterion]
    told = [one.case for one in group if one.case.verdict.is_flagged and (one.confidence or 0) >= at]
    amiss = sum(one.case.label.is_flagged for one in group)
    return told, amiss, len(group) - amiss


def _draw_curves(rated: Sequence[Rated]) -> None:
    """Precision against recall, a panel for each criterion, with the point of the default setting."""
    figure = new_figure(height=5.6)
    panels = figure.subplots(2, 2, sharex=True, sharey=True).flat
    for axes, criterion in zip(panels, COMPUTED, strict=True):
        group = [one for one in rated if one.case.criterion == criterion]
        precision, recall, _ = precision_recall_curve(
            [one.case.label.is_flagged for one in group], [one.amiss for one in group]
        )
        axes.step(recall, precision, where="post")
        told, amiss, _ = _told(rated, criterion, TOLD_FROM)
        if told:
            hits = sum(case.is_right for case in told)
            axes.plot([hits / amiss], [hits / len(told)], marker="o", linestyle="", color="black")
        axes.set_title(criterion.replace("_", " "), fontsize=9)
        axes.set_ylim(0, 1.02)
        axes.grid(alpha=0.3)
    figure.supxlabel("recall: share of what is amiss", fontsize=9)
    figure.supylabel("precision: share of flags that are right", fontsize=9)
    figure.savefig(CURVES, dpi=100)


TOLD_FROM = HomeworkRules().tell_from


def main() -> None:
    """Measure; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    if chosen.keep:
        rows = "".join(f"{json.dumps(_row(case))}\n" for case in _checked(chosen.keep))
        (chosen.keep / FIRST_RUN).write_text(rows, encoding="utf-8")
        return
    sets = {kept.parent.name: cases_of(kept.parent) for kept in sorted(DATA.glob(f"*/{FIRST_RUN}"))}
    by_set = rated_by_others(sets)
    rated = [one for group in by_set.values() for one in group]
    _show_calibration(by_set)
    _show_thresholds(rated)
    if chosen.write:
        calibration = asdict(fit(case for cases in sets.values() for case in cases))
        WEIGHTS.write_text(f"{json.dumps(calibration, indent=1)}\n", encoding="utf-8")
        _draw_curves(rated)


def _row(case: VerdictCase) -> dict[str, object]:
    features = {name: round(value, 3) for name, value in case.features.items() if value}
    return {
        "submission": case.submission,
        "criterion": case.criterion,
        "verdict": case.verdict,
        "label": case.label,
        "features": features,
    }


if __name__ == "__main__":
    main()
