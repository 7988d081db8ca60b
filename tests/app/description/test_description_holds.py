"""The API does what its description says: requests made from the description, against a running service."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from app.main import create_app
from core.settings import Settings

pytestmark = pytest.mark.slow
EXAMPLES = 30
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]


def description() -> dict[str, Any]:
    """The description, with the names that there are: most requests would be for courses that do not exist."""
    found: dict[str, Any] = create_app(Settings(_env_file=None)).openapi()
    found["components"]["schemas"]["AnswerRequest"]["properties"]["course"] = {"enum": ["small", "strict"]}
    for parameter in found["paths"]["/answer"]["post"]["parameters"]:
        if parameter["name"] == "model":
            parameter["schema"] = {"enum": ["offline"]}
    return found


config = schemathesis.Config()
# A body of too many values is refused for its size, before it is compared with the description.
rejection = config.projects.default.checks.negative_data_rejection
rejection.expected_statuses = [*rejection.expected_statuses, "413"]
schema = schemathesis.openapi.from_dict(description(), config=config)


@schema.parametrize()
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
def test_the_service_keeps_to_its_description(client: httpx.Client, case: Case) -> None:
    base_url = f"{str(client.base_url).rstrip('/')}/v1"
    response = case.call(base_url=base_url)
    case.validate_response(response, checks=CHECKS)
    if case.operation.path == "/answer" and response.status_code == 200 and case.method == "POST":
        stored = {"answer_id": response.json()["draft_id"], "trace_id": response.json()["trace_id"]}
        for path, name in (("/answers/{answer_id}", "answer_id"), ("/traces/{trace_id}", "trace_id")):
            if stored[name]:
                found = schema[path]["GET"].Case(path_parameters={name: stored[name]})
                found.call_and_validate(base_url=base_url, checks=CHECKS)
