"""`grounded`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from eval.datasets.judged import JudgedAnswer, Scale
from eval.judges.base import Judge, found_quotes
from eval.judges.tasks import CheckClaims, Claims
from eval.metrics.base import Score


@dataclass(frozen=True)
class GroundedJudge(Judge[Claims]):
    """Share of the answer's claims that the passages support; the reference is the passage where there are none.

    Needs no reference, so it can judge every draft. An answer without claims is unscored: it is not ungrounded.
    """

    name: ClassVar[str] = "grounded"
    summary: ClassVar[str] = "Claim by claim: supported, contradicted by or absent from the passages."
    scale: ClassVar[Scale] = Scale(min=0, max=1)
    spared: ClassVar[frozenset[str]] = frozenset({"empty", "dont_know", "first_half", "passage_pasted"})
    has_verdict: ClassVar[bool] = False

    def tasks(self, item: JudgedAnswer) -> Sequence[CheckClaims]:
        passages = item.passages or (item.reference,)
        return [CheckClaims(given=self.rubric.given, question=item.question, passages=passages, answer=item.answer)]

    def score(self, item: JudgedAnswer, replies: Sequence[Claims]) -> Score:
        (reply,) = replies
        counts = Counter(claim.verdict for claim in reply.claims)
        if not reply.claims:
            return Score(unscored="The answer makes no claim.")
        return Score(
            value=counts["supported"] / len(reply.claims),
            explanation="\n".join(f"{one.verdict}: {one.claim}" for one in reply.claims),
            parts={name: float(counts[name]) for name in ("supported", "contradicted", "absent")},
            quotes=found_quotes((one.quote for one in reply.claims), *item.passages, item.reference),
        )
