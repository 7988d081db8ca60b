"""The OpenAPI document: what FastAPI finds in the routes, completed with problems, events and addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from app import events, problems
from app.schemas import Problem

REFERENCES = "#/components/schemas/{model}"
UNUSED = ("HTTPValidationError", "ValidationError")
"""FastAPI's own error format, which is replaced by problem documents."""


def operation_id(route: APIRoute) -> str:
    """The name of the route's function: what client generators make a method of."""
    return route.name


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the app, made once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, servers=app.servers, routes=app.routes
        )
        _complete_schemas(schema["components"]["schemas"])
        for operation in _operations(schema):
            _complete_responses(operation["responses"])
        app.openapi_schema = schema
    return app.openapi_schema


def _operations(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in schema["paths"].values():
        yield from methods.values()


def _complete_schemas(schemas: dict[str, Any]) -> None:
    for name in UNUSED:
        schemas.pop(name, None)
    models: list[tuple[Any, Any]] = [(model, "serialization") for model in (Problem, *events.MODELS)]
    _, found = models_json_schema(models, ref_template=REFERENCES)
    for name, described in found["$defs"].items():
        schemas.setdefault(name, described)


def _complete_responses(responses: dict[str, Any]) -> None:
    """Problems for every status that the route does not name, and in place of FastAPI's errors."""
    described = problems.responses(422)[422]
    if "HTTPValidationError" in str(responses.get("422")):
        responses["422"] = described
    responses["default"] = problems.default_response()
