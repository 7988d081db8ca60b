"""Runs as OpenTelemetry spans: the one module that imports `opentelemetry`, and the one that knows attribute names.

invoke_agent edumod                one run: course, pipeline, retriever, model, status, draft, usage
├── chat MODEL                     a step that asks a model: choose, write or review
├── read_image                     a step that reads an image, by the model or by OCR
└── execute_tool FUNCTION          a step that searches

Names follow OpenTelemetry's semantic conventions for generative AI, which are still in development; attributes that
they do not define are named `edumod.*`. Texts by students and models, error messages included, are content: spans
contain them only if `content` is set.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Final

from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, TracerProvider
from pydantic import BaseModel

from core.errors import EduModError, SetupError
from core.llm.base import Sampling
from core.llm.offline import OFFLINE_MODEL
from core.types import Answer, Step, StepKind, Usage

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
AGENT: Final = "gen_ai.agent.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
TEMPERATURE: Final = "gen_ai.request.temperature"
SEED: Final = "gen_ai.request.seed"
RESPONSE_MODEL: Final = "gen_ai.response.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
PROMPT_NAME: Final = "gen_ai.prompt.name"
PROMPT_VERSION: Final = "gen_ai.prompt.version"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
ERROR_TYPE: Final = "error.type"
UNNAMED_ERROR: Final = "_OTHER"
"""The conventions' value for an error without a name, such as an image without text."""

COURSE: Final = "edumod.course"
PIPELINE: Final = "edumod.pipeline"
RETRIEVER: Final = "edumod.retriever"
STATUS: Final = "edumod.status"
DRAFT: Final = "edumod.draft.id"
STEP: Final = "edumod.step"
PASSAGES: Final = "edumod.passages"
MODEL_CALLS: Final = "edumod.model_calls"
CACHED_CALLS: Final = "edumod.cached_calls"
CACHE_HIT: Final = "edumod.cache_hit"
COST: Final = "edumod.cost_usd"

INPUT: Final = "gen_ai.input.messages"
OUTPUT: Final = "gen_ai.output.messages"
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"
NOTE: Final = "edumod.note"
CONTENT: Final = (INPUT, OUTPUT, ARGUMENTS, RESULT, NOTE)
"""Names of attributes that hold content."""

NAME: Final = "edumod"
"""Name of the service, the tracer, the agent, and the provider of answers that no model wrote."""
ANY_ENDPOINT: Final = "openai"
"""Provider of every OpenAI-compatible endpoint: it names the protocol, not the company that serves the model."""

Attribute = str | bool | int | float
_CURRENT: Final = context.create_key("edumod.run")


def _nothing() -> None:
    """The `close` of telemetry that has nothing to export."""


@dataclass(frozen=True)
class Telemetry:
    """Where spans go. Without `provider`, to the process's global provider, which by default drops them.

    `content` adds questions, arguments and replies to spans. `close` exports pending spans; it blocks.
    """

    provider: TracerProvider | None = None
    content: bool = False
    close: Callable[[], None] = _nothing

    @contextmanager
    def run(
        self, question: str, *, course: str, pipeline: str, retriever: str, sampling: Sampling, draft_id: str | None
    ) -> Iterator[RunSpan]:
        """The span of a run; steps within it become its children."""
        begun = {
            OPERATION: "invoke_agent",
            AGENT: NAME,
            PROVIDER: _provider(sampling.model),
            **_request_attributes(sampling),
        }
        begun |= {COURSE: course, PIPELINE: pipeline, RETRIEVER: retriever, DRAFT: draft_id}
        span = self.tracer.start_span(f"invoke_agent {NAME}", attributes=_without_none(begun))
        run = RunSpan(self, span, sampling)
        run.record({}, lambda: {INPUT: _messages("user", question)})
        with _current(span, context.set_value(_CURRENT, run), self.content):
            yield run

    @cached_property
    def tracer(self) -> Tracer:
        return trace.get_tracer(NAME, version(NAME), self.provider)


@dataclass(frozen=True)
class RecordedSpan:
    """A span to which attributes are added, content only if telemetry is set to include it."""

    telemetry: Telemetry
    span: Span

    def record(
        self, attributes: Mapping[str, Attribute | None], content: Callable[[], Mapping[str, str | None]]
    ) -> None:
        """Add attributes. `content` is called only if content is included, since serialising it is expensive."""
        if self.span.is_recording():
            self.span.set_attributes(_without_none({**attributes, **(content() if self.telemetry.content else {})}))


@dataclass(frozen=True)
class RunSpan(RecordedSpan):
    """The span of a run, with the sampling parameters of its steps."""

    sampling: Sampling

    def end(self, usage: Usage, answer: Answer | None) -> None:
        """Record the run's usage and, unless it failed, its status and answer."""
        self.record(_usage_attributes(usage), dict)
        if answer:
            self.record({STATUS: answer.status.value}, lambda: {OUTPUT: _reply(answer.markdown)})


