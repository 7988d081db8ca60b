"""Scored answers, in memory and in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.dataset import Dataset
from judging.answers import JudgedAnswer, JudgedAnswers, Scale

ROW: dict[str, Any] = {
    "id": "a",
    "question": "What does a left join keep?",
    "reference": "All rows of the left table.",
    "answer": "Every row of the left table.",
    "score_1": 5,
    "score_2": 4,
}


def folder(path: Path, *rows: dict[str, Any], scale: str = '{"min": 0, "max": 5}') -> Path:
    path.joinpath("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path.joinpath("scale.json").write_text(scale, encoding="utf-8")
    return path


def answers(n: int, good: int | None = None) -> JudgedAnswers:
    """Answers to n questions, the first `good` of which have the highest score, the others lower ones."""
    items = tuple(
        JudgedAnswer(
            id=f"i{number}",
            question=f"What is concept number {number}?",
            reference=f"Concept{number} describes {number + 11} kinds of tables and their columns.",
            answer=f"Tables come in {number + 11} kinds. Columns belong to Concept{number} as well.",
            scores=(5.0, 5.0) if number < (n if good is None else good) else (float(number % 4), float(number % 3)),
        )
        for number in range(n)
    )
    return JudgedAnswers(Dataset("scripted", items), Scale(min=0, max=5), ("score_1", "score_2"))
