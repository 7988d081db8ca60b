"""Files of scored answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from eval.datasets.judged import read_judged
from tests.judging.judged import ROW, folder


def test_answers_are_read_with_all_raters(tmp_path: Path) -> None:
    found = read_judged(folder(tmp_path, ROW, {**ROW, "id": "b", "score_2": 0.5, "author": "x"}))
    assert (found.raters, found.scale.range) == (("score_1", "score_2"), 5)
    assert [item.scores for item in found.dataset.items] == [(5, 4), (5, 0.5)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"score_1": 6}, "line 2: score_1 of 'b' is 6, outside the scale from 0 to 5"),
        ({"score_1": "5"}, "line 2: score_1 of 'b' is '5'"),
        ({"score_1": True}, "line 2: score_1"),
        ({"reference": " "}, "line 2: the answer 'b' has no reference"),
        ({"id": "a"}, "line 2: the id 'a' is also on line 1"),
        ({"score_3": 1}, "line 2: the answer 'b' has score_1, score_2, score_3, but the one on line 1"),
        ({"answer": 3}, "line 2: the answer 'b' is not valid"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_by_its_line(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_judged(folder(tmp_path, ROW, {**ROW, "id": "b", **changes}))
    assert words in str(raised.value)
    assert "answers.jsonl" in str(raised.value)


@pytest.mark.parametrize("scale", ["", "{", '{"min": 5, "max": 0}', '{"min": 0}', '{"min": NaN, "max": 1}', "[]"])
def test_a_scale_that_cannot_be_used_is_named(tmp_path: Path, scale: str) -> None:
    with pytest.raises(InvalidInput, match=r"scale\.json line 1"):
        read_judged(folder(tmp_path, ROW, scale=scale))


def test_answers_without_scores_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="line 1: the answer 'a' has no human score"):
        read_judged(folder(tmp_path, {name: value for name, value in ROW.items() if not name.startswith("score")}))


def test_a_judge_may_have_scores_and_a_scale_of_its_own(tmp_path: Path) -> None:
    scale = '{"min": 0, "max": 5, "judges": {"edumod": {"min": 1, "max": 5}}}'
    found = folder(tmp_path, {**ROW, "edumod_1": 2.5}, scale=scale)
    edumod, points = read_judged(found, "edumod"), read_judged(found, "teaching_points")
    assert (edumod.raters, edumod.scale.min, edumod.dataset.items[0].scores) == (("edumod_1",), 1, (2.5,))
    assert (points.raters, points.scale.min, points.dataset.items[0].scores) == (("score_1", "score_2"), 0, (5, 4))
    with pytest.raises(InvalidInput, match=r"line 1: the answer 'a' has no human score. Add edumod_1"):
        read_judged(folder(tmp_path, ROW, scale=scale), "edumod")


def test_the_score_that_raters_settled_on_replaces_their_mean(tmp_path: Path) -> None:
    settled = {**ROW, "score_resolved": 4}
    assert read_judged(folder(tmp_path, settled)).dataset.items[0].human == 4
    assert read_judged(folder(tmp_path, ROW)).dataset.items[0].human == 4.5
    with pytest.raises(InvalidInput, match="line 2: score_resolved stands only in some answers"):
        read_judged(folder(tmp_path, settled, {**ROW, "id": "b"}))
