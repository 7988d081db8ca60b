"""Reads and validates a request's query parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from app.schemas import AnswerParameters
from core.errors import InvalidInput, UnknownName
from core.llm.models import Models
from pipelines import ALIASES, PIPELINES, pipeline_named
from retrievers import RETRIEVERS, retriever_named

Demand = Callable[[str], object]
"""Raises `UnknownName` for a name that there is not."""
NAMED: Mapping[str, Demand] = {"pipeline": pipeline_named, "retriever": retriever_named}
"""Parameters whose values are names that every course has."""


@dataclass(frozen=True)
class RequestQuery:
    """A request's query, of which `fault` says what is wrong; raised after the body was read, see `chosen`."""

    parameters: AnswerParameters
    fault: InvalidInput | RequestValidationError | None = None

    def checked(self) -> AnswerParameters:
        """The parameters. Raises the fault."""
        if self.fault:
            raise self.fault
        return self.parameters


async def chosen(http: Request) -> RequestQuery:
    """The query's parameters. What is wrong is also kept in `query_errors` of the request's state: where the body is
    wrong too, both are told together.

    Not left to FastAPI, which iterates over all fields of a query model for each request.
    """
    query, http.state.query_errors = _checked(http)
    return query


def query_errors(http: Request) -> list[dict[str, Any]]:
    """What is wrong with the query of a request, in the form of a body's errors; nothing where a route has none.

    Where a body cannot be read, FastAPI has not called `chosen`.
    """
    if not hasattr(http.state, "query_errors"):
        dependant = getattr(http.scope.get("route"), "dependant", None)
        is_chosen = dependant is not None and any(one.call is chosen for one in dependant.dependencies)
        http.state.query_errors = _checked(http)[1] if is_chosen else []
    found: list[dict[str, Any]] = http.state.query_errors
    return found


def _checked(http: Request) -> tuple[RequestQuery, list[dict[str, Any]]]:
    models: Models = http.app.state.services.models
    named = {**NAMED, "model": models.demand}
    query = _read(http.query_params.multi_items(), named)
    return query, _errors(query, named)


def _read(given: list[tuple[str, str]], named: Mapping[str, Demand]) -> RequestQuery:
    for name, times in Counter(name for name, _ in given).items():
        if times > 1:
            # Not clear which is meant.
            fault = InvalidInput(f"The parameter {name} is given more than once. Give it once.")
            return RequestQuery(AnswerParameters(), fault)
    try:
        return RequestQuery(AnswerParameters.model_validate(dict(given)))
    except ValidationError as error:
        errors: list[dict[str, Any]] = [{**one, "loc": ("query", *one["loc"])} for one in error.errors()]
        wrong = {one["loc"][1] for one in errors}
        rest = {name: value for name, value in given if name not in wrong}
        return RequestQuery(AnswerParameters(), RequestValidationError([*errors, *_unknown_names(rest, named)]))


def _errors(query: RequestQuery, named: Mapping[str, Demand]) -> list[dict[str, Any]]:
    """What is wrong with a query in itself, unknown names included, in the form of a body's errors."""
    if isinstance(query.fault, RequestValidationError):
        return list(query.fault.errors())
    if query.fault:
        return [_error(str(query.fault), "query")]
    return _unknown_names(query.parameters.model_dump(by_alias=True, exclude_none=True), named)


def _unknown_names(values: Mapping[str, str], named: Mapping[str, Demand]) -> list[dict[str, Any]]:
    """An error for each parameter whose value is not one of the names that there are."""
    demanded = [(name, value, named.get(name.partition(".")[0])) for name, value in values.items()]
    found = [(name, demand and _unknown(demand, value)) for name, value, demand in demanded]
    return [_error(message, "query", name) for name, message in found if message]


def _unknown(demand: Demand, name: str) -> str | None:
    try:
        demand(name)
    except UnknownName as error:
        return str(error)
    return None


def _error(message: str, *loc: str) -> dict[str, Any]:
    return {"type": "value_error", "loc": loc, "msg": message}


_NAMES = {
    "pipeline": [*(pipeline.name for pipeline in PIPELINES), *ALIASES],
    "retriever": [retriever.name for retriever in RETRIEVERS],
}
"""Those names."""


def described() -> list[dict[str, Any]]:
    """The query's parameters in OpenAPI form. A query has no null: what is left out has none."""
    properties = AnswerParameters.model_json_schema()["properties"]
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": _schema(name, schema),
            "description": schema["description"],
        }
        for name, schema in properties.items()
    ]


def _schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    kinds = [one for one in schema["anyOf"] if one["type"] != "null"]
    kind = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    names = _NAMES.get(name.partition(".")[0])
    return {**kind, "enum": list(names)} if names else kind
