"""`preference`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.score import Score
from judging.answers import JudgedAnswer, JudgedAnswers, Scale
from judging.base import Judge, found_quotes
from judging.pairs import paired
from judging.tasks import CompareAnswers, Preference

TIE = 0.5


@dataclass(frozen=True)
class PreferenceJudge(Judge[Preference]):
    """Is the answer better than its rival? Asked in both orders: 1 if it is chosen in both, 0 if in none.

    Where the orders disagree, the value is their mean and the part `inconsistent` is 1. The rival of an answer that has
    none is the reference.
    """

    name: ClassVar[str] = "preference"
    summary: ClassVar[str] = "Which of two answers is better, asked in both orders."
    scale: ClassVar[Scale] = Scale(min=0, max=1)

    def prepared(self, data: JudgedAnswers) -> JudgedAnswers:
        """Without rivals in the data, answers to the same question are each other's."""
        return data if any(item.rival for item in data.dataset.items) else paired(data)

    def under_attack(self, item: JudgedAnswer) -> JudgedAnswer:
        """Its own rival: a tie, which what an attack makes of it has to lose."""
        return item.model_copy(update={"rival": item.answer})

    def tasks(self, item: JudgedAnswer) -> Sequence[CompareAnswers]:
        rival = item.rival or item.reference
        return [
            CompareAnswers(
                given=self.rubric.given,
                question=item.question,
                reference=self.shown(item.reference),
                answer_a=first,
                answer_b=second,
            )
            for first, second in ((item.answer, rival), (rival, item.answer))
        ]

    def score(self, item: JudgedAnswer, replies: Sequence[Preference]) -> Score:
        first, second = replies
        verdicts = self.rubric.criteria[0].verdicts
        found = self.expected_score([{"preference": verdicts[reply.choice]} for reply in replies])
        return found.model_copy(
            update={
                "explanation": f"First: {first.reasons} Second: {second.reasons}",
                "quotes": found_quotes((*first.quotes, *second.quotes), item.answer, item.rival, item.reference),
            }
        )

    def expected_score(self, parts: Sequence[Mapping[str, float]]) -> Score:
        first, second = parts[0]["preference"], 1 - parts[1]["preference"]
        inconsistent = (first - TIE) * (second - TIE) < 0 or (first == TIE) != (second == TIE)
        return Score(
            value=(first + second) / 2,
            parts={"first": first, "second": second, "inconsistent": float(inconsistent)},
        )
