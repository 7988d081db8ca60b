"""The page about function selection; that of the nightly report has its tests in `test_nightly`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from eval.charts import beside
from eval.functions.page import functions_page
from eval.functions.report import FunctionFigures
from tests.eval.reports import figures, report

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(**pipelines: FunctionFigures) -> str:
    return functions_page(report(pipelines), AT)


def svg(html: str) -> str:
    return html[html.index("<svg") : html.index("</svg>")]


def test_the_page_shows_all_figures_and_needs_nothing_from_elsewhere() -> None:
    html = page(edison=figures(0.5), fc=figures(0.8))
    for text in ("2026-03-01", "fc calls the right functions most often", ".800", "qa + textbook", "kappa", "free"):
        assert text in html
    assert "failed" not in html
    assert not re.findall(r'(?:src|href)="(?!#)', html.replace(svg(html), ""))


def test_the_plot_shows_quality_over_model_calls_where_all_is_free_or_a_price_unknown() -> None:
    for cost in (0.0, None):
        plot = svg(page(edison=figures(0.5, cost_usd=cost), fc=figures(0.8, cost_usd=0.0)))
        assert "model calls per question" in plot
        assert all(name in plot for name in (">edison<", ">fc<", ">best constant set<"))


def test_the_plot_shows_quality_over_cost_where_it_is_known() -> None:
    assert "cost per question, USD" in svg(page(edison=figures(0.5, cost_usd=0.0), fc=figures(0.8, cost_usd=0.002)))


def test_points_at_one_position_stand_beside_each_other() -> None:
    assert beside([1.0, 10.0, 10.0, 10.0]) == [1.0, 10.0, pytest.approx(10.12), pytest.approx(10.24)]
    assert beside([]) == []


def test_a_pipeline_that_failed_altogether_is_listed_as_failed_and_not_plotted() -> None:
    html = page(edison=figures(0.5), fc=figures(None))
    assert ">failed</th>" in html
    assert ">40</td>" in html
    assert ">fc<" not in svg(html)


def test_a_page_can_be_drawn_where_nothing_could_be_scored() -> None:
    assert "<svg" in page(fc=figures(None))


def test_names_are_escaped() -> None:
    html = functions_page(report({"model=<b>": figures(0.5)}), AT)
    assert "<b>" not in html
