"""Reads and validates a request's query parameters."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from app.answering import Answering
from app.schemas import AnswerParameters, AnswerRequest
from core.errors import InvalidInput
from pipelines.configuration import demand_own, pipeline_parameters


async def chosen(http: Request) -> AnswerParameters:
    """The query's parameters. Raises `InvalidInput` if one is given twice, since it is not clear which is meant.

    Not left to FastAPI, which iterates over all fields of a query model for each request.
    """
    given = http.query_params.multi_items()
    for name, times in Counter(name for name, _ in given).items():
        if times > 1:
            raise InvalidInput(f"The parameter {name} is given more than once. Give it once.")
    try:
        return AnswerParameters.model_validate(dict(given))
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("query", *one["loc"])} for one in error.errors()]) from None


def described() -> list[dict[str, Any]]:
    """The query's parameters in OpenAPI form."""
    properties = AnswerParameters.model_json_schema()["properties"]
    return [
        {"name": name, "in": "query", "required": False, "schema": schema, "description": schema["description"]}
        for name, schema in properties.items()
    ]


async def check_parameters(answering: Answering, request: AnswerRequest, parameters: AnswerParameters) -> None:
    """Raises `InvalidInput` for a parameter of the request that its pipeline, or the course's default one, lacks.

    Course defaults are not checked: they may be meant for other pipelines.
    """
    given = [name for name in pipeline_parameters().model_fields if getattr(parameters, name) is not None]
    if given:
        course = await answering.course(request.course)
        demand_own(given, answering.configuration(course, parameters).pipeline)
