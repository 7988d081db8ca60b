"""The report on runs as one self-contained HTML page, with every dialogue turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from core.store.tables import ResultRow, ResultState
from eval.agreement import ScoreAgreement
from eval.charts import as_svg
from eval.pages import environment
from eval.scenarios.charts import Scores, chinese_glyphs, heatmap, radar
from eval.scenarios.runs.outcome import JudgedDialogue
from eval.scenarios.runs.report import FIELD, ScenarioReport
from eval.scenarios.scenario import task_number
from eval.scenarios.templates import as_text

MIN_AXES = 3
"""Fewer fields make no radar."""


@dataclass(frozen=True)
class ShownDialogue:
    """A dialogue with the values of its task, or the reason why there is none."""

    model: str
    task: str
    seed: int
    variables: Mapping[str, str]
    dialogue: JudgedDialogue | None
    error: str


@dataclass(frozen=True)
class ShownScenario:
    """What the page shows of one scenario."""

    report: ScenarioReport
    heatmap: Markup
    radar: Markup
    dialogues: Sequence[ShownDialogue]


Reported = tuple[ScenarioReport, Sequence[ResultRow]]
"""A report with the rows of its evaluation."""


def scenarios_page(runs: Sequence[Reported], at: datetime) -> str:
    """The reports for a browser."""
    template = environment().get_template("scenarios.html")
    with chinese_glyphs():
        return template.render(
            scenarios=[_shown(report, rows) for report, rows in runs],
            overview=_overview([report for report, _ in runs]),
            measures=tuple(ScoreAgreement.model_fields),
            at=at,
        )


def _shown(report: ScenarioReport, rows: Sequence[ResultRow]) -> ShownScenario:
    scores = _means(report)
    return ShownScenario(
        report=report,
        heatmap=Markup(as_svg(heatmap(scores, ""))) if report.fields else Markup(),  # noqa: S704
        radar=Markup(as_svg(radar(scores, ""))) if len(report.fields) >= MIN_AXES else Markup(),  # noqa: S704
        dialogues=list(_dialogues(rows)),
    )


def _means(report: ScenarioReport) -> Scores:
    return {
        name: {field: figures.means[FIELD + field].mean for field in report.fields}
        for name, figures in report.actors.items()
    }


def _overview(reports: Sequence[ScenarioReport]) -> dict[str, dict[str, float | None]]:
    """By model, then scenario: the mean of the fields' means."""
    found: dict[str, dict[str, float | None]] = {}
    for report in reports:
        for model, fields in _means(report).items():
            known = [mean for mean in fields.values() if mean is not None]
            found.setdefault(model, {})[report.dataset] = sum(known) / len(known) if known else None
    return found


def _dialogues(rows: Sequence[ResultRow]) -> Iterator[ShownDialogue]:
    for row in sorted(rows, key=lambda row: (task_number(row.item), row.actor, row.seed)):
        dialogue = JudgedDialogue.model_validate(row.output) if row.state == ResultState.SCORED else None
        yield ShownDialogue(
            model=row.actor,
            task=row.item,
            seed=row.seed,
            variables={name: as_text(value) for name, value in (dialogue.task if dialogue else {}).items()},
            dialogue=dialogue,
            error="" if dialogue else (row.error or {}).get("detail", "It failed."),
        )
