"""`pipeline:PIPELINE/RETRIEVER`, which answers messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.llm.base import LLM
from core.types import Answer, Passage
from eval.actors.base import ActorKind
from eval.datasets.answers import KIND, LabelledAnswer
from eval.datasets.locations import location_of
from eval.datasets.outputs import AnswerOutput, CitedPassage
from eval.setups.product import ProductSetup
from pipelines.configuration import Configuration
from pipelines.run import Run

SLASH = "/"
"""Separates pipeline and retriever."""


@dataclass(frozen=True)
class AnsweringActor(ActorKind[LabelledAnswer]):
    """A configuration of the product. Its output is an `AnswerOutput` as JSON."""

    kind: ClassVar[str] = "pipeline"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "PIPELINE/RETRIEVER"

    name: str
    configuration: Configuration
    setup: ProductSetup[LabelledAnswer]

    @property
    def identity(self) -> str:
        behind_alias = self.setup.assistant.models[self.configuration.model].fingerprint
        return " ".join(filter(None, (self.configuration.hash, behind_alias)))

    @classmethod
    def made(cls, spec: str, setup: ProductSetup[LabelledAnswer]) -> Self:
        pipeline, _, retriever = spec.partition(SLASH)
        return cls.chosen(pipeline, retriever or None, setup)

    @classmethod
    def chosen(cls, pipeline: str | None, retriever: str | None, setup: ProductSetup[LabelledAnswer]) -> Self:
        """The course's configuration with these choices; None is the course's default. Raises `UnknownName`."""
        named = {"pipeline": pipeline, "retriever": retriever}
        configuration = setup.resolve({name: value for name, value in named.items() if value is not None})
        return cls(SLASH.join((configuration.pipeline, configuration.retriever)), configuration, setup)

    async def act(self, item: LabelledAnswer, seed: int, llm: LLM) -> dict[str, Any]:
        seeded = self.configuration.seeded(seed)
        assistant = self.setup.assistant
        run = await assistant.start(self.setup.course, item.question, seeded, llm=llm)
        answer = await assistant.answer(run, seeded)
        return _output(run, answer).model_dump(mode="json")


def _output(run: Run, answer: Answer) -> AnswerOutput:
    return AnswerOutput(
        status=answer.status,
        answer=answer.markdown,
        confidence=answer.confidence,
        citations=tuple(
            CitedPassage(location=location_of(one.document, one.heading_path), verified=one.verified)
            for one in answer.citations
        ),
        retrieved=tuple(_locations(run.passages)),
        functions=tuple(sorted({call.name for call in run.calls})),
    )


def _locations(passages: tuple[Passage, ...]) -> dict[str, None]:
    """The distinct locations of the passages, in order."""
    return dict.fromkeys(location_of(one.document, one.heading_path) for one in passages)
