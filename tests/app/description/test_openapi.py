"""The API's description: valid, with names that client generators can use, and complete."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.answering.events import EVENTS, MODELS
from app.docs import DOCS
from app.response import AnswerResponse
from app.schemas import AnswerRequest

PROBLEM = {"$ref": "#/components/schemas/Problem"}


@pytest.fixture(scope="module")
def schema(client: httpx.Client) -> Any:
    return client.get("/openapi.json").json()


def operations(schema: Any) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def test_the_description_is_valid_and_every_reference_leads_somewhere(schema: Any) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(schema).iter_errors()] == []


def test_operation_ids_are_plain_words_and_unique(schema: Any) -> None:
    ids = {name: operation["operationId"] for name, operation in operations(schema)}
    assert len(set(ids.values())) == len(ids)
    assert all(one.replace("_", "").isalpha() for one in ids.values())
    assert ids["POST /answer"] == "answer"
    assert ids["POST /drafts/{draft_id}/retry"] == "retry"


def test_every_operation_says_that_anything_else_is_a_problem(schema: Any) -> None:
    for name, operation in operations(schema):
        content = operation["responses"]["default"]["content"]
        assert content == {"application/problem+json": {"schema": PROBLEM}}, name


def test_where_asking_again_later_helps_the_header_that_says_when_is_described(schema: Any) -> None:
    for _, operation in operations(schema):
        for status in {"409", "503"} & operation["responses"].keys():
            if "application/problem+json" in operation["responses"][status]["content"]:
                assert operation["responses"][status]["headers"]["Retry-After"]["schema"] == {
                    "type": "integer", "minimum": 1,
                }  # fmt: skip


def test_each_event_of_a_stream_is_a_component_of_its_own(schema: Any) -> None:
    stream = schema["paths"]["/answer"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    names = [one["$ref"].rpartition("/")[2] for one in stream["schema"]["oneOf"]]
    assert names == [model.__name__ for model in MODELS]
    events = [schema["components"]["schemas"][name]["properties"]["event"]["const"] for name in names]
    assert events == list(EVENTS)


def test_the_examples_fit_their_schemas(schema: Any) -> None:
    answer = schema["paths"]["/answer"]["post"]
    asked = answer["requestBody"]["content"]["application/json"]
    given = answer["responses"]["200"]["content"]["application/json"]
    for content, model in ((asked, AnswerRequest), (given, AnswerResponse)):
        assert content["examples"]
        for example in content["examples"].values():
            model.model_validate(example["value"])
            reference = {"components": schema["components"], **content["schema"]}
            Draft202012Validator(reference).validate(example["value"])
    problem = answer["responses"]["422"]["content"]["application/problem+json"]["example"]
    assert problem["status"] == 422


def test_the_committed_description_is_this_one(schema: Any) -> None:
    assert json.loads((DOCS / "openapi.json").read_text(encoding="utf-8")) == schema
