"""The report on runs as one self-contained HTML page, with every dialogue turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from core.store.tables import ResultState
from eval.calibration.measures import Agreement
from eval.charts import as_svg
from eval.pages import environment
from eval.scenarios.charts import Scores, chinese_glyphs, heatmap, radar
from eval.scenarios.runs.outcome import JudgedDialogue
from eval.scenarios.runs.report import FIELD, ScenarioReport
from eval.scenarios.runs.run import ScenarioRun
from eval.scenarios.templates import as_text

MIN_AXES = 3
"""Fewer fields make no radar."""


@dataclass(frozen=True)
class ShownDialogue:
    """A dialogue, or the reason why there is none, with the values of its task."""

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


def scenarios_page(runs: Sequence[ScenarioRun], at: datetime) -> str:
    """The report for a browser."""
    template = environment().get_template("scenarios.html")
    with chinese_glyphs():
        return template.render(
            scenarios=[_shown(run) for run in runs],
            overview=_overview([run.report for run in runs]),
            measures=tuple(Agreement.model_fields),
            at=at,
        )


def _shown(run: ScenarioRun) -> ShownScenario:
    scores = _means(run.report)
    return ShownScenario(
        report=run.report,
        heatmap=Markup(as_svg(heatmap(scores, ""))) if run.report.fields else Markup(),  # noqa: S704
        radar=Markup(as_svg(radar(scores, ""))) if len(run.report.fields) >= MIN_AXES else Markup(),  # noqa: S704
        dialogues=list(_dialogues(run)),
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


def _dialogues(run: ScenarioRun) -> Iterator[ShownDialogue]:
    items = run.outcome.plan.dataset.by_id
    order = {item: number for number, item in enumerate(items)}
    for row in sorted(run.outcome.rows, key=lambda row: (order[row.item], row.actor, row.seed)):
        held = row.state == ResultState.SCORED
        yield ShownDialogue(
            model=row.actor,
            task=row.item,
            seed=row.seed,
            variables={name: as_text(value) for name, value in items[row.item].task.items()},
            dialogue=JudgedDialogue.model_validate(row.output) if held else None,
            error="" if held else (row.error or {}).get("detail", "It failed."),
        )
