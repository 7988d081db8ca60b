"""The offline rules of the judges' tasks: verdicts computed from features, with the words that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import CannotTell, MissingCapability
from core.llm.offline import Rule
from core.llm.task import Task
from judging.answers import Scale
from judging.computed import disagreements
from judging.computed.doubts import AcceptanceDoubt, doubts
from judging.computed.features import features
from judging.computed.model import ACCEPTABLE, MAX_SCORE, Assessment, assess
from judging.computed.reading import FUNCTION_WORDS, WordReading, read
from judging.computed.vectors import cosine, vector, vectors, word_similarities
from judging.computed.word_order import naturalness
from judging.rouge import rouge_l
from judging.tasks import (
    CheckedStatement,
    CheckedStatements,
    CheckStatements,
    CompareAnswers,
    Disclosure,
    Grades,
    JudgeDisclosure,
    JudgeEduMod,
    JudgeTeachingPoints,
    Preference,
    TeachingPoints,
)

FIVE = Scale(min=0, max=MAX_SCORE)
GRADES = Scale(min=1, max=5)
COVERED = 0.5
"""Share of a statement's content words from which it counts as conveyed."""
SUPPORTED = 0.7
"""The same for a statement that a passage is to support."""
KNOWN = 0.1
"""Similarity to a word of the passages or the question below which a statement's word is of another topic."""
READABLE = 0.3
"""Naturalness of the order of words below which a statement says nothing."""
WITHHELD = 3.4
"""Points withheld if no word of the answer stands in the solution, less in proportion to those that stand there in the
same order. By least squares on answers to questions on homework."""
SECRET_SHARE = 0.2
"""Share of a solution's words that only it has, from which they tell what an answer gives away."""
GROUNDED = 0.6
"""Share of supported statements from which an answer is accepted."""
IN_PASSAGES = 0.5
"""Weight up to which a word counts as explained: passages are to support an answer, not only to be like it."""
RELATED = 0.5
"""Cosine of a statement and a sentence of a passage that speak of the same."""
BETTER_BY = 0.35
"""Difference of two scores, of 5, below which it is a tie."""
LONG = 1.2
"""Logarithm of the ratio of lengths from which an answer is much longer than its reference."""
MAX_QUOTES = 3


def judge_teaching_points(task: JudgeTeachingPoints) -> TeachingPoints:
    """The assessment, with the statements of the reference that the answer conveys or lacks."""
    assessment = _certain(task.question, task.reference, task.answer)
    wanted, given = read(task.reference), read(task.answer)
    missing = tuple(one for one in wanted.statements if _conveyed(read(one), given) < COVERED)
    return TeachingPoints(
        reasons=_reasons(assessment),
        quotes=_quotes(wanted, given),
        core=wanted.statements,
        missing=missing,
        extra=tuple(one.text for one in given.sentences if disagreements.alters(one, wanted)),
        score=round(assessment.score, 4),
    )


def judge_edumod(task: JudgeEduMod) -> Grades:
    """Factuality and relevance are the assessment, style weighs length and readability."""
    assessment = _certain(task.question, task.reference, task.answer)
    known = features(task.question, task.reference, task.answer)
    untidy = (known["longer"] > LONG, known["breaks_off"], known["order"] < COVERED, assessment.topical < COVERED)
    grade = round(GRADES.at(FIVE.share(assessment.score)), 4)
    return Grades(
        reasons=_reasons(assessment),
        quotes=_quotes(read(task.reference), read(task.answer)),
        factuality=grade,
        relevance=grade,
        style=max(3.0 - sum(untidy), 1.0),
    )


def check_statements(task: CheckStatements) -> CheckedStatements:
    """Each sentence of the answer, but for questions, is compared with the sentence of the passages that is nearest to
    it."""
    sentences = [sentence for passage in task.passages for sentence in read(passage).sentences]
    statements = [one for one in read(task.answer).sentences if one.content and not one.text.endswith("?")]
    if not statements or not sentences:
        return CheckedStatements(statements=())
    words = tuple(dict.fromkeys(word for one in (read(task.question), *sentences) for word, _ in one.words))
    known = vectors([one.text for one in sentences])
    found = []
    for statement in statements:
        nearness = known @ vector(statement.text)
        nearest = sentences[int(nearness.argmax())]
        around = WordReading(" ".join(sentences[position].text for position in nearness.argsort()[-MAX_QUOTES:]))
        own = [word for word, stem in statement.words if stem not in FUNCTION_WORDS]
        if naturalness(statement.text) < READABLE or float(word_similarities(own, words).max(1).min()) < KNOWN:
            found.append(CheckedStatement(statement=statement.text, quote="", verdict="absent"))
        else:
            found.append(_checked(statement, nearest, around, float(nearness.max())))
    _demand_certainty(task, found)
    return CheckedStatements(statements=tuple(found))


def _demand_certainty(task: CheckStatements, statements: Sequence[CheckedStatement]) -> None:
    """Raises `CannotTell` where an answer would be accepted that is in doubt, or has a statement without support.

    Negations are counted statement by statement.
    """
    verdicts = [one.verdict for one in statements]
    supported = verdicts.count("supported")
    if supported < GROUNDED * len(verdicts):
        return
    passages = " ".join(task.passages)
    doubtful = [
        one for one in doubts(task.question, passages, task.answer, IN_PASSAGES) if one is not AcceptanceDoubt.NEGATION
    ]
    if "contradicted" in verdicts:
        doubtful.append(AcceptanceDoubt.STATEMENT)
    if doubtful:
        details = f"{supported} of {len(verdicts)} statements seem supported."
        raise _cannot_tell(doubtful, details, supported / len(verdicts))


