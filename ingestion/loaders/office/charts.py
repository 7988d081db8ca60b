"""Charts of Office files, which stand in parts of their own: title, categories, series and values as rows of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.text.lines import tidy
from ingestion.document import Line
from ingestion.loaders.office.markup import find_all, parse_part
from ingestion.loaders.office.xml import attribute, child

MAX_POINTS = 200
"""Of a series; more are measurements, which nobody reads one by one."""


@dataclass(frozen=True)
class Charts:
    """Reads the charts that elements of a part show."""

    part: Any

    def lines(self, element: Any, page: int | None = None) -> Iterator[Line]:
        for chart in find_all(element, "chart"):
            relation = attribute(chart, "id")
            if relation in self.part.rels:
                space = parse_part(self.part.related_part(relation).blob)
                yield from (Line(tidy(row), page=page) for row in _rows(space))


def _rows(space: Any) -> Iterator[str]:
    title = next(find_all(space, "title"), None)
    if title is not None and (words := _words(title)):
        yield f"[Chart: {words}]"
    series = list(find_all(space, "ser"))
    names = [_words(name) if (name := child(one, "tx")) is not None else "" for one in series]
    columns = [_points(one, "val", "yVal") for one in series]
    categories = next((points for one in series if (points := _points(one, "cat", "xVal"))), {})
    rows = sorted({index for column in (categories, *columns) for index in column})
    if not rows or len(rows) > MAX_POINTS:
        return
    if any(names):
        yield " | ".join(("", *names)).strip()
    for index in rows:
        yield " | ".join((categories.get(index, ""), *(column.get(index, "") for column in columns)))


def _points(series: Any, *names: str) -> dict[int, str]:
    data = next((below for name in names if (below := child(series, name)) is not None), None)
    points = {} if data is None else {attribute(point, "idx"): child(point, "v") for point in find_all(data, "pt")}
    return {
        int(index): _number(value.text or "")
        for index, value in points.items()
        if value is not None and index is not None and index.isdecimal()
    }


def _number(text: str) -> str:
    """A number as people write it: "61.0" is "61"."""
    words = " ".join(text.split())
    return words.removesuffix(".0")


def _words(element: Any) -> str:
    texts = [node.text or "" for name in ("t", "v") for node in find_all(element, name)]
    return " ".join("".join(texts).split())
