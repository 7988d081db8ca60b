"""How well personal data is found, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from core.privacy.spans import Kind, Span
from core.types import Value
from eval.actors.computed import COMPUTED
from eval.privacy.dataset import Marked, PrivacyItem, marked
from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun
from eval.statistics import Mean, mean_of

Extent = tuple[Kind, int, int]


class DetectionFigures(Value):
    """Recall over what is marked, precision over what was found; both by exact extent."""

    marked: int
    recall: Mean
    found: int
    precision: Mean


class Miss(Value):
    """Something that was missed, or found although it is nothing of the kind."""

    item: str
    kind: Kind
    text: str
    is_missed: bool


class PrivacyReport(Report[Figures]):
    """`unlisted` is the share of names in no list that were replaced all the same."""

    kinds: dict[Kind, DetectionFigures]
    unlisted_marked: int
    unlisted: Mean
    misses: tuple[Miss, ...] = ()


def privacy_report(outcome: ScoredRun[PrivacyItem]) -> PrivacyReport:
    """Compare what was found with the marks. CPU-bound."""
    recall: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    precision: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    unlisted: list[float] = []
    misses: list[Miss] = []
    items = outcome.plan.dataset.by_id
    for name, output in outcome.outputs(COMPUTED).items():
        expected, found = marked(items[name].text), spans_in(output)
        unlisted += [float(_covers(found, extent)) for extent in expected.unlisted]
        listed = listed_spans(found, expected)
        for spans, others, rates, is_missed in (
            (expected.spans, listed, recall, True),
            (listed, expected.spans, precision, False),
        ):
            known = extents(others)
            for span in spans:
                is_right = (span.kind, span.start, span.end) in known
                rates[span.kind].append(float(is_right))
                if not is_right:
                    text = expected.text[span.start : span.end]
                    misses.append(Miss(item=name, kind=span.kind, text=text, is_missed=is_missed))
    return PrivacyReport(
        **common(outcome),
        actors=plain_figures(outcome),
        comparisons=(),
        kinds={kind: _figures(recall[kind], precision[kind]) for kind in Kind},
        unlisted_marked=len(unlisted),
        unlisted=mean_of(unlisted),
        misses=tuple(misses),
    )


def extents(spans: Iterable[Span]) -> set[Extent]:
    """Kinds and extents."""
    return {(span.kind, span.start, span.end) for span in spans}


def listed_spans(spans: Sequence[Span], text: Marked) -> list[Span]:
    """Without those at names that nobody listed."""
    return [span for span in spans if not _touches(span, text.unlisted)]


def spans_in(output: Any) -> list[Span]:
    """The spans that a row stores."""
    return _spans().validate_python(output)


def spans_to_json(spans: list[Span]) -> Any:
    """The spans as a row stores them."""
    return _spans().dump_python(spans, mode="json")


@cache
def _spans() -> TypeAdapter[list[Span]]:
    return TypeAdapter(list[Span])


def _figures(recall: Sequence[float], precision: Sequence[float]) -> DetectionFigures:
    return DetectionFigures(
        marked=len(recall), recall=mean_of(recall), found=len(precision), precision=mean_of(precision)
    )


def _touches(span: Span, extents: Iterable[tuple[int, int]]) -> bool:
    return any(span.start < end and start < span.end for start, end in extents)


def _covers(found: Iterable[Span], extent: tuple[int, int]) -> bool:
    return any(one.start <= extent[0] and extent[1] <= one.end for one in found)
