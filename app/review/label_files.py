"""Labels from decisions, in the files that evaluations read: answers, functions and retrieval."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.review.learning import Lesson, dev_and_test, location_of
from core.files import write_atomically
from core.review import Outcome, QuestionKind
from eval.datasets.answers import Expectation, MessageKind
from eval.datasets.corpus import QRELS, QUERIES
from eval.datasets.queries import KIND
from retrievers.functions import COURSE_FUNCTIONS

KINDS = {
    QuestionKind.ERROR_MESSAGE: MessageKind.DEBUGGING,
    QuestionKind.ASSIGNMENT: MessageKind.ASSIGNMENT,
    QuestionKind.LOGISTICS: MessageKind.LOGISTICS,
    QuestionKind.CONCEPT: MessageKind.CONCEPT,
}
QRELS_COLUMNS = "query-id\tcorpus-id\tscore"
_FUNCTIONS = {function.source.value: function.spec.name for function in COURSE_FUNCTIONS}


@dataclass(frozen=True)
class SearchLines:
    """Lines of existing labels of retrieval, which are written again as they are."""

    queries: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()


NO_SEARCHES = SearchLines()


def write_labels(folder: Path, lessons: Sequence[Lesson]) -> int:
    """Write labels of decided drafts and return their number; discarded drafts are left out. Raises `OSError`."""
    split_lessons = dev_and_test([one for one in lessons if one.decision.outcome is not Outcome.DISCARDED])
    questions = [{"id": one.draft.id, "split": split, "question": one.pair["question"]} for split, one in split_lessons]
    _write(folder / "answers" / "questions.jsonl", questions)
    _write(folder / "answers" / "labels.jsonl", [_answer(one) for _, one in split_lessons])
    cited = [(split, one) for split, one in split_lessons if one.citations_kept]
    _write(folder / "functions" / "labels.jsonl", [_functions(one) for _, one in cited])
    judged = [(one.draft.id, location) for _, one in cited for location in _locations(one)]
    write_searches(folder, [_query(one) for _, one in cited], judged)
    return len(split_lessons)


def write_searches(
    folder: Path,
    queries: Iterable[dict[str, Any]],
    judged: Iterable[tuple[str, str]],
    others: SearchLines = NO_SEARCHES,
) -> None:
    """Write queries and the locations that answer them, `others` first. Raises `OSError`."""
    _write_lines(folder / KIND / QUERIES, [*others.queries, *map(_json, queries)])
    lines = [f"{query}\t{location}\t1" for query, location in judged]
    _write_lines(folder / KIND / QRELS, [QRELS_COLUMNS, *others.judged, *lines])


def _answer(lesson: Lesson) -> dict[str, Any]:
    kind = KINDS[QuestionKind(lesson.draft.kind or QuestionKind.CONCEPT)]
    label = {"id": lesson.draft.id, "kind": kind.value, "expects": Expectation.ANSWER.value}
    return {**label, "passages": _locations(lesson), "reference": lesson.decision.text}


def _functions(lesson: Lesson) -> dict[str, Any]:
    functions = sorted({_FUNCTIONS[one["source"]] for one in lesson.citations_kept})
    return {"id": lesson.draft.id, "raters": {"review": functions}, "functions": functions}


def _query(lesson: Lesson) -> dict[str, Any]:
    asked = lesson.question
    text = " ".join(filter(None, (asked.get("title"), asked.get("body")))).strip()
    return {"id": lesson.draft.id, "text": " ".join(text.split()), "kind": lesson.citations_kept[0]["source"]}


def _locations(lesson: Lesson) -> list[str]:
    return list(dict.fromkeys(location_of(one) for one in lesson.citations_kept))


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    _write_lines(path, list(map(_json, rows)))


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
