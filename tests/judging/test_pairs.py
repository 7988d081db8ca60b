"""Pairs of answers to the same question."""

from __future__ import annotations

from pathlib import Path

from eval.datasets.judged import read_judged
from judging import judge_named
from judging.pairs import paired
from tests.judging.judged import ROW, folder


def test_each_answer_is_paired_with_the_next_one_to_its_question(tmp_path: Path) -> None:
    rows = [
        {**ROW, "id": "a", "answer": "A", "score_1": 5, "score_2": 4},
        {**ROW, "id": "other", "question": "Another?", "score_1": 1, "score_2": 1},
        {**ROW, "id": "b", "answer": "B", "score_1": 2, "score_2": 4},
        {**ROW, "id": "c", "answer": "C", "score_1": 1, "score_2": 5},
    ]
    found = paired(read_judged(folder(tmp_path, *rows)))
    assert [(item.id, item.rival, item.scores) for item in found.dataset.items] == [
        ("a", "B", (1, 0.5)),
        ("b", "C", (1, 0)),
        ("c", "A", (0, 1)),
    ]
    assert (found.scale.min, found.scale.max, found.raters) == (0, 1, ("score_1", "score_2"))


def test_what_raters_settled_on_decides_the_pair(tmp_path: Path) -> None:
    first, second = (
        {**ROW, "id": name, "answer": name, "score_resolved": score} for name, score in (("a", 2), ("b", 4))
    )
    found = paired(read_judged(folder(tmp_path, first, second)))
    assert [item.human for item in found.dataset.items] == [0, 1]


def test_the_preference_judge_takes_rivals_from_the_data_or_pairs_the_answers(tmp_path: Path) -> None:
    preference, points = judge_named("preference"), judge_named("teaching_points")
    with_rival = read_judged(folder(tmp_path, {**ROW, "rival": "Some rows."}))
    assert preference.prepared(with_rival) is with_rival
    two = read_judged(folder(tmp_path, ROW, {**ROW, "id": "b", "answer": "None."}))
    assert [item.rival for item in preference.prepared(two).dataset.items] == ["None.", ROW["answer"]]
    assert points.prepared(two) is two
    alone = read_judged(folder(tmp_path, ROW))
    assert preference.prepared(alone) is alone