def _checked(statement: WordReading, nearest: WordReading, around: WordReading, nearness: float) -> CheckedStatement:
    """`around` are the nearest sentences, which may support a statement together."""
    conveyed = _conveyed(statement, around)
    if nearness < RELATED and conveyed < SUPPORTED:
        return CheckedStatement(statement=statement.text, quote="", verdict="absent")
    differs = disagreements.alters(statement, nearest) or (statement.numbers - around.numbers and nearest.numbers)
    if differs or disagreements.negation(nearest, statement) >= SUPPORTED:
        return CheckedStatement(statement=statement.text, quote=nearest.text, verdict="contradicted")
    if conveyed < SUPPORTED:
        return CheckedStatement(statement=statement.text, quote="", verdict="absent")
    return CheckedStatement(statement=statement.text, quote=nearest.text, verdict="supported")


def judge_disclosure(task: JudgeDisclosure) -> Disclosure:
    """How much the answer has of what only the solution says, or, if that is more, how much of the answer stands in the
    solution in the same order: a result alone gives away a step."""
    asked, solution, given = read(task.question), read(task.solution), read(task.answer)
    known = set(asked.content)
    secret = WordReading(" ".join(word for word in solution.text.split() if not known & set(read(word).content)))
    # Where the question has nearly all of the solution's words, as code to mend has, their order gives it away.
    is_worded = len(secret.content) >= SECRET_SHARE * max(len(solution.content), 1)
    shown = _conveyed(secret, given) if is_worded else rouge_l(solution.text, given.text).recall
    similar = max((cosine(vector(solution.text), vector(one.text)) for one in (given, *given.sentences)), default=0.0)
    share = shown if given.content else 0.0
    revealed = min(1.0, max(0.0, 1.25 * share * (0.5 + similar / 2) - 0.1))
    copied = rouge_l(solution.text, given.text).precision
    return Disclosure(
        reasons=f"Of what only the solution has, the answer has {share:.0%}; {copied:.0%} of it stands there.",
        quotes=_quotes(solution, given),
        withheld=round(min(3 * (1 - revealed), WITHHELD * (1 - copied)), 4),
    )


def compare_answers(task: CompareAnswers) -> Preference:
    """The answer with the higher assessment; of two that are alike, the one that leaves fewer doubts.

    Does not depend on the order.
    """
    texts = (task.answer_a, task.answer_b)
    first, second = (_assessed(task.question, task.reference, text) for text in texts)
    difference = first.score - second.score
    if abs(difference) < BETTER_BY:
        doubts_a, doubts_b = (len(doubts(task.question, task.reference, text)) for text in texts)
        difference = float(doubts_b - doubts_a)
    choice = "tie" if not difference else "a" if difference > 0 else "b"
    return Preference(
        reasons=f"{first.score:.1f} against {second.score:.1f} of 5. {_reasons(first if difference > 0 else second)}",
        quotes=_quotes(read(task.reference), read(task.answer_a if difference > 0 else task.answer_b)),
        choice=choice,
    )


def _certain(question: str, reference: str, answer: str) -> Assessment:
    """The assessment. Raises `CannotTell` where it would accept an answer that is in doubt."""
    assessment = _assessed(question, reference, answer)
    if assessment.score >= ACCEPTABLE and (doubtful := doubts(question, reference, answer)):
        raise _cannot_tell(doubtful, _reasons(assessment), FIVE.share(assessment.score))
    return assessment


def _cannot_tell(doubtful: Sequence[AcceptanceDoubt], details: str, estimate: float) -> CannotTell:
    reasons = "; ".join(doubtful)
    return CannotTell(f"Without a model it cannot be told whether the answer is right: {reasons}.", details, estimate)


def _assessed(question: str, reference: str, answer: str) -> Assessment:
    """Raises `MissingCapability` without a reference, which the computed form cannot do without."""
    if not reference.strip():
        raise MissingCapability(
            "reference",
            "The computed judges compare with a reference, which is hidden or empty. Show it, or choose a model.",
        )
    return assess(features(question, reference, answer))


def _conveyed(statement: WordReading, answer: WordReading) -> float:
    """Share of a statement's content words that the answer has, whatever their form."""
    if not statement.content:
        return 1.0
    if not answer.content:
        return 0.0
    return float(word_similarities(statement.content, answer.content).max(1).mean())


def _reasons(assessment: Assessment) -> str:
    return (
        f"Computed: {assessment.score:.1f} of 5, from a likeness to the reference of {assessment.likeness:.2f} and a "
        f"probability of {assessment.topical:.2f} that it answers the question."
    )


def _quotes(wanted: WordReading, given: WordReading) -> tuple[str, ...]:
    """The answer's sentences that are nearest to the reference, most similar first."""
    if not given.content:
        return ()
    against = vector(wanted.text)
    return tuple(
        sorted((one.text for one in given.sentences), key=lambda text: -cosine(vector(text), against))[:MAX_QUOTES]
    )


COMPUTED_RULES: dict[type[Task[Any]], Rule] = {
    JudgeTeachingPoints: judge_teaching_points,
    JudgeEduMod: judge_edumod,
    CheckStatements: check_statements,
    JudgeDisclosure: judge_disclosure,
    CompareAnswers: compare_answers,
}
"""By task, for the offline backend."""
