"""The report on function selection as tables of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from eval.datasets.questions import FUNCTIONS, in_words, short_name
from eval.functions.report import FunctionFigures, FunctionsReport
from eval.functions.shown import best, differences, heading, raters
from eval.tables import Part, interval, name_of, percentiles, plain_table, share, usd

MAX_CONFUSIONS = 3


def tabulate_functions(report: FunctionsReport) -> Iterator[Part]:
    """A line per pipeline as in the paper's Table 2, precision and recall per function, and the errors."""
    constant = report.best_constant
    yield _figures(report)
    notes = [f"* differs from {report.baseline} (paired permutation test, Holm's correction, p < .05)"]
    if any(figures.cost_usd is None for figures in report.actors.values()):
        notes.append("? cost unknown: set EDUMOD_LLM_PRICES")
    notes.append(f"Calling {in_words(constant.functions)} every time scores {share(constant.set_f1)}.")
    for note in notes:
        yield escape(note)
    yield ""
    yield _by_function(report)
    if sentence := raters(report.agreement):
        yield escape(sentence)
    yield from _confusions(best(report), report)


def _figures(report: FunctionsReport) -> Table:
    failed = any(figures.unscored for figures in report.actors.values())
    first, *others = report.means
    table = plain_table(escape(heading(report)), "pipeline")
    heads = (first, _against(report), *others, "micro_f1\nmacro_f1", "calls", "cost", "latency_ms\np50, p95")
    for name in (*heads, *(["failed"] * failed)):
        table.add_column(name, justify="right", no_wrap=True)
    found = differences(report)
    for name, figures in report.actors.items():
        table.add_row(
            name_of(name, figures),
            interval(figures.means[first]),
            found[name].text if name in found else "",
            *(interval(figures.means[metric]) for metric in others),
            f"{share(figures.micro_f1)}\n{share(figures.macro_f1)}",
            *_usage(figures),
            *([f"[red]{figures.unscored or ''}[/]"] * failed),
        )
    return table


def _usage(figures: FunctionFigures) -> tuple[str, str, str]:
    calls = "–" if figures.model_calls is None else f"{figures.model_calls:.2g}"
    return calls, usd(figures.cost_usd), percentiles(figures.latency_ms)


def _by_function(report: FunctionsReport) -> Table:
    table = plain_table("precision / recall per function", "pipeline")
    for name in FUNCTIONS:
        table.add_column(short_name(name), justify="right", no_wrap=True)
    for name, figures in report.actors.items():
        pairs = [figures.functions.get(one) for one in FUNCTIONS]
        shown = (f"{share(pair.precision)} / {share(pair.recall)}" if pair else "– / –" for pair in pairs)
        table.add_row(name_of(name, figures), *shown)
    return table


def _confusions(name: str, report: FunctionsReport) -> Iterator[Part]:
    confusion = report.actors[name].confusion[:MAX_CONFUSIONS]
    if not confusion:
        return
    yield escape(f"Where {name} is wrong most often:")
    for one in confusion:
        times = f"{one.times} times" if one.times != 1 else "once"
        yield f"  {times}: called {in_words(one.called)}, wanted {in_words(one.wanted)}"


def _against(report: FunctionsReport) -> str:
    """Header of the column of differences. Combinations and files have long names, so they are called "first"."""
    return f"vs\n{report.baseline}" if not {"=", ":"} & set(report.baseline) else "vs\nfirst"
