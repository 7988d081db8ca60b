"""`teaching_points`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.score import Score
from judging.answers import JudgedAnswer, Scale
from judging.base import Judge, found_quotes
from judging.tasks import JudgeTeachingPoints, TeachingPoints


@dataclass(frozen=True)
class TeachingPointsJudge(Judge[TeachingPoints]):
    """0 to 5 by core, missing and extra teaching points (the CS1 question-answering study, appendix A)."""

    name: ClassVar[str] = "teaching_points"
    summary: ClassVar[str] = "Does the answer convey the reference's teaching points? At least 3 may be shown."
    scale: ClassVar[Scale] = Scale(min=0, max=5)

    def tasks(self, item: JudgedAnswer) -> Sequence[JudgeTeachingPoints]:
        reference = self.shown(item.reference)
        return [
            JudgeTeachingPoints(
                given=self.rubric.given, question=item.question, reference=reference, answer=item.answer
            )
        ]

    def score(self, item: JudgedAnswer, replies: Sequence[TeachingPoints]) -> Score:
        (reply,) = replies
        missing = f" Missing: {'; '.join(reply.missing)}." if reply.missing else ""
        extra = f" Extra: {'; '.join(reply.extra)}." if reply.extra else ""
        return Score(
            value=reply.score,
            explanation=f"{reply.reasons}{missing}{extra}",
            parts={"core": len(reply.core), "missing": len(reply.missing), "extra": len(reply.extra)},
            quotes=found_quotes(reply.quotes, item.answer, item.reference),
        )
