"""An answer with configuration, usage and trace, as stored and returned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, PrivateAttr

from core.code import CodeIssue
from core.homework import CriterionFeedback, Feedback
from core.types import Answer, Citation, Doubt, FunctionCall, Source, Status, Step, Usage
from pipelines.configuration import Configuration, pipeline_parameters

CONFIDENCE = "From 0 to 1, as estimated by the backend; in tenths for those who may not read drafts."


class ConfigurationOut(pipeline_parameters()):  # type: ignore[misc]
    """The resolved configuration of this answer. Equal hashes mean equal configurations."""

    pipeline: str
    retriever: str
    retrievers: dict[Source, str] = Field(default_factory=dict, description="Each course function's retriever.")
    model: str
    top_k: int
    temperature: float | None
    seed: int | None
    beam: int | None = None
    depth: int | None = None
    prompts: dict[str, str] = Field(description="Version of each prompt.")
    hash: str

    @classmethod
    def of(cls, configuration: Configuration) -> ConfigurationOut:
        resolved = configuration.model_dump(exclude={"parameters"}) | configuration.parameters
        return cls(**resolved, prompts=configuration.prompts, hash=configuration.hash)


def doubts_of(answer: Answer, warnings: Sequence[str] = ()) -> tuple[Doubt, ...]:
    """Why a person must read the answer before it is posted."""
    doubts = [*answer.doubts]
    rests_on_nothing = not answer.citations and answer.feedback is None and answer.issue is None
    if rests_on_nothing or not all(citation.verified for citation in answer.citations):
        doubts.append(Doubt.UNVERIFIED)
    if answer.status is Status.ANSWERED and answer.confidence == 0:
        doubts.append(Doubt.CONTRADICTION)
    if answer.warnings or warnings or answer.reviewed is False:
        doubts.append(Doubt.WARNING)
    return tuple(dict.fromkeys(doubts)) if answer.status is Status.ANSWERED else ()


class AnswerResponse(BaseModel):
    """An answer to a question, with everything that led to it."""

    status: Status
    answer: str = Field(
        description="Markdown, with [n] referring to citation n; empty if the course has `posting: shadow`."
    )
    confidence: float = Field(description=CONFIDENCE)
    citations: tuple[Citation, ...]
    function_calls: tuple[FunctionCall, ...]
    usage: Usage
    configuration: ConfigurationOut
    draft_id: str
    trace_id: str | None = Field(description="Null if consent was refused: then nothing was run.")
    trace: tuple[Step, ...]
    warnings: tuple[str, ...] = Field(default=(), description="What the reviewer of the draft should know.")
    doubts: tuple[Doubt, ...] = Field(default=(), description="Why a person must read it before it is posted.")
    mark: str = Field(
        default="", description="What stands behind unverified statements in `answer`; it is never posted."
    )
    reviewed: bool | None = Field(
        default=None, description="Whether a judging model reviewed the draft; null if its pipeline has no review."
    )

    feedback: Feedback | None = Field(default=None, description="Feedback on homework; null for an answer.")
    issue: CodeIssue | None = Field(default=None, description="What was found in the student's code, if anything.")

    _is_replay: bool = PrivateAttr(default=False)

    @property
    def is_replay(self) -> bool:
        """True where an earlier request with the same Idempotency-Key got this answer."""
        return self._is_replay

    def as_replay(self) -> AnswerResponse:
        """The same answer as a replay."""
        again = self.model_copy()
        again._is_replay = True
        return again

    @classmethod
    def of(cls, answer: Answer, **details: Any) -> AnswerResponse:
        return cls(
            status=answer.status,
            answer=answer.markdown,
            confidence=answer.confidence,
            citations=answer.citations,
            doubts=doubts_of(answer, details.get("warnings", ())),
            mark=answer.mark,
            reviewed=answer.reviewed,
            feedback=answer.feedback,
            issue=answer.issue,
            **details,
        )


class FeedbackResponse(BaseModel):
    """Feedback on a submission, with everything that led to it."""

    status: Status
    criteria: dict[str, CriterionFeedback] = Field(
        description="For completeness, method, final_answer, arithmetic and units; empty if it is not shown."
    )
    comment: str = Field(description="What the student reads first.")
    feedback: str = Field(description="The whole as Markdown, as a teaching assistant reviews it.")
    usage: Usage
    configuration: ConfigurationOut
    draft_id: str
    trace_id: str | None = Field(description="Null if consent was refused: then nothing was run.")
    trace: tuple[Step, ...]
    warnings: tuple[str, ...] = Field(default=(), description="What the reviewer of the draft should know.")

    @classmethod
    def of(cls, response: AnswerResponse) -> FeedbackResponse:
        """What a run of a pipeline for homework gave."""
        given = response.feedback
        return cls(
            criteria=given.criteria if given else {},
            comment=given.comment if given else response.answer,
            feedback=response.answer,
            **response.model_dump(
                include={"status", "usage", "configuration", "draft_id", "trace_id", "trace", "warnings"}
            ),
        )
