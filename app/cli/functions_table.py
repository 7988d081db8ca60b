"""The report of `edumod eval functions` on a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from app.cli.output import output
from app.cli.recall import interval, plain_table
from eval.functions import FUNCTIONS
from eval.functions_shown import best, differences, heading, names, raters, share, short, usd

CONFUSIONS = 3


def show(summary: dict[str, Any]) -> None:
    """On stdout: a line per pipeline as in the paper's Table 2, precision and recall per function, and the errors."""
    pipelines, constant = summary["pipelines"], summary["best_constant"]
    output.print(_figures(summary))
    notes = [f"* differs from {summary['baseline']} (paired permutation test, Holm's correction, p < .05)"]
    if any(figures["cost_usd"] is None for figures in pipelines.values()):
        notes.append("? cost unknown: set EDUMOD_LLM_PRICES")
    notes.append(f"Calling {names(constant['functions'])} every time scores {share(constant['set_f1'])}.")
    for note in notes:
        output.print(escape(note))
    output.print()
    output.print(_by_function(pipelines))
    if sentence := raters(summary["agreement"]):
        output.print(escape(sentence))
    _show_confusions(best(summary), summary)


def _figures(summary: dict[str, Any]) -> Table:
    failed = any(figures["unscored"] for figures in summary["pipelines"].values())
    table = plain_table(escape(heading(summary)), "pipeline")
    table.padding = (0, 1, 0, 0)
    heads = ("set F1", _against(summary), "micro", "macro", "calls", "cost", "ms 50\n95 %", *(["failed"] * failed))
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    found = differences(summary)
    for name, figures in summary["pipelines"].items():
        table.add_row(
            _lines(name),
            interval(figures["set_f1"]),
            found[name].text if name in found else "",
            *(share(figures[f1]) for f1 in ("micro_f1", "macro_f1")),
            "–" if figures["model_calls"] is None else f"{figures['model_calls']:.2g}",
            usd(figures["cost_usd"]),
            "{}\n[dim]{}[/]".format(*("–" if ms is None else f"{ms:.0f}" for ms in figures["latency_ms"].values())),
            *([f"[red]{figures['unscored'] or ''}[/]"] * failed),
        )
    return table


def _by_function(pipelines: dict[str, Any]) -> Table:
    table = plain_table("precision / recall per function", "pipeline")
    for name in FUNCTIONS:
        table.add_column(short(name), justify="right", no_wrap=True)
    for name, figures in pipelines.items():
        pairs = [figures["functions"].get(one, {}) for one in FUNCTIONS]
        table.add_row(
            _lines(name), *(f"{share(pair.get('precision'))} / {share(pair.get('recall'))}" for pair in pairs)
        )
    return table


def _show_confusions(name: str, summary: dict[str, Any]) -> None:
    confusion = summary["pipelines"][name]["confusion"][:CONFUSIONS]
    if not confusion:
        return
    output.print(escape(f"Where {name} is wrong most often:"))
    for one in confusion:
        times = f"{one['times']} times" if one["times"] != 1 else "once"
        output.print(f"  {times}: called {names(one['called'])}, wanted {names(one['wanted'])}")


def _against(summary: dict[str, Any]) -> str:
    """Names of an experiment's combinations are too long for a head; the first is the baseline then."""
    return f"vs\n{summary['baseline']}" if "=" not in summary["baseline"] else "vs\nfirst"


def _lines(name: str) -> str:
    """An experiment's combination, a choice a line."""
    return escape(name.replace(" ", "\n"))
