"""The server-sent events of a streamed answer, as the API describes them."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, Field

from app.response import AnswerResponse
from app.schemas import Problem
from core.types import Citation, FunctionCall, Step


class StreamEvent(BaseModel):
    """One event: its name and number stand in the fields `event` and `id`, its data as JSON in the field `data`."""

    id: int = Field(ge=1, description="Number of the event in its stream, from 1.")


class CallEvent(StreamEvent):
    """A course function begins to search: `id`, `name`, `arguments`."""

    event: Literal["call"]
    data: FunctionCall


class RetrievalEvent(StreamEvent):
    """What it found: a step of the trace, with `passages`."""

    event: Literal["retrieval"]
    data: Step


class UsageEvent(StreamEvent):
    """A model was asked: a step of the trace, with `model` and `usage`."""

    event: Literal["usage"]
    data: Step


class Delta(BaseModel):
    """A piece of an answer's Markdown."""

    text: str


class DeltaEvent(StreamEvent):
    """The next piece of the answer: `text`. All pieces together are the answer."""

    event: Literal["delta"]
    data: Delta


class CitationEvent(StreamEvent):
    """A citation, after the piece that refers to it first."""

    event: Literal["citation"]
    data: Citation


class DoneEvent(StreamEvent):
    """The whole answer, as without streaming."""

    event: Literal["done"]
    data: AnswerResponse


class ErrorEvent(StreamEvent):
    """A problem document; nothing follows."""

    event: Literal["error"]
    data: Problem


MODELS: tuple[type[StreamEvent], ...] = (
    CallEvent,
    RetrievalEvent,
    UsageEvent,
    DeltaEvent,
    CitationEvent,
    DoneEvent,
    ErrorEvent,
)
EVENTS = {get_args(model.model_fields["event"].annotation)[0]: model.__doc__ or "" for model in MODELS}
"""Name of each event, and what it says."""