@dataclass(frozen=True)
class StepSpan(RecordedSpan):
    """The span of one step."""

    def end(self, step: Step, reply: BaseModel | str | None) -> None:
        """Record the step; `reply` is the model's reply."""
        if not self.span.is_recording():
            return
        if step.kind is StepKind.SEARCH:
            self._end_search(step)
        elif step.task:
            self._end_chat(step, reply)
        self.record(_usage_attributes(step.usage) if step.usage else {}, lambda: {NOTE: step.note})
        if step.error:
            # If an exception ends the step, `_current` records its kind afterwards.
            _fail(self.span, UNNAMED_ERROR, step.error if self.telemetry.content else None)

    def _end_search(self, step: Step) -> None:
        self.span.update_name(f"execute_tool {step.function}")
        self.record(
            {TOOL_NAME: step.function, RETRIEVER: step.retriever, PASSAGES: len(step.passages)},
            lambda: {
                ARGUMENTS: json.dumps(step.arguments, ensure_ascii=False),
                RESULT: json.dumps([passage.model_dump() for passage in step.passages], ensure_ascii=False),
            },
        )

    def _end_chat(self, step: Step, reply: BaseModel | str | None) -> None:
        usage = step.usage or Usage()
        self.record(
            {
                OPERATION: "chat",
                PROVIDER: _provider(step.model),
                RESPONSE_MODEL: step.model,
                PROMPT_NAME: step.task,
                PROMPT_VERSION: step.prompt_version,
                CACHE_HIT: usage.cached_calls > 0 and usage.calls == 0,
            },
            lambda: {OUTPUT: _reply(reply if isinstance(reply, str) else reply.model_dump_json()) if reply else None},
        )


@contextmanager
def step_span(kind: StepKind) -> Iterator[StepSpan]:
    """The span of a step, a child of its run's span; outside of a run nothing is recorded."""
    run = context.get_value(_CURRENT)
    if not isinstance(run, RunSpan):
        yield StepSpan(Telemetry(), trace.INVALID_SPAN)
        return
    telemetry, model = run.telemetry, run.sampling.model
    if kind is StepKind.SEARCH:
        name, span_kind = "execute_tool", SpanKind.INTERNAL
        begun: dict[str, Attribute | None] = {OPERATION: "execute_tool", TOOL_TYPE: "datastore"}
    elif kind is StepKind.READ:
        # Whether a model is called is known only later.
        name, span_kind, begun = "read_image", SpanKind.INTERNAL, {}
    else:
        name, span_kind = f"chat {model}" if model else "chat", SpanKind.CLIENT
        begun = {OPERATION: "chat", PROVIDER: _provider(model), **_request_attributes(run.sampling)}
    # The parent is always the run: with concurrent tasks another span may be current.
    parent = trace.set_span_in_context(run.span)
    attributes = _without_none({STEP: kind.value, **begun})
    span = telemetry.tracer.start_span(name, parent, span_kind, attributes)
    with _current(span, context.get_current(), telemetry.content):
        yield StepSpan(telemetry, span)


def exporting(*, content: bool) -> Telemetry:
    """Telemetry that exports spans by OTLP over HTTP; the standard `OTEL_*` variables name the destination.

    Raises `SetupError` if the extra `otel` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider as ExportingProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SetupError(
            f"EDUMOD_OTEL is on, but spans cannot be exported: {error}. "
            "Install the exporter with `pip install edumod[otel]`, or turn it off."
        ) from error
    own = Resource.create({"service.name": NAME, "service.version": version(NAME)})
    # The variables come last, so that they override our own attributes.
    provider = ExportingProvider(resource=own.merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Telemetry(provider, content, close=provider.shutdown)


@contextmanager
def _current(span: Span, around: context.Context, content: bool) -> Iterator[None]:
    """Makes a span the current one until it ends. An exception becomes its status; the message counts as content."""
    token = context.attach(trace.set_span_in_context(span, around))
    try:
        yield
    except BaseException as error:
        kind = error.code if isinstance(error, EduModError) else type(error).__name__
        _fail(span, kind, str(error) if content else None)
        raise
    finally:
        context.detach(token)
        span.end()


def _fail(span: Span, kind: str, message: str | None) -> None:
    span.set_attribute(ERROR_TYPE, kind)
    span.set_status(StatusCode.ERROR, message)


def _provider(model: str | None) -> str:
    return NAME if model == OFFLINE_MODEL else ANY_ENDPOINT


def _request_attributes(sampling: Sampling) -> dict[str, Attribute | None]:
    return {REQUEST_MODEL: sampling.model, TEMPERATURE: sampling.temperature, SEED: sampling.seed}


def _usage_attributes(usage: Usage) -> dict[str, Attribute | None]:
    return {
        INPUT_TOKENS: usage.prompt_tokens,
        OUTPUT_TOKENS: usage.completion_tokens,
        MODEL_CALLS: usage.calls,
        CACHED_CALLS: usage.cached_calls,
        COST: usage.cost_usd,
    }


def _without_none(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: value for name, value in attributes.items() if value is not None}


def _reply(text: str) -> str:
    return _messages("assistant", text, finish_reason="stop")


def _messages(role: str, text: str, **more: str) -> str:
    """One message, in the JSON that the conventions prescribe."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}], **more}], ensure_ascii=False)
