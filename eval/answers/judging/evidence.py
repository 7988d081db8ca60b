"""What a judge reads of an answer: the answer, and the texts that belong to its message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.dataset import item_digest
from core.score import Score
from core.store.tables import ResultState
from core.types import Passage
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.scoring import ScoredRun
from judging.answers import JudgedAnswer
from judging.disclosure import DisclosureJudge
from judging.preference import PreferenceJudge
from retrievers.locations import covers, location_of

TIE = Score(value=0.5, explanation="It is the answer that the others are compared with.")
"""What `preference` gives the baseline's own answer."""


@dataclass(frozen=True)
class AnswerEvidence:
    """Texts beside the answers: `passages` and staff's `solutions` by location, `rivals` by message.

    A rival is the answer that `preference` compares others with, the baseline's first one.
    """

    passages: Mapping[str, str] = field(default_factory=dict)
    solutions: Mapping[str, str] = field(default_factory=dict)
    rivals: Mapping[str, str] = field(default_factory=dict)

    def solution(self, item: LabelledAnswer) -> str:
        """The solutions of the labelled passages."""
        own = (text for at, text in self.solutions.items() if any(covers(label, at) for label in item.passages))
        return "\n\n".join(dict.fromkeys(own))

    def read(self, answer: AnswerOutput) -> tuple[str, ...]:
        """The cited passages, or those found where none is cited."""
        cited = [one.location for one in answer.citations or ()]
        found = (self.passages.get(at) for at in dict.fromkeys(cited or answer.retrieved or ()))
        return tuple(text for text in found if text)


def evidence_of(passages: Iterable[Passage], outcome: ScoredRun[LabelledAnswer]) -> AnswerEvidence:
    """The evidence for the answers of an evaluation, whose first actor is the baseline."""
    texts: dict[str, list[str]] = {}
    solutions: dict[str, list[str]] = {}
    for one in passages:
        at = location_of(one.document, one.heading_path)
        texts.setdefault(at, []).append(one.text)
        if one.solution:
            solutions.setdefault(at, []).append(one.solution)
    rows = [row for row in outcome.of(outcome.plan.actors[0].name) if row.state == ResultState.SCORED]
    answers = [(row.item, AnswerOutput.model_validate(row.output)) for row in sorted(rows, key=lambda row: -row.seed)]
    return AnswerEvidence(
        passages={at: "\n\n".join(found) for at, found in texts.items()},
        solutions={at: "\n\n".join(found) for at, found in solutions.items()},
        rivals={item: answer.plain for item, answer in answers if answer.is_answered},
    )


def why_not_judged(judge: str, item: LabelledAnswer, evidence: AnswerEvidence) -> str | None:
    """Why this judge reads no answer to the message; None if it does."""
    if item.expects is not Expectation.ANSWER:
        return f"The message expects {item.expects}."
    if judge == DisclosureJudge.name and not evidence.solution(item):
        return "Nothing that the message is about has a solution."
    if judge == PreferenceJudge.name and item.id not in evidence.rivals:
        return "The baseline gave no answer to compare with."
    return None


def to_judge(judge: str, item: LabelledAnswer, answer: AnswerOutput, evidence: AnswerEvidence) -> JudgedAnswer | Score:
    """What the judge reads; a score where nothing needs to be read. Equal answers to a message are one item."""
    if reason := why_not_judged(judge, item, evidence):
        return Score(unscored=reason)
    if not answer.is_answered:
        return Score(unscored=f"There is no answer: its status is {answer.status}.")
    compares = judge == PreferenceJudge.name
    if compares and answer.plain == evidence.rivals[item.id]:
        return TIE
    judged = JudgedAnswer(
        id="",
        question=item.question.text,
        reference=item.reference,
        answer=answer.plain,
        passages=evidence.read(answer),
        solution=evidence.solution(item),
        rival=evidence.rivals[item.id] if compares else "",
    )
    return judged.model_copy(update={"id": f"{item.id} {item_digest(judged)}"})


def candidates(answer: AnswerOutput) -> tuple[AnswerOutput, ...]:
    """The answer and its alternatives, each on its own."""
    return (answer.model_copy(update={"alternatives": ()}), *answer.alternatives)
