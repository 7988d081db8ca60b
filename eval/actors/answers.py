"""`pipeline:PIPELINE/RETRIEVER`, which answers messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from core.llm.base import LLM
from core.llm.reworded import Reworded
from core.llm.task import Instructions
from core.types import Answer, Passage, Question, Step
from eval.actors.base import ActorKind
from eval.datasets.answers import KIND, LabelledAnswer
from eval.datasets.outputs import AnswerOutput, CitedPassage, OutputStep
from eval.setups.product import ProductSetup
from pipelines.configuration import Configuration
from pipelines.run import Run
from retrievers.locations import location_of

SLASH = "/"
"""Separates pipeline and retriever."""
PASSAGES = "passages"
OPTIONAL_FIELDS = tuple(name for name, field in Question.model_fields.items() if not field.is_required())
LEFT_OUT = (*OPTIONAL_FIELDS, PASSAGES)
"""What an actor can go without."""


def has(question: Question, field: str) -> bool:
    """Whether the question has something in that field; passages are found for every question."""
    return field == PASSAGES or bool(getattr(question, field))


def left_out(question: Question, field: str | None) -> Question:
    """The question without that field."""
    if field is None or field == PASSAGES:
        return question
    return question.model_copy(update={field: Question.model_fields[field].get_default()})


@dataclass(frozen=True)
class AnsweringActor(ActorKind[LabelledAnswer]):
    """A configuration of the product. Its output is an `AnswerOutput` as JSON.

    `without` is what it does not get to see: a field of the question, or the passages. `prompts` are instructions that
    take the place of tasks' own, by the name of the task.
    """

    kind: ClassVar[str] = "pipeline"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "PIPELINE/RETRIEVER"

    name: str
    configuration: Configuration
    setup: ProductSetup[LabelledAnswer]
    without: str | None = None
    prompts: Mapping[str, Instructions] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        behind_alias = self.setup.assistant.models[self.configuration.model].fingerprint
        left_out = f"without {self.without}" if self.without else ""
        prompts = (f"{task} {given.version}" for task, given in sorted(self.prompts.items()))
        return " ".join(filter(None, (self.configuration.hash, behind_alias, left_out, *prompts)))

    @property
    def description(self) -> dict[str, Any]:
        return {"identity": self.identity, **self.configuration.model_dump(mode="json")}

    @property
    def remarks(self) -> tuple[str, ...]:
        if self.without is None or any(has(item.question, self.without) for item in self.setup.dataset.items):
            return ()
        return (f"No message has a field {self.without}: leaving it out changes nothing.",)

    def reworded(self, prompts: Mapping[str, Instructions]) -> AnsweringActor:
        """The same configuration with these instructions, named by them."""
        named = " ".join([self.name, *(f"prompts.{task}={given.name}" for task, given in prompts.items())])
        return replace(self, name=named, prompts=dict(prompts))

    def leaving_out(self, field: str) -> AnsweringActor:
        """The same configuration without this field of the question, or without passages."""
        return replace(self, name=f"{self.name} without {field}", without=field)

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
        return await self.respond(item.question, seed, llm)

    async def respond(self, question: Question, seed: int, llm: LLM) -> dict[str, Any]:
        """The `AnswerOutput` for a question, as JSON."""
        seeded = self.configuration.seeded(seed)
        assistant = self.setup.assistant
        question = left_out(question, self.without)
        model = Reworded(llm, self.prompts) if self.prompts else llm
        run = await assistant.start(
            self.setup.course, question, seeded, llm=model, closed_book=self.without == PASSAGES
        )
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
        steps=tuple(_step(step) for step in run.steps),
    )


def _step(step: Step) -> OutputStep:
    told = step.model_dump(include=OutputStep.model_fields.keys() - {"found"})
    return OutputStep(**told, found=tuple(location_of(one.document, one.heading_path) for one in step.passages))


def _locations(passages: tuple[Passage, ...]) -> dict[str, None]:
    """The distinct locations of the passages, in order."""
    return dict.fromkeys(location_of(one.document, one.heading_path) for one in passages)
