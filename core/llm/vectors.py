"""Checks what an endpoint's `/embeddings` sends."""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.llm.completion import MAX_PROBLEMS, Tokens
from core.llm.failures import Rejected, Unusable
from core.validation import problems_in

MAX_VECTORS = 1_024
MAX_DIMENSION = 65_536


class _Vector(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    index: int | None = None
    embedding: list[float] = Field(max_length=MAX_DIMENSION)


class VectorReply(BaseModel):
    """The reply to a request for embeddings. Texts are numbered from 0."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    data: list[_Vector] = Field(max_length=MAX_VECTORS)
    usage: Tokens | None = None


def parse_vectors(body: object) -> VectorReply:
    """Check a decoded response. Raises `Rejected` for an error sent with status 200, `Unusable` for anything else."""
    if not isinstance(body, dict):
        raise Unusable("sent JSON that is not an object. Check that the endpoint's URL ends in /v1")
    if body.get("error"):
        raise Rejected.in_reply(body["error"])
    try:
        return VectorReply.model_validate(body)
    except ValidationError as error:
        raise Unusable(f"sent malformed embeddings: {problems_in(error, MAX_PROBLEMS)}") from None


def read_vectors(reply: VectorReply, texts: int, dimension: int) -> list[list[float]]:
    """A vector per text, in the order of the texts. Raises `Unusable` unless there are that many, each of that
    dimension, finite and not zero."""
    if len(reply.data) != texts:
        raise Unusable(f"sent {len(reply.data)} vectors for {texts} texts")
    numbers = [position if one.index is None else one.index for position, one in enumerate(reply.data)]
    if sorted(numbers) != list(range(texts)):
        raise Unusable("numbered its vectors so that they cannot be matched with the texts")
    by_number = dict(zip(numbers, (one.embedding for one in reply.data), strict=True))
    vectors = [by_number[number] for number in range(texts)]
    for vector in vectors:
        _check(vector, dimension)
    return vectors


def _check(vector: list[float], dimension: int) -> None:
    if len(vector) != dimension:
        raise Unusable(
            f"sent a vector of {len(vector)} numbers in place of {dimension}. If the model was replaced, correct "
            "`embedding.dimension` in the models file and embed the courses again with `edumod course embed`"
        )
    if not all(map(math.isfinite, vector)):
        raise Unusable("sent a vector with numbers that are not finite (NaN)")
    if not any(vector):
        raise Unusable("sent a vector of zeros")
