"""What a model can do, found out by asking it: one small request for each capability."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, ClassVar, Literal
from uuid import uuid4

from pydantic import BaseModel

from core.errors import BadReply, MissingCapability, ModelError, ModelRefused
from core.llm.base import Reply
from core.llm.catalogue import Capability
from core.llm.formats import ReplyFormat
from core.llm.openai import OpenAILLM
from core.llm.task import Image, Task, ToolTask, YesNoTask
from core.types import FunctionSpec, Value

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC"
"""A white picture of 1 x 1 pixel, as PNG in base64."""


class SayReady(Task[str]):
    """The smallest request there is, to see whether the endpoint answers."""

    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Reply with the single word: ready"
    text: str = "ready?"


LONG_TEXT = "The mean of a sample estimates the mean of the population that it was drawn from. " * 40


class CountUp(Task[str]):
    """Asks for a text of some length."""

    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Write the numbers from 1 to 40, separated by commas, and nothing else."
    text: str = "Begin."


class Weather(BaseModel):
    """What `GiveJson` asks for. Few words fit, so that no model can go on for long."""

    city: Literal["Oslo", "Rome"]
    warm: bool


class GiveJson(Task[Weather]):
    """Asks for an object of a schema."""

    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Write the weather report as a JSON object."
    text: str = "In Oslo it is 7 degrees Celsius."


class CallFunction(ToolTask):
    """Asks for a call that the model must make."""

    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Call the function for the city that is named."
    functions: tuple[FunctionSpec, ...] = (
        FunctionSpec(
            name="weather",
            description="The weather in a city.",
            parameters={
                "type": "object",
                "properties": {"city": {"type": "string", "enum": ["Oslo", "Rome"]}},
                "required": ["city"],
                "additionalProperties": False,
            },
        ),
    )
    required: bool = True
    text: str = "What is the weather in Oslo?"


class IsSummer(YesNoTask):
    """Asks for the probability of a yes."""

    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = 'Answer with one word, "yes" or "no".'
    text: str = "Is July in summer, in Oslo?"


class SeePixel(Task[str]):
    """Shows a picture."""

    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Reply with the colour of the picture, as one word."
    image: Image = Image(media_type="image/png", data=PIXEL)


class CapabilityFinding(Value):
    """Whether a model has a capability; null where that could not be found out, with the reason."""

    has: bool | None
    reason: str = ""


async def probe(llm: OpenAILLM) -> dict[Capability, CapabilityFinding]:
    """Ask for each capability in turn. `llm` is asked directly, past any cache and whatever was declared of it."""
    # Where log-probabilities or a picture were taken, it does not matter what the model made of them.
    return {
        Capability.TOOLS: await _try(llm.run(CallFunction())),
        Capability.JSON_SCHEMA: await _json_schema(llm),
        Capability.LOGPROBS: await _try(llm.probability(IsSummer()), any_reply=True),
        Capability.VISION: await _vision(llm),
    }


async def _try(call: Awaitable[Reply[Any]], *, any_reply: bool = False) -> CapabilityFinding:
    try:
        await call
    except (MissingCapability, ModelRefused) as error:
        return CapabilityFinding(has=False, reason=str(error))
    except BadReply as error:
        return CapabilityFinding(has=True) if any_reply else CapabilityFinding(has=None, reason=str(error))
    except ModelError as error:
        return CapabilityFinding(has=None, reason=str(error))
    return CapabilityFinding(has=True)


async def _vision(llm: OpenAILLM) -> CapabilityFinding:
    finding = await _try(llm.run(SeePixel()), any_reply=True)
    # Some servers fail on a picture as if they were overloaded; one that then answers a text cannot see.
    if finding.has is None and (await _try(llm.run(SayReady()), any_reply=True)).has:
        return finding.model_copy(update={"has": False})
    return finding


async def _json_schema(llm: OpenAILLM) -> CapabilityFinding:
    """Leaves the client asking in the strictest format in which the model gave a valid object."""
    finding = await _try(llm.run(GiveJson()))
    if finding.has is None:
        # A server without a grammar may take the format and ignore it: then the schema belongs into the prompt.
        for weaker in list(ReplyFormat)[list(ReplyFormat).index(llm.format) + 1 :]:
            llm.prefer(weaker)
            if (await _try(llm.run(GiveJson()))).has:
                break
        else:
            llm.prefer(ReplyFormat.JSON_SCHEMA)
            return finding
    if llm.format is not ReplyFormat.JSON_SCHEMA:
        return CapabilityFinding(has=False, reason=f"it was asked for JSON in another way: {llm.format}")
    return finding


async def measure_speed(llm: OpenAILLM) -> tuple[float, float] | None:
    """Tokens per second that the model reads and writes, rather too low; None where its server counts no tokens."""
    # Another text each time: servers remember the beginnings of prompts.
    reading = (await llm.run(SayReady(text=f"{uuid4()} {LONG_TEXT}"))).usage
    writing = (await llm.run(CountUp(text=str(uuid4())))).usage
    if not (reading.prompt_tokens and writing.completion_tokens and reading.model_ms and writing.model_ms):
        return None
    return (1000 * reading.prompt_tokens / reading.model_ms, 1000 * writing.completion_tokens / writing.model_ms)
