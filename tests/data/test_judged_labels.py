"""The sample courses' scored answers, checked against the labelled answers that they are made for."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from eval.datasets.judged import read_judged
from tests.data.material import DATA

LABELS = DATA / "ds101" / "labels"
CANDIDATES = LABELS / "judges" / "candidates"
MIN_QUESTIONS = 100


def rows(folder: str, name: str) -> dict[str, dict[str, Any]]:
    lines = (LABELS / folder / name).read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def test_three_candidates_answer_each_question_and_name_its_text_and_reference() -> None:
    questions = rows("functions", "questions.jsonl") | rows("answers", "questions.jsonl")
    labels = rows("answers", "labels.jsonl")
    items = read_judged(CANDIDATES).dataset.items
    counted = Counter(item.id[:-1] for item in items)
    assert len(counted) >= MIN_QUESTIONS
    assert set(counted.values()) == {3}
    for item in items:
        row = questions[item.id[:-1]]
        assert row["split"] == "test"
        assert item.question == "\n\n".join(filter(None, (row["question"]["title"], row["question"].get("body"))))
        assert item.reference == labels[row["id"]]["reference"]


def test_each_candidate_has_the_scores_of_two_passes_and_one_of_them_as_resolution() -> None:
    for row in rows("judges/candidates", "answers.jsonl").values():
        assert row["score_resolved"] in (row["score_1"], row["score_2"])
        criteria = [row[name] for name in ("factuality", "relevance", "style")]
        assert all(resolved in (first, second) for first, second, resolved in criteria)
        for number, name in enumerate(("edumod_1", "edumod_2", "edumod_resolved")):
            assert row[name] == (row["factuality"][number] + row["relevance"][number]) / 2


@pytest.mark.parametrize("judge", ["teaching_points", "edumod"])
def test_the_candidates_are_of_different_quality(judge: str) -> None:
    data = read_judged(CANDIDATES, judge)
    shares = [data.scale.share(item.human) for item in data.dataset.items]
    assert sum(share >= 0.8 for share in shares) >= 50
    assert sum(0.4 <= share < 0.8 for share in shares) >= 50
    assert sum(share < 0.4 for share in shares) >= 50


@pytest.mark.parametrize("folder", ["grounded", "disclosure"])
def test_the_other_judges_have_good_answers_to_attack_and_bad_ones(folder: str) -> None:
    data = read_judged(LABELS / "judges" / folder, folder)
    shares = [data.scale.share(item.human) for item in data.dataset.items]
    assert len(data.raters) == 2
    assert sum(share >= 0.8 for share in shares) >= 20
    assert sum(share < 0.4 for share in shares) >= 20


def test_solutions_and_passages_are_those_of_the_course() -> None:
    course = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("sources", "assignments", "logistics", "textbook")
        for path in sorted((DATA / "ds101" / folder).rglob("*.md"))
    )
    for folder in ("grounded", "disclosure"):
        items = read_judged(LABELS / "judges" / folder).dataset.items
        assert [item.id for item in items if item.reference not in course] == []
