"""Reports as self-contained HTML pages."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from eval.datasets.questions import in_words, short_name
from eval.report import Report
from eval.tables import Part, PlainTable, plain_text, share, usd


def tables_page(title: str, parts: Iterable[Part], report: Report[Any], at: datetime) -> str:
    """A page of tables and lines, for a kind of evaluation without a page of its own."""
    plain = [plain_text(part) if isinstance(part, str) else PlainTable.of(part) for part in parts]
    return environment().get_template("tables.html").render(title=title, parts=plain, report=report, at=at)


@cache
def environment() -> Environment:
    """The templates of reports."""
    environment = Environment(
        loader=PackageLoader("eval"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"figure": _figure, "share": share, "short": short_name, "usd": usd, "functions": in_words}
    return environment


def _figure(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
