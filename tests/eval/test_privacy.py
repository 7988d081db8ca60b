"""How personal data is counted, and how well it is found in the project's own texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.privacy.names import KnownPerson
from core.privacy.spans import Kind
from eval.privacy.dataset import PrivacyItem, marked, read_privacy_items
from eval.privacy.evaluation import privacy_plan
from eval.privacy.report import PrivacyReport, privacy_report
from tests.eval.unstored import run

TEXTS = Path(__file__).parents[2] / "data" / "privacy" / "texts.jsonl"


async def measured(items: Sequence[PrivacyItem]) -> PrivacyReport:
    return privacy_report(await run(privacy_plan("texts", items)))


def test_marks_become_spans_of_the_text_without_them() -> None:
    found = marked("I am [[name:Ada]], with [[unlisted:Bob]].")
    assert found.text == "I am Ada, with Bob."
    assert [(found.text[one.start : one.end], one.kind) for one in found.spans] == [("Ada", Kind.NAME)]
    assert [found.text[start:end] for start, end in found.unlisted] == ["Bob"]


async def test_recall_counts_what_is_marked_and_precision_what_is_found() -> None:
    people = (KnownPerson(name="Ada Byron"),)
    texts = ("[[name:Ada]] wrote a@example.edu", "[[name:Eve]] and [[unlisted:Zed]]")
    report = await measured([PrivacyItem(id=str(n), text=text, people=people) for n, text in enumerate(texts)])
    names, emails = report.kinds[Kind.NAME], report.kinds[Kind.EMAIL]
    assert (names.marked, names.recall.mean, names.found, names.precision.mean) == (2, 0.5, 1, 1.0)
    assert (emails.recall.mean, emails.precision.mean) == (None, 0.0)
    assert (report.unlisted_marked, report.unlisted.mean) == (1, 0.0)
    assert {(one.text, one.is_missed) for one in report.misses} == {("Eve", True), ("a@example.edu", False)}


async def test_of_300_texts_19_in_20_are_found_and_9_in_10_of_what_is_found_is_right() -> None:
    items = read_privacy_items(TEXTS)
    assert (len(items), len({one.id for one in items})) == (300, 300)
    for kind, figures in (await measured(items)).kinds.items():
        assert (figures.recall.mean or 0) >= 0.95, kind
        assert (figures.precision.mean or 0) >= 0.9, kind


@pytest.mark.parametrize(("content", "says"), [("{", "line 1"), ('{"id": "a"}', "line 1"), ("", "is empty")])
def test_a_set_that_cannot_be_read_says_where(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=says):
        read_privacy_items(file)
