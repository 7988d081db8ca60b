"""The report on answers as tables of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from eval.answers.experiment_tables import tabulate_experiment
from eval.answers.judged_tables import tabulate_judges
from eval.answers.report import AnswerFigures, AnswersReport
from eval.answers.shown import counts, heading, significant
from eval.answers.stated import FittedConfidence
from eval.metrics.answers.brier import Brier
from eval.metrics.answers.decisions import NoResponseRight, WronglyAbstained, WronglyAnswered
from eval.metrics.answers.passages import Cited, CitedFirst, Retrieved
from eval.statistics import Mean
from eval.tables import Part, interval, name_of, percentiles, plain_table, short_share, usd

DECISIONS = tuple(
    metric.stem for metric in (Retrieved, CitedFirst, Cited, WronglyAbstained, WronglyAnswered, NoResponseRight)
)
"""Metrics of the first table."""
BAR = 30
"""Characters of the longest bar of the reliability diagram."""


def tabulate_answers(report: AnswersReport) -> Iterator[Part]:
    """Figures of each actor, by kind of message, and the reliability of the confidence."""
    first = [name for name in DECISIONS if name in report.measured]
    others = [name for name in report.measured if name not in {*DECISIONS, Brier.stem}]
    yield _decisions(report, first)
    yield counts(report)
    if report.comparisons:
        note = f"* differs from {report.baseline} (paired permutation test, Holm's correction, p < .05)"
        yield escape(note)
    yield from tabulate_judges(report)
    yield from tabulate_experiment(report)
    yield ""
    yield _texts(report, others)
    for name, figures in report.actors.items():
        yield ""
        yield _kinds(name, figures, first)
    yield ""
    yield _confidence(report)
    yield "An abstention cites nothing and counts as not right; auc of answers omits it."
    for name, figures in report.actors.items():
        yield ""
        yield _reliability(name, figures)
        if figures.fitted:
            yield from _fitted(figures.fitted)


def _decisions(report: AnswersReport, names: Sequence[str]) -> Table:
    table = _table(heading(report), map(_head, names))
    marks = significant(report)
    for actor, figures in report.actors.items():
        cells = (_marked(figures.means[name], (actor, name) in marks) for name in names)
        table.add_row(name_of(actor, figures, "failed"), *cells)
    return table


def _texts(report: AnswersReport, names: Sequence[str]) -> Table:
    table = _table(
        "quotes, agreement with the reference, cost", (*map(_head, names), "latency_ms\np50, p95", "calls\ncost")
    )
    for actor, figures in report.actors.items():
        means = (interval(figures.means[name]) for name in names)
        table.add_row(name_of(actor, figures, "failed"), *means, percentiles(figures.latency_ms), _usage(figures))
    return table


def _confidence(report: AnswersReport) -> Table:
    table = _table(
        "confidence that the right passage is cited first", ("auc", "auc of\nanswers", "brier", "brier\nskill")
    )
    for actor, figures in report.actors.items():
        shown = (figures.auc, figures.auc_answered, figures.means[Brier.stem], figures.brier_skill)
        table.add_row(name_of(actor, figures, "failed"), *map(interval, shown))
    return table


def _kinds(name: str, figures: AnswerFigures, names: Sequence[str]) -> Table:
    table = _table(f"{name}, by kind of message", ("n", *map(_head, names)))
    for kind, found in figures.kinds.items():
        means = (found.means.get(one) for one in names)
        table.add_row(kind, str(found.n), *("" if mean is None else short_share(mean.mean) for mean in means))
    return table


def _reliability(name: str, figures: AnswerFigures) -> Table:
    table = _table(f"{name}, reliability of the confidence", ("n", "mean", "right"))
    table.add_column("", no_wrap=True)
    for one in figures.reliability:
        right = one.right.mean or 0.0
        bounds = f"{one.start:.1f}–{one.end:.1f}"
        table.add_row(bounds, str(one.n), short_share(one.confidence), short_share(right), "█" * round(BAR * right))
    return table


def _fitted(found: FittedConfidence) -> Iterator[Part]:
    """What to write into the models file, and what it gives on answers that it was not fitted to."""
    known = found.known
    yield (
        f"For the models file: confidence: {{intercept: {known.intercept}, slope: {known.slope}, abstain_below: "
        f"{known.abstain_below}, post_from: {known.post_from}}}"
    )
    skill = f"{interval(found.brier_skill_before)} -> {interval(found.brier_skill)}".replace("\n", " ")
    right = "" if found.posted_right is None else f", of which {short_share(found.posted_right)} are right"
    yield (
        f"Fitted to {found.n} answers, measured on others: Brier skill {skill}; wrongly abstained "
        f"{short_share(found.wrongly_abstained)}, wrongly answered {short_share(found.wrongly_answered)}; "
        f"{short_share(found.posted)} of the answers may be posted{right}."
    )


def _table(title: str, columns: Iterable[str]) -> Table:
    table = plain_table(escape(title), "")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _head(metric: str) -> str:
    return metric.replace("_", "\n")


def _usage(figures: AnswerFigures) -> str:
    calls = "–" if figures.model_calls is None else f"{figures.model_calls:.2g}"
    return f"{calls}\n[dim]{usd(figures.cost_usd)}[/]"


def _marked(mean: Mean, is_significant: bool) -> str:
    value, *rest = interval(mean).split("\n")
    return "\n".join([value + "*" * is_significant, *rest])
