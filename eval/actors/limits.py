"""`limit:reference` and `limit:empty`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.errors import UnknownName
from core.llm.base import LLM
from core.types import Status
from eval.actors.base import ActorKind
from eval.datasets.answers import KIND, Expectation, LabelledAnswer
from eval.datasets.outputs import AnswerOutput, CitedPassage

REFERENCE, EMPTY = "reference", "empty"
STATUS = {
    Expectation.ANSWER: Status.ANSWERED,
    Expectation.ABSTAIN: Status.ABSTAINED,
    Expectation.NO_RESPONSE: Status.NO_RESPONSE_NEEDED,
}


@dataclass(frozen=True)
class LimitActor(ActorKind[LabelledAnswer]):
    """What bounds the figures of others: an oracle that gives the reference, and one that answers with nothing."""

    kind: ClassVar[str] = "limit"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = f"{REFERENCE} or {EMPTY}"
    timed: ClassVar[bool] = False

    limit: str

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.kind}:{self.limit}"

    @property
    def identity(self) -> str:
        return self.limit

    @classmethod
    def made(cls, spec: str, setup: Any) -> Self:
        """Raises `UnknownName`."""
        if spec not in (REFERENCE, EMPTY):
            raise UnknownName("limit", spec, (REFERENCE, EMPTY))
        return cls(spec)

    async def act(self, item: LabelledAnswer, seed: int, llm: LLM) -> dict[str, Any]:
        output = _reference(item) if self.limit == REFERENCE else AnswerOutput(status=Status.ANSWERED, retrieved=())
        return output.model_dump(mode="json")


def _reference(item: LabelledAnswer) -> AnswerOutput:
    return AnswerOutput(
        status=STATUS[item.expects],
        answer=item.reference,
        citations=tuple(CitedPassage(location=at, verified=True) for at in item.passages),
        retrieved=item.passages,
    )
