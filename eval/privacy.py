"""How well personal data is found in students' texts, by kind (decision 0039)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import regex
from pydantic import Field, ValidationError

from core.errors import InvalidInput
from core.privacy.masks import Detector
from core.privacy.names import KnownPerson
from core.privacy.spans import Kind, Span
from core.types import Value
from core.validation import problems_in
from eval.statistics import Mean, mean_of

UNLISTED = "unlisted"
"""A name that is in no list; nothing looks for such."""
_MARKED = regex.compile(rf"\[\[({'|'.join([*Kind, UNLISTED])}):(.*?)\]\]", regex.DOTALL)


class PrivacyItem(Value):
    """A text in which personal data is marked, as in `I am [[name:Ada Byron]]`, with what the request would name."""

    id: str
    text: str
    people: tuple[KnownPerson, ...] = ()
    student_id: str | None = None


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


class PrivacyReport(Value):
    """`unlisted` is the share of names in no list that were replaced all the same."""

    n: int = Field(description="Texts.")
    kinds: dict[Kind, DetectionFigures]
    unlisted_marked: int
    unlisted: Mean
    misses: tuple[Miss, ...] = ()


@dataclass(frozen=True)
class Marked:
    """The text without its marks, what is marked in it, and where names are that nobody listed."""

    text: str
    spans: tuple[Span, ...]
    unlisted: tuple[tuple[int, int], ...]


def read_privacy_items(path: Path) -> list[PrivacyItem]:
    """Items of a JSONL file. Raises `InvalidInput` naming the line."""
    items = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            items.append(PrivacyItem.model_validate(json.loads(line)))
        except ValidationError as error:
            raise InvalidInput(f"{path}, line {number}: {problems_in(error)}") from error
        except ValueError as error:
            raise InvalidInput(f"{path}, line {number}: not JSON: {error}") from error
    if not items:
        raise InvalidInput(f"{path} has no texts.")
    return items


def marked(text: str) -> Marked:
    """The marks of a text, and the text without them."""
    plain, end = "", 0
    spans: list[Span] = []
    unlisted: list[tuple[int, int]] = []
    for found in _MARKED.finditer(text):
        plain += text[end : found.start()]
        start, end = len(plain), found.end()
        plain += found[2]
        if found[1] == UNLISTED:
            unlisted.append((start, len(plain)))
        else:
            spans.append(Span(start, len(plain), Kind(found[1]), found[2]))
    return Marked(plain + text[end:], tuple(spans), tuple(unlisted))


def measure_privacy(items: Sequence[PrivacyItem]) -> PrivacyReport:
    """Find personal data in the texts, and compare it with the marks."""
    recall: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    precision: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    unlisted: list[float] = []
    misses: list[Miss] = []
    for item in items:
        expected = marked(item.text)
        found = Detector.of(item.people, item.student_id).find(expected.text)
        unlisted += [float(_covers(found, extent)) for extent in expected.unlisted]
        found = [one for one in found if not _touches(one, expected.unlisted)]
        for spans, others, rates, is_missed in (
            (expected.spans, found, recall, True),
            (found, expected.spans, precision, False),
        ):
            known = {(one.kind, one.start, one.end) for one in others}
            for one in spans:
                is_right = (one.kind, one.start, one.end) in known
                rates[one.kind].append(float(is_right))
                if not is_right:
                    text = expected.text[one.start : one.end]
                    misses.append(Miss(item=item.id, kind=one.kind, text=text, is_missed=is_missed))
    return PrivacyReport(
        n=len(items),
        kinds={kind: _figures(recall[kind], precision[kind]) for kind in Kind},
        unlisted_marked=len(unlisted),
        unlisted=mean_of(unlisted),
        misses=tuple(misses),
    )


def _figures(recall: Sequence[float], precision: Sequence[float]) -> DetectionFigures:
    return DetectionFigures(
        marked=len(recall), recall=mean_of(recall), found=len(precision), precision=mean_of(precision)
    )


def _touches(span: Span, extents: Iterable[tuple[int, int]]) -> bool:
    return any(span.start < end and start < span.end for start, end in extents)


def _covers(found: Iterable[Span], extent: tuple[int, int]) -> bool:
    return any(one.start <= extent[0] and extent[1] <= one.end for one in found)
