"""Reads and validates a request's query parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from app.schemas import AnswerParameters
from core.errors import InvalidInput, UnknownName
from pipelines import ALIASES, PIPELINES, pipeline_named
from retrievers import RETRIEVERS, retriever_named


@dataclass(frozen=True)
class Query:
    """A request's query, of which `fault` says what is wrong; raised after the body was read, see `chosen`."""

    parameters: AnswerParameters
    fault: InvalidInput | RequestValidationError | None = None

    def checked(self) -> AnswerParameters:
        """The parameters. Raises the fault."""
        if self.fault:
            raise self.fault
        return self.parameters


async def chosen(http: Request) -> Query:
    """The query's parameters. What is wrong is also kept in `query_errors` of the request's state: where the body is
    wrong too, both are told together.

    Not left to FastAPI, which iterates over all fields of a query model for each request.
    """
    query = _read(http.query_params.multi_items())
    http.state.query_errors = _errors(query)
    return query


def _read(given: list[tuple[str, str]]) -> Query:
    for name, times in Counter(name for name, _ in given).items():
        if times > 1:
            # Not clear which is meant.
            fault = InvalidInput(f"The parameter {name} is given more than once. Give it once.")
            return Query(AnswerParameters(), fault)
    try:
        return Query(AnswerParameters.model_validate(dict(given)))
    except ValidationError as error:
        errors = [{**one, "loc": ("query", *one["loc"])} for one in error.errors()]
        return Query(AnswerParameters(), RequestValidationError(errors))


def _errors(query: Query) -> list[dict[str, Any]]:
    """What is wrong with a query in itself, unknown names included, in the form of a body's errors."""
    if isinstance(query.fault, RequestValidationError):
        return list(query.fault.errors())
    faults: list[tuple[str, ...]] = [("query", str(query.fault))] if query.fault else []
    for name, value in query.parameters.model_dump(by_alias=True, exclude_none=True).items():
        named = _NAMED.get(name.partition(".")[0])
        if named and (unknown := _unknown(named, value)):
            faults.append(("query", name, unknown))
    return [{"type": "value_error", "loc": loc, "msg": message} for *loc, message in faults]


def _unknown(named: Callable[[str], object], name: str) -> str | None:
    try:
        named(name)
    except UnknownName as error:
        return str(error)
    return None


_NAMED: dict[str, Callable[[str], object]] = {"pipeline": pipeline_named, "retriever": retriever_named}
"""Parameters whose values are names that every course has."""
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
