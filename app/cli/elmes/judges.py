"""`edumod elmes judges`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.elmes.options import CONFIG, ConfigPath, OutputPath, scenario_at
from app.cli.elmes.runs import judge_of
from app.cli.output import AsJson, output, print_json
from eval.scenarios.exchange.human import HumanReport, human_report, read_judged, read_labels
from eval.scenarios.tables import points
from eval.tables import plain_table


def judges(
    labels: Annotated[Path, typer.Option(help="Label Studio's export of the labelled dialogues, as JSON.")],
    config: ConfigPath = CONFIG,
    folder: OutputPath = None,
    as_json: AsJson = False,
) -> None:
    """Compare the scores of the file's judge with those of people, who labelled the dialogues in Label Studio.

    The dialogues are those of `edumod elmes export label-studio`, judged by `edumod elmes eval`.
    """
    scenario = scenario_at(config, folder)
    judged = read_judged(scenario.output / "eval" / (judge_of(scenario).target or ""))
    report = human_report(scenario.path.stem, judged, read_labels(labels))
    print_json(report) if as_json else _show(report)


def _show(report: HumanReport) -> None:
    title = f"{report.scenario}: {report.rated} dialogues scored by people, {report.unjudged} of them not judged"
    table = plain_table(escape(title), "field")
    for name in ("n", "people", "Spearman", "weighted kappa", "alpha", "alpha of people", "mean error"):
        table.add_column(name, justify="right")
    for field, one in report.fields.items():
        measures = (one.judge.spearman, one.judge.kappa_quadratic, one.judge.alpha)
        people = points(one.humans.alpha) if one.humans else "–"
        numbers = (str(one.n), str(len(one.raters)))
        table.add_row(escape(field), *numbers, *map(points, measures), people, points(one.judge.mae))
    output.print(table)
