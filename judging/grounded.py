"""`grounded`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.score import Score
from judging.answers import JudgedAnswer, Scale
from judging.base import Judge, found_quotes
from judging.tasks import CheckedStatements, CheckStatements


@dataclass(frozen=True)
class GroundedJudge(Judge[CheckedStatements]):
    """Share of the answer's statements that the passages support; the reference is the passage where there are none.

    Needs no reference, so it can judge every draft. An answer without statements is unscored: it is not ungrounded.
    """

    name: ClassVar[str] = "grounded"
    summary: ClassVar[str] = "Statement by statement: supported, contradicted by or absent from the passages."
    scale: ClassVar[Scale] = Scale(min=0, max=1)
    spared: ClassVar[frozenset[str]] = frozenset(
        {"empty", "dont_know", "question_repeated", "first_half", "passage_pasted"}
    )
    has_verdict: ClassVar[bool] = False

    def tasks(self, item: JudgedAnswer) -> Sequence[CheckStatements]:
        passages = item.passages or (item.reference,)
        return [CheckStatements(given=self.rubric.given, question=item.question, passages=passages, answer=item.answer)]

    def score(self, item: JudgedAnswer, replies: Sequence[CheckedStatements]) -> Score:
        (reply,) = replies
        counts = Counter(statement.verdict for statement in reply.statements)
        if not reply.statements:
            return Score(unscored="The answer makes no statement.")
        return Score(
            value=counts["supported"] / len(reply.statements),
            explanation="\n".join(f"{one.verdict}: {one.statement}" for one in reply.statements),
            parts={name: float(counts[name]) for name in ("supported", "contradicted", "absent")},
            quotes=found_quotes((one.quote for one in reply.statements), *item.passages, item.reference),
        )
