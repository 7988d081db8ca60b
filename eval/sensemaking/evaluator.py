"""An Evaluator: rates answers from 0 to 100 by a judge, against what the text says about the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from core.dataset import Dataset
from core.errors import InvalidInput
from core.llm.models import NamedModel
from core.llm.offline import OFFLINE_MODEL
from core.score import Score
from eval.calibration.evaluation import judging_plan
from eval.calibration.report import scores_of
from eval.judged import judged_report
from eval.runner import Progress, RunLimits, Runner
from eval.sensemaking.formats.sections import Sections
from eval.sensemaking.formats.submissions import ListKind, Rows, TaskSubmission, section_of
from eval.sensemaking.rating import ComputedRating
from judging.answers import JudgedAnswer
from judging.teaching_points import TeachingPointsJudge
from retrievers.embedding.base import Embedder
from teaching.excerpts import sentences_in
from teaching.measures import windows

KIND = "ratings"
JUDGE = TeachingPointsJudge
"""Asks for what an answer conveys, which the task's ratings are about."""
_NOT_RATED = Score(unscored="its section cannot be used.")
REFERENCE_WORDS = 30
"""Words of the passage that stands in for a reference answer: answers of the task are a sentence or two."""
MIN_SENTENCE_WORDS = 5
"""Of a sentence that may answer; shorter ones are headings more often."""


def answers_to_rate(
    sections: Sections, answers: TaskSubmission, embedder: Embedder
) -> tuple[Dataset[JudgedAnswer], list[str]]:
    """Every answer with the passage of its section nearest to it and its question, and what was wrong with lists.

    Reference answers are not seen, as in the task. Raises `InvalidInput` if there is no answer to rate.
    """
    texts = {section.path: section.readable for section in sections.found}
    problems = [*sections.problems, *answers.problems]
    items: list[JudgedAnswer] = []
    for path, rows in answers.lists.items():
        if section_of(path) in texts:
            items += _items(path, rows, texts[section_of(path)], embedder)
        else:
            problems.append(f"{path}: the folder has no usable section {section_of(path)}.")
    if not items:
        raise InvalidInput(" ".join([*problems, "There is no answer to rate."]))
    return Dataset("answers", tuple(items)), problems


def _items(path: str, rows: Rows, text: str, embedder: Embedder) -> Iterator[JudgedAnswer]:
    passages = windows(text, REFERENCE_WORDS)
    sentences = tuple(one for one in sentences_in([text]) if len(one.split()) >= MIN_SENTENCE_WORDS)
    known = embedder.embed(passages)
    for row, (question, *given) in enumerate(rows):
        for position, answer in enumerate(given):
            # By the question alone it is often another passage than the one that a right answer rests on.
            nearest = int(np.argmax(known @ embedder.embed([str(question), str(answer)]).sum(axis=0)))
            yield JudgedAnswer(
                id=_id(path, row, position),
                question=str(question),
                reference=passages[nearest],
                answer=str(answer),
                passages=sentences,
            )


async def rate(
    runner: Runner, model: NamedModel, dataset: Dataset[JudgedAnswer], limits: RunLimits, progress: Progress
) -> dict[str, Score]:
    """The judge's score of every answer by its id; without a model it is computed by `rating`.

    A run that was stopped continues, and pays for nothing twice.
    """
    judge = ComputedRating() if model.name == OFFLINE_MODEL else JUDGE()
    outcome = await runner.run(judging_plan(KIND, judge, dataset, model), limits, progress)
    scores = scores_of(outcome, JUDGE.name)
    if all(score.value is not None for score in scores.values()):
        await runner.finish(outcome, judged_report(outcome))
    return scores


def ratings_of(answers: TaskSubmission, scores: Mapping[str, Score]) -> TaskSubmission:
    """The ratings of every list whose answers all have a score; others are named with the first that has none."""
    lists: dict[str, Rows] = {}
    problems: list[str] = []
    for path, rows in answers.lists.items():
        ids = [[_id(path, row, position) for position in range(len(given) - 1)] for row, given in enumerate(rows)]
        found = [[scores.get(one, _NOT_RATED) for one in row] for row in ids]
        unscored = [score.unscored for row in found for score in row if score.value is None]
        if unscored:
            problems.append(f"{path}: {len(unscored)} answers have no rating: {unscored[0]}")
            continue
        section, name = path.rsplit("/", 1)
        values = ((score.value for score in row if score.value is not None) for row in found)
        lists[f"{section}/{ListKind.RATINGS}{name.removeprefix(ListKind.ANSWERS)}"] = tuple(
            tuple(round(100 * JUDGE.scale.share(value)) for value in row) for row in values
        )
    return TaskSubmission(kind=ListKind.RATINGS, lists=lists, problems=tuple(problems))


def _id(path: str, row: int, position: int) -> str:
    return f"{path} row {row} answer {position + 1}"
