"""A reviewed quiz as labels of retrieval: each question is a search, its section what answers it."""

from __future__ import annotations

from pathlib import Path

from app.quizzes.reading import ReadQuiz
from app.review.label_files import write_searches
from eval.datasets.locations import location_of


def write_quiz_labels(folder: Path, read: ReadQuiz) -> int:
    """Write the searches below the folder, as `edumod label export` does; how many there are.

    Raises `InvalidInput` unless the quiz is reviewed, and `OSError` where a file cannot be written.
    """
    read.demand_reviewed()
    questions = read.exported.questions
    names = {one.number: f"quiz-{read.quiz.id[:8]}-{one.number:04}" for one in questions}
    queries = [
        {"id": names[one.number], "text": " ".join(one.question.split()), "kind": str(read.quiz.source)}
        for one in questions
    ]
    judged = [(names[one.number], location_of(one.document, one.heading_path)) for one in questions]
    write_searches(folder, queries, judged)
    return len(questions)
