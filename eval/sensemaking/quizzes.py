"""Quizzes for the sections of a folder, and their measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean

from core.errors import InvalidInput
from core.types import Value
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, Rows, TaskSubmission, paired, section_of
from eval.sensemaking.grading import QuizGrades
from judging.rouge import rouge_l
from retrievers.embedding.base import Embedder
from teaching.measures import QuizMeasures, quiz_measures
from teaching.teacher import teach

NOTHING_TO_MEASURE = "There are no questions to measure. Write questions.json into the sections, or name a submission."
Progress = Callable[[int, int], None]
"""Called with the numbers of done and of all sections."""


class AnswerMeasures(Value):
    """Answers to the questions of one list. Only the first answer of a question counts, as in the task.

    `rouge_l_recall` is the mean over questions with a reference answer, of several the best, 0 if unanswered; None
    without references.
    """

    questions: int
    answered: int
    rouge_l_recall: float | None


class ListScore(Value):
    """The measures of one list of questions, of the answers to it, and the mean rating of these, from 0 to 100."""

    path: str
    quiz: QuizMeasures
    answers: AnswerMeasures | None = None
    rating: float | None = None


class Scores(Value):
    """The scores of all lists that could be measured, and what was wrong with the others."""

    lists: tuple[ListScore, ...]
    problems: tuple[str, ...]
    grades: QuizGrades | None = None


def teach_all(sections: Sections, count: int, embedder: Embedder, progress: Progress) -> TaskSubmission:
    """At most `count` questions with answers for each section, by rules; sections without any are named."""
    lists: dict[str, Rows] = {}
    problems = list(sections.problems)
    for done, section in enumerate(sections.found, start=1):
        try:
            lists[f"{section.path}/questions.json"] = _rows(section, count, embedder)
        except InvalidInput as error:
            problems.append(f"{section.path}: {error}")
        progress(done, len(sections.found))
    return TaskSubmission(kind=ListKind.QUESTIONS, lists=lists, problems=tuple(problems))


def _rows(section: Section, count: int, embedder: Embedder) -> Rows:
    asked = teach(section.readable, count, embedder)
    if not asked:
        raise InvalidInput("no sentence of it makes a question by rules. Write questions to questions.json by hand")
    return tuple((one.question, one.answer) for one in asked)


def own_questions(sections: Sections) -> TaskSubmission:
    """The questions that stand in the folders of the sections, as a submission."""
    lists = {f"{one.path}/{name}": rows for one in sections.found for name, rows in one.questions.items()}
    return TaskSubmission(kind=ListKind.QUESTIONS, lists=lists)


def score_all(
    sections: Sections,
    questions: TaskSubmission,
    answers: TaskSubmission | None,
    ratings: TaskSubmission | None,
    embedder: Embedder,
) -> Scores:
    """Measure every list of questions against its section, with the answers and ratings that belong to it.

    Raises `InvalidInput` if there is nothing to measure.
    """
    problems = [*sections.problems, *questions.problems]
    answered = _partners(questions, answers, problems)
    rated = _partners(answers, ratings, problems)
    used = {path for path, _ in answered.values()}
    unused = [(path, of) for of, (path, _) in rated.items() if of not in used]
    problems += [
        f"{path}: {of} answers no list of questions here, so that its ratings are not used." for path, of in unused
    ]
    texts = {section.path: section.readable for section in sections.found}
    scores: list[ListScore] = []
    for path, rows in questions.lists.items():
        try:
            quiz = _measured(texts, path, rows, embedder)
        except InvalidInput as error:
            problems.append(f"{path}: {error}.")
            continue
        key, given = answered.get(path, ("", None))
        marks = rated.get(key, ("", None))[1]
        scores.append(
            ListScore(
                path=path,
                quiz=quiz,
                answers=None if given is None else answer_measures(rows, given),
                rating=None if marks is None else mean_rating(marks),
            )
        )
    if not scores:
        raise InvalidInput(" ".join([*problems, NOTHING_TO_MEASURE]))
    return Scores(lists=tuple(scores), problems=tuple(problems))


def _measured(texts: Mapping[str, str], path: str, rows: Rows, embedder: Embedder) -> QuizMeasures:
    section = section_of(path)
    if section not in texts:
        raise InvalidInput(f"the folder has no usable section {section}")
    return quiz_measures(texts[section], [str(row[0]) for row in rows], embedder)


def _partners(
    first: TaskSubmission | None, second: TaskSubmission | None, problems: list[str]
) -> dict[str, tuple[str, Rows]]:
    """Path and rows of the list of `second` about each list of `first`. Appends to `problems`."""
    if first is None or second is None:
        return {}
    pairs, wrong = paired(first, second)
    problems += [*second.problems, *wrong]
    return {pair.first: (pair.second, second.lists[pair.second]) for pair in pairs}


def answer_measures(questions: Rows, answers: Rows) -> AnswerMeasures:
    """The measures of the answers to these questions, which are the same in the same order."""
    recalls = [
        max(rouge_l(str(reference), str(given[1])).recall for reference in asked[1:]) if len(given) > 1 else 0.0
        for asked, given in zip(questions, answers, strict=True)
        if len(asked) > 1
    ]
    return AnswerMeasures(
        questions=len(questions),
        answered=sum(len(given) > 1 for given in answers),
        rouge_l_recall=fmean(recalls) if recalls else None,
    )


def mean_rating(ratings: Rows) -> float | None:
    """The mean rating of first answers, None if none was rated."""
    first = [float(row[0]) for row in ratings if row]
    return fmean(first) if first else None
