"""What judges contribute to the report on answers, as tables of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.markup import escape
from rich.table import Table

from core.costs import cost
from eval.answers.judging.figures import JudgeFigures
from eval.answers.report import AnswersReport
from eval.answers.shown import significant
from eval.statistics import Mean
from eval.tables import Part, interval, name_of, plain_table

COLUMNS = 80
BARS = " ▁▂▃▄▅▆▇█"


def tabulate_judges(report: AnswersReport) -> Iterator[Part]:
    """Each judge's scores by actor, its cost, and how far judges agree."""
    for name, judge in report.judges.items():
        yield ""
        yield _scores(report, name, judge)
        if any(figures.judged[name].criteria for figures in report.actors.values()):
            yield ""
            yield _criteria(report, name)
        yield escape(_effort(judge))
        for reason, count in judge.unscored_reasons.items():
            lines = wrap(f"{count} unscored: {reason}", COLUMNS, initial_indent="  ", subsequent_indent="    ")
            yield escape("\n".join(lines))
    if report.agreement:
        yield ""
        yield _agreement(report)


def _scores(report: AnswersReport, name: str, judge: JudgeFigures) -> Table:
    title = f"{name} ({judge.form}), {judge.scale.min:g} to {judge.scale.max:g}, acceptable from {judge.acceptable:g}"
    table = plain_table(escape(title), "")
    for column in (
        "mean",
        "acceptable",
        "answers",
        "no answer",
        "unscored",
        f"{judge.bins[0]:g} to {judge.bins[-1]:g}",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    marks = significant(report)
    for actor, figures in report.actors.items():
        found = figures.judged[name]
        numbers = (str(number or "") for number in (sum(found.distribution), found.unanswered, found.unscored))
        table.add_row(
            name_of(actor, figures),
            points(figures.means[name], marked=(actor, name) in marks),
            interval(found.acceptable),
            *numbers,
            bars(found.distribution),
        )
    return table


def _criteria(report: AnswersReport, name: str) -> Table:
    table = plain_table(escape(f"{name}, by criterion"), "")
    for criterion in next(figures.judged[name].criteria for figures in report.actors.values()):
        table.add_column(escape(criterion), justify="right", no_wrap=True)
    for actor, figures in report.actors.items():
        table.add_row(name_of(actor, figures), *map(points, figures.judged[name].criteria.values()))
    return table


def _agreement(report: AnswersReport) -> Table:
    table = plain_table("agreement of the judges", "")
    for column in ("answers", "pearson", "spearman", "same verdict"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in report.agreement:
        means = map(interval, (one.pearson, one.spearman, one.same_verdict))
        table.add_row(escape("\n".join(one.judges)), str(one.n), *means)
    return table


def _effort(judge: JudgeFigures) -> str:
    seconds = "–" if judge.per_100.seconds is None else f"{judge.per_100.seconds:.1f} s"
    return f"{judge.n} different answers judged by {judge.model}; per 100: {cost(judge.per_100.cost_usd)}, {seconds}"


def points(mean: Mean, *, marked: bool = False) -> str:
    """A mean on a judge's scale over its interval."""
    if mean.mean is None:
        return "–"
    return f"{mean.mean:.2f}{'*' * marked}\n[dim]{mean.low:.2f}–{mean.high:.2f}[/]"


def bars(counts: Sequence[int]) -> str:
    """A bar per count, the highest for the greatest one."""
    most = max(counts, default=0) or 1
    return "".join(BARS[-(-count * (len(BARS) - 1) // most)] for count in counts)
