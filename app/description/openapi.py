"""FastAPI's OpenAPI document, completed with problems, events and security."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from app import problems
from app.answering import events
from app.people.rules import Rule, rules_of
from app.schemas import Problem

REFERENCES = "#/components/schemas/{model}"
SECURITY_SCHEMES = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key from `edumod keys create`. Needed unless the service is reachable from its own machine "
        "alone, and the request comes from there without a proxy.",
    },
}
UNUSED = ("HTTPValidationError", "ValidationError")
"""FastAPI's own error format, which is replaced by problem documents."""


def operation_id(route: APIRoute) -> str:
    """The name of the route's function: what client generators make a method of."""
    return route.name


def describe(app: FastAPI, routers: Sequence[APIRouter]) -> dict[str, Any]:
    """The OpenAPI document of the app, made once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, servers=app.servers, routes=app.routes
        )
        _complete_schemas(schema["components"]["schemas"])
        schema["components"]["securitySchemes"] = SECURITY_SCHEMES
        rules = {(route.path, method): rule for route, rule in rules_of(routers) for method in route.methods or ()}
        for path, methods in schema["paths"].items():
            for method, operation in methods.items():
                _complete_responses(operation["responses"])
                _complete_security(operation, rules[path, method.upper()])
        app.openapi_schema = schema
    return app.openapi_schema


def _complete_schemas(schemas: dict[str, Any]) -> None:
    for name in UNUSED:
        schemas.pop(name, None)
    models: list[tuple[Any, Any]] = [(model, "serialization") for model in (Problem, *events.MODELS)]
    _, definitions = models_json_schema(models, ref_template=REFERENCES)
    for name, described in definitions["$defs"].items():
        schemas.setdefault(name, described)


def _complete_security(operation: dict[str, Any], rule: Rule) -> None:
    if rule.permission is None:
        operation["security"] = []
        return
    operation["security"] = [{}, {"key": [rule.permission.value]}]
    for status, described in problems.responses(401, 403, 429).items():
        operation["responses"].setdefault(str(status), described)


def _complete_responses(responses: dict[str, Any]) -> None:
    described = problems.responses(422)[422]
    if "HTTPValidationError" in str(responses.get("422")):
        responses["422"] = described
    responses["default"] = problems.default_response()
