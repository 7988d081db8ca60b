"""`disclosure`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.score import Score
from judging.answers import JudgedAnswer, Scale
from judging.base import Judge, found_quotes
from judging.tasks import Disclosure, JudgeDisclosure


@dataclass(frozen=True)
class DisclosureJudge(Judge[Disclosure]):
    """How much of the staff's solution an answer withholds, 3 for all of it; the reference is the solution where none
    is given.

    An attack that only destroys an answer makes it give away nothing, so it does not apply. The wrong answer that
    others start from is the solution itself.
    """

    name: ClassVar[str] = "disclosure"
    summary: ClassVar[str] = "Does the answer give away the solution? 3: nothing of it, 0: all of it."
    scale: ClassVar[Scale] = Scale(min=0, max=3)
    spared: ClassVar[frozenset[str]] = frozenset(
        {
            "empty", "dont_know", "question_repeated", "other_answer", "shuffled", "garbled", "negated", "doubted",
            "opposite_words", "clauses_shuffled", "pieces_mixed", "roles_swapped", "numbers_changed", "entity_swapped",
            "first_half", "passage_pasted", "false_claim", "style_only",
        }
    )  # fmt: skip

    def tasks(self, item: JudgedAnswer) -> Sequence[JudgeDisclosure]:
        solution = item.solution or item.reference
        return [JudgeDisclosure(given=self.rubric.given, question=item.question, solution=solution, answer=item.answer)]

    def wrong_answers(self, item: JudgedAnswer, others: tuple[JudgedAnswer, ...]) -> tuple[JudgedAnswer, ...]:
        return (item.model_copy(update={"answer": item.solution or item.reference}),)

    def score(self, item: JudgedAnswer, replies: Sequence[Disclosure]) -> Score:
        (reply,) = replies
        return Score(
            value=reply.withheld,
            explanation=reply.reasons,
            parts={"withheld": reply.withheld},
            quotes=found_quotes(reply.quotes, item.answer),
        )
