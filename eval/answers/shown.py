"""Values derived from a report on answers, for tables and pages."""

from __future__ import annotations

from eval.answers.report import AnswersReport
from eval.datasets.answers import Expectation
from eval.statistics import ALPHA, Comparison


def heading(report: AnswersReport) -> str:
    """Data set, seeds and model, as in `ds101 (test split): 175 messages, 1 seed, model offline`."""
    return (
        f"{report.dataset} ({report.split} split): {report.n} messages, "
        f"{report.seeds} seed{'s' * (report.seeds != 1)}, model {report.model}"
    )


def counts(report: AnswersReport) -> str:
    """How many messages expect what, in one sentence."""
    of = report.counts
    return (
        f"Of the messages, {of[Expectation.ANSWER]} can be answered, {of[Expectation.ABSTAIN]} cannot, and "
        f"{of[Expectation.NO_RESPONSE]} need no response."
    )


def significant(report: AnswersReport) -> set[tuple[str, str]]:
    """Actor and metric of each significant difference to the baseline."""
    return {
        (one.than if one.better == report.baseline else one.better, metric)
        for metric, comparisons in paired_tests(report).items()
        for one in comparisons
        if one.p < ALPHA
    }


def paired_tests(report: AnswersReport) -> dict[str, tuple[Comparison, ...]]:
    """The paired tests by metric."""
    return {report.metrics[0].name: report.comparisons, **{one.metric: one.comparisons for one in report.tests}}
