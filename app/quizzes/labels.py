"""A reviewed quiz as labels of retrieval: each question is a search, its section what answers it.

The folder may hold other labels, such as an instructor's own or those of other quizzes. They stay.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from app.quizzes.reading import ReadQuiz
from app.review.label_files import QRELS_COLUMNS, SearchLines, write_searches
from core.errors import InvalidInput
from core.store.tables import QuizRow
from eval.datasets.corpus import QRELS, QUERIES
from eval.datasets.queries import KIND
from retrievers.locations import location_of

REMEDY = "Correct it, or write the labels to another folder."


@dataclass(frozen=True)
class WrittenLabels:
    """How many labels of the quiz were written in place of how many older ones, and how many of others were kept."""

    written: int
    replaced: int
    kept: int


def write_quiz_labels(folder: Path, read: ReadQuiz) -> WrittenLabels:
    """Write the searches below the folder, as `edumod label export` does, in place of those of this quiz.

    Raises `InvalidInput` unless the quiz is reviewed, and where existing labels cannot be read, which are then left as
    they are; and `OSError` where a file cannot be written.
    """
    read.demand_reviewed()
    questions = read.exported.questions
    names = {one.number: f"{_prefix(read.quiz)}{one.number:04}" for one in questions}
    queries = [
        {"id": names[one.number], "text": " ".join(one.question.split()), "kind": str(read.quiz.source)}
        for one in questions
    ]
    judged = [(names[one.number], location_of(one.document, one.heading_path)) for one in questions]
    existing = _queries(folder / KIND / QUERIES)
    others = {name: line for name, line in existing.items() if not name.startswith(_prefix(read.quiz))}
    lines = _judgements(folder / KIND / QRELS)
    judged_otherwise = [line for line in lines if not line.startswith(_prefix(read.quiz))]
    write_searches(folder, queries, judged, SearchLines(tuple(others.values()), tuple(judged_otherwise)))
    return WrittenLabels(len(questions), len(existing) - len(others), len(others))


def _prefix(quiz: QuizRow) -> str:
    """What the ids of the quiz's queries begin with."""
    return f"quiz-{quiz.id[:8]}-"


def _queries(path: Path) -> dict[str, str]:
    """The lines of a file of queries by id. Raises `InvalidInput`."""
    found: dict[str, str] = {}
    for number, line in _lines(path):
        try:
            name = str(json.loads(line)["id"])
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{path} line {number} is not JSON with an id. {REMEDY}") from error
        if name in found:
            raise InvalidInput(f"{path} line {number} has the id {name!r}, as an earlier line does. {REMEDY}")
        found[name] = line
    return found


def _judgements(path: Path) -> list[str]:
    """The lines of a file of judgements below its first. Raises `InvalidInput`."""
    lines = [line for _, line in _lines(path)]
    if lines and lines[0] != QRELS_COLUMNS:
        columns = ", ".join(QRELS_COLUMNS.split("\t"))
        raise InvalidInput(f"The first line of {path} does not have the columns {columns}. {REMEDY}")
    return lines[1:]


def _lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers; none where there is no file."""
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text. {REMEDY}") from error
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
