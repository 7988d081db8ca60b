"""A kind of evaluation: what is measured, its report, and how that is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.store.tables import ResultRow
from eval.pages import tables_page
from eval.plan import Plan
from eval.report import Report
from eval.scoring import ScoredRun
from eval.tables import Part

R = TypeVar("R", bound=Report[Any])

Page = Callable[[R, Sequence[ResultRow], datetime], str]
"""A report as HTML, from the rows of its evaluation and the time at which it is written."""


@dataclass(frozen=True, kw_only=True)
class EvaluationKind(Generic[R]):
    """What differs between kinds once something was measured. All of them are in `eval.kinds.KINDS`.

    `items` is what its data sets consist of, in the plural. Without a `page` of its own, its tables are the page.
    """

    name: str
    items: str
    report: type[R]
    tabulate: Callable[[R], Iterable[Part]]
    page: Page[R] | None = None
    has_rankings: bool = False

    def html(self, report: R, rows: Sequence[ResultRow], at: datetime) -> str:
        """The report as a self-contained page."""
        if self.page is not None:
            return self.page(report, rows, at)
        return tables_page(f"{self.name.capitalize()}: {report.dataset}", self.tabulate(report), report, at)


@dataclass(frozen=True, kw_only=True)
class ComputedKind(EvaluationKind[R]):
    """A kind that measures what the program computes on labels from files, without a course and a model.

    `open` takes the path of the files; its plan can be run while it is open.
    """

    open: Callable[[Path], AbstractAsyncContextManager[Plan[Any]]]
    summarise: Callable[[ScoredRun[Any]], R]
