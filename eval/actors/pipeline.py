"""`pipeline:NAME`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.llm.base import LLM
from eval.actors.base import ActorKind
from eval.datasets.questions import KIND, LabelledQuestion
from eval.setups.product import ProductSetup
from pipelines import pipeline_named
from pipelines.configuration import Configuration


@dataclass(frozen=True)
class PipelineActor(ActorKind[LabelledQuestion]):
    """A configuration of the product. Its output is the list of functions that it calls."""

    kind: ClassVar[str] = "pipeline"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "NAME"

    name: str
    configuration: Configuration
    setup: ProductSetup[LabelledQuestion]

    @property
    def identity(self) -> str:
        behind_alias = self.setup.assistant.models[self.configuration.model].fingerprint
        return " ".join(filter(None, (self.configuration.hash, behind_alias)))

    @property
    def conditions(self) -> dict[str, Any]:
        return {"identity": self.identity, **self.configuration.model_dump(mode="json")}

    @classmethod
    def made(cls, spec: str, setup: ProductSetup[LabelledQuestion]) -> Self:
        name = pipeline_named(spec).name
        return cls(name, setup.resolve({"pipeline": name}), setup)

    async def act(self, item: LabelledQuestion, seed: int, llm: LLM) -> list[str]:
        seeded = self.configuration.seeded(seed)
        assistant = self.setup.assistant
        run = await assistant.start(self.setup.course, item.question, seeded, llm=llm)
        await assistant.answer(run, seeded)
        return sorted({call.name for call in run.calls})
