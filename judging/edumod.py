"""`edumod`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.score import Score
from judging.answers import JudgedAnswer, Scale
from judging.base import Judge, found_quotes, mean_share
from judging.tasks import Grades, JudgeEduMod


@dataclass(frozen=True)
class EduModJudge(Judge[Grades]):
    """Factuality and relevance from 1 to 5, style from 1 to 3 (EduMod-LLM, section 3.4 and appendix A.2).

    The value is the mean of factuality and relevance, and at most factuality: to answer the question does not make up
    for a wrong answer. Style is a part only: how something is said cannot make up for what is said.
    """

    name: ClassVar[str] = "edumod"
    summary: ClassVar[str] = "Factuality, relevance and style against a teaching assistant's answer."
    scale: ClassVar[Scale] = Scale(min=1, max=5)

    def tasks(self, item: JudgedAnswer) -> Sequence[JudgeEduMod]:
        reference = self.shown(item.reference)
        return [JudgeEduMod(given=self.rubric.given, question=item.question, reference=reference, answer=item.answer)]

    def score(self, item: JudgedAnswer, replies: Sequence[Grades]) -> Score:
        (reply,) = replies
        found = self.expected_score([{one.name: getattr(reply, one.name) for one in self.rubric.criteria}])
        quotes = found_quotes(reply.quotes, item.answer, item.reference)
        return found.model_copy(update={"explanation": reply.reasons, "quotes": quotes})

    def expected_score(self, parts: Sequence[Mapping[str, float]]) -> Score:
        (own,) = parts
        factuality = mean_share(own, self.rubric, "factuality")
        share = min(mean_share(own, self.rubric, "factuality", "relevance"), factuality)
        return Score(value=self.scale.at(share), parts=dict(own))
