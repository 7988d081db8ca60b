"""A reviewed quiz as retrieval labels, beside the other labels of a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from app.quizzes.quiz_questions import ReadQuiz
from app.review.label_files import QRELS_COLUMNS, SearchLines, write_searches
from core.errors import InvalidInput
from core.store.tables import QuizRow
from eval.datasets.corpus import QRELS, QUERIES
from eval.datasets.queries import KIND
from retrievers.locations import location_of

REMEDY = "Correct it, or write the labels to another folder."


@dataclass(frozen=True)
class WrittenLabels:
    """Numbers of labels written, replaced, and kept of others."""

    written: int
    replaced: int
    kept: int


def write_quiz_labels(folder: Path, read: ReadQuiz) -> WrittenLabels:
    """Replace this quiz's searches in the folder.

    Raises `InvalidInput` if the quiz is not reviewed or existing labels cannot be read, and `OSError`.
    """
    read.demand_reviewed()
    questions = read.export.questions
    names = {question.number: f"{_prefix(read.quiz)}{question.number:04}" for question in questions}
    queries = [
        {"id": names[question.number], "text": " ".join(question.question.split()), "kind": str(read.quiz.source)}
        for question in questions
    ]
    judged = [(names[question.number], location_of(question.document, question.heading_path)) for question in questions]
    existing = _queries(folder / KIND / QUERIES)
    others = {name: line for name, line in existing.items() if not name.startswith(_prefix(read.quiz))}
    lines = _judgements(folder / KIND / QRELS)
    judged_otherwise = [line for line in lines if not line.startswith(_prefix(read.quiz))]
    write_searches(folder, queries, judged, SearchLines(tuple(others.values()), tuple(judged_otherwise)))
    return WrittenLabels(len(questions), len(existing) - len(others), len(others))


def _prefix(quiz: QuizRow) -> str:
    return f"quiz-{quiz.id[:8]}-"


def _queries(path: Path) -> dict[str, str]:
    lines: dict[str, str] = {}
    for number, line in _lines(path):
        try:
            name = str(json.loads(line)["id"])
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{path} line {number} is not JSON with an id. {REMEDY}") from error
        if name in lines:
            raise InvalidInput(f"{path} line {number} has the id {name!r}, as an earlier line does. {REMEDY}")
        lines[name] = line
    return lines


def _judgements(path: Path) -> list[str]:
    lines = [line for _, line in _lines(path)]
    if lines and lines[0] != QRELS_COLUMNS:
        columns = ", ".join(QRELS_COLUMNS.split("\t"))
        raise InvalidInput(f"The first line of {path} does not have the columns {columns}. {REMEDY}")
    return lines[1:]


def _lines(path: Path) -> list[tuple[int, str]]:
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text. {REMEDY}") from error
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
