"""The models file: an alias for each model that may be asked, validated, with errors that name the line."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from core.errors import InvalidInput, UnknownName
from core.llm.endpoint import is_endpoint_url
from core.llm.offline import OFFLINE_MODEL
from core.llm.profile import PASSAGES, PROMPT_TOKENS, REPLY_TOKENS, ModelLimits, Profile
from core.llm.stated import StatedConfidence
from core.settings import ModelPrice
from core.types import Value
from core.yaml_file import YamlFile, read_yaml

_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = frozenset(
    {"model", "messages", "tools", "tool_choice", "response_format", "stream", "logprobs", "top_logprobs", "n", "input"}
)
"""Parts of a request that a task decides."""

MIN_PROMPT_TOKENS = 512
_OF_CHATS = frozenset({"capabilities", "confidence", "parameters", "profile", "context", "prompt_tokens"})


class Capability(StrEnum):
    """What a chat model can do besides writing text, by the names of the OpenAI API."""

    TOOLS = "tools"
    JSON_SCHEMA = "json_schema"
    LOGPROBS = "logprobs"
    VISION = "vision"


DEFAULT_CAPABILITIES = (Capability.TOOLS, Capability.JSON_SCHEMA, Capability.LOGPROBS)


class Parameters(Value):
    """How a model is asked where a request says nothing else."""

    temperature: float | None = Field(default=None, ge=0, le=2, description="Without it, the server's own.")
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="Sampling seed, where the server has one.")
    top_p: float | None = Field(default=None, gt=0, le=1, description="Share of the probability that is sampled from.")
    max_tokens: int | None = Field(
        default=None, ge=1, description="Longest reply. One that is cut off there counts as failed."
    )
    extra: dict[str, JsonValue] = Field(
        default_factory=dict, description="Further fields of the request, sent as they are: `{reasoning_effort: low}`."
    )

    @field_validator("extra")
    @classmethod
    def _leaves_ours(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(extra.keys() & (_OURS | cls.model_fields.keys())):
            raise ValueError(f"cannot set {', '.join(taken)}: EduMod sets it itself; remove it here")
        return extra


class EmbeddingSpec(Value):
    """What belongs to a model behind `/embeddings`. Vectors of models that differ in any of it are never compared."""

    dimension: int = Field(
        ge=1, le=65_536, description="Numbers in each vector; a reply with another count is refused."
    )
    query_prefix: str = Field(default="", description="Put in front of what is searched for, such as `query: `.")
    passage_prefix: str = Field(default="", description="Put in front of course material, such as `passage: `.")
    max_tokens: int = Field(
        default=512, ge=16, description="Longest text in tokens; longer material is embedded in parts."
    )


class ModelEntry(Value):
    """One model at an OpenAI-compatible endpoint."""

    base_url: str = Field(description="URL of the endpoint, ending in /v1.")
    api_key_env: str | None = Field(
        default=None, description="Name of the environment variable with its key; without it, no key is sent."
    )
    model: str = Field(min_length=1, description="Name of the model at the endpoint.")
    parameters: Parameters = Field(default=Parameters(), description="How it is asked where a request says nothing.")
    prices: ModelPrice | None = Field(
        default=None, description="US dollars per million tokens: `{input: 0.4, output: 1.6}`. Without it: unknown."
    )
    capabilities: tuple[Capability, ...] = Field(
        default=DEFAULT_CAPABILITIES,
        description="What it can do: tools, json_schema, logprobs, vision. What is not listed is never asked of it.",
    )
    profile: Profile | None = Field(
        default=None,
        description="`small` for a model of a few billion parameters or on a slow machine: short prompts with few "
        "passages, short replies, and deadlines by the speed that `edumod doctor` measured.",
    )
    context: int | None = Field(
        default=None, ge=1_024, description="Tokens that a prompt and its reply may have together."
    )
    prompt_tokens: int | None = Field(
        default=None,
        ge=512,
        description="Longest prompt in tokens, instructions and functions included. Without it: 2,500 with `profile: "
        "small`, else what `context` leaves beside the longest reply, else no limit but EDUMOD_PROMPT_CHARS.",
    )
    concurrency: int | None = Field(
        default=None, ge=1, description="Calls under way at once; without it, EDUMOD_LLM_CONCURRENCY."
    )
    total_concurrency: int | None = Field(
        default=None,
        ge=1,
        description="Calls under way at once over all processes that share the database; without it, "
        "EDUMOD_LLM_TOTAL_CONCURRENCY.",
    )
    deadline_seconds: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Time for one call; without it, EDUMOD_LLM_DEADLINE_SECONDS.",
    )
    confidence: StatedConfidence | None = Field(
        default=None,
        description="What its stated confidence is worth, and from which on its answers are given and posted; `edumod "
        "eval answers` fits it. Without it: taken as stated.",
    )
    embedding: EmbeddingSpec | None = Field(
        default=None, description="Makes it a model for EDUMOD_EMBEDDING, which embeds texts and answers no questions."
    )

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, url: str) -> str:
        if not is_endpoint_url(url):
            raise ValueError("is not a URL of the form https://host/v1; a key goes into the variable of api_key_env")
        return url

    @field_validator("api_key_env")
    @classmethod
    def _is_variable(cls, name: str | None) -> str | None:
        # Not repeated: whoever writes something else here may have written the key itself.
        if name is not None and not _VARIABLE.fullmatch(name):
            raise ValueError("is not the name of an environment variable; put the key into one and its name here")
        return name

    @property
    def is_small(self) -> bool:
        return self.profile is Profile.SMALL

    @property
    def reply_tokens(self) -> int | None:
        """Longest reply; None where the server decides."""
        return self.parameters.max_tokens or (REPLY_TOKENS if self.is_small else None)

    @property
    def longest_prompt(self) -> int | None:
        """In tokens; None without a limit."""
        beside_reply = self.context - (self.reply_tokens or REPLY_TOKENS) if self.context else None
        wanted = self.prompt_tokens or (PROMPT_TOKENS if self.is_small else None)
        return min((tokens for tokens in (wanted, beside_reply) if tokens is not None), default=None)

    @property
    def limits(self) -> ModelLimits:
        """Of its prompts."""
        return ModelLimits(self.longest_prompt, PASSAGES if self.is_small else None, confidence=self.confidence)

    @model_validator(mode="after")
    def _leaves_room(self) -> ModelEntry:
        if self.context and self.context - (self.reply_tokens or REPLY_TOKENS) < MIN_PROMPT_TOKENS:
            raise ValueError(
                f"has a `context` of {self.context} tokens, which leaves less than {MIN_PROMPT_TOKENS} for prompts "
                "beside the longest reply: lower `parameters.max_tokens`, or choose a model with more"
            )
        return self

    @model_validator(mode="after")
    def _is_one_kind(self) -> ModelEntry:
        if self.embedding and (wrong := self.model_fields_set & _OF_CHATS):
            raise ValueError(f"has `embedding`, so it answers no questions: remove {' and '.join(sorted(wrong))}")
        return self


class Catalogue(Value):
    """A validated models file."""

    default: str | None = Field(
        default=None,
        description="Alias used where neither request nor course names one; `offline` for extracts without a model. "
        "Without it: the alias `default`, else the first that answers questions.",
    )
    models: dict[str, ModelEntry] = Field(default_factory=dict, description="The models, by alias.")

    @property
    def chats(self) -> dict[str, ModelEntry]:
        """Those that answer questions."""
        return {alias: entry for alias, entry in self.models.items() if entry.embedding is None}

    @property
    def embeddings(self) -> dict[str, ModelEntry]:
        """Those that embed texts."""
        return {alias: entry for alias, entry in self.models.items() if entry.embedding is not None}

    def embedding(self, alias: str) -> ModelEntry:
        """The entry of a model that embeds texts, whose `embedding` is set. Raises `UnknownName`."""
        if (entry := self.embeddings.get(alias)) is None:
            raise UnknownName("embedding model", alias, self.embeddings)
        return entry


def read_catalogue(path: Path, of_settings: Collection[str] = ()) -> Catalogue:
    """Read and validate a models file. Raises `InvalidInput` naming file, line and what to correct.

    `of_settings` are the names of models that are set by other means, which no alias may repeat.
    """
    file = read_yaml(path, "models", "models")
    _check_aliases(file, of_settings)
    try:
        catalogue = Catalogue.model_validate(file.content)
    except ValidationError as error:
        raise file.invalid(error, Catalogue) from error
    known = [*catalogue.chats, *of_settings, OFFLINE_MODEL]
    if catalogue.default is not None and catalogue.default not in known:
        raise InvalidInput(f"{file.location('default')}: default: {UnknownName('model', catalogue.default, known)}")
    return catalogue


def _check_aliases(file: YamlFile, of_settings: Collection[str]) -> None:
    models: Any = file.content.get("models")
    for alias in models if isinstance(models, dict) else ():
        where = f"{file.location('models', alias)}: models.{alias}"
        if not isinstance(alias, str) or not _ALIAS.fullmatch(alias):
            raise InvalidInput(
                f"{where}: an alias starts with a letter or digit and has at most 64 letters, digits and . _ - : /. "
                "Put a number into quotes."
            )
        if alias == OFFLINE_MODEL:
            raise InvalidInput(f"{where}: this name stands for answers without a model. Choose another alias.")
        if alias in of_settings:
            raise InvalidInput(
                f"{where}: the model of EDUMOD_LLM_BASE_URL has this name. "
                "Choose another alias, or unset that variable."
            )
