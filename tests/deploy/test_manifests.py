"""Files to run EduMod with: they are valid, and name commands, settings and queues that exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.cli import COMMANDS
from app.jobs.kind import Lane
from core.settings import Settings

ROOT = Path(__file__).parents[2]
MANIFESTS = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
VERSION = "1.33"
"""Of Kubernetes."""


def documents() -> Iterator[Any]:
    for path in MANIFESTS:
        for number, document in enumerate(yaml.safe_load_all(path.read_text(encoding="utf-8"))):
            yield pytest.param(document, id=f"{path.stem}-{number}")


def containers() -> Iterator[dict[str, Any]]:
    """All containers, of Kubernetes and of compose.yaml, with their commands and variables."""
    for parameter in documents():
        template = parameter.values[0].get("spec", {}).get("template", {})
        for container in template.get("spec", {}).get("containers", ()):
            variables = [variable["name"] for variable in container.get("env", ())]
            yield {"image": container["image"], "command": container.get("command"), "variables": variables}
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    for service in compose["services"].values():
        variables = list(service.get("environment", {}))
        yield {"image": service["image"], "command": service.get("command"), "variables": variables}


@pytest.mark.parametrize("document", documents())
def test_manifests_fit_the_schema_of_kubernetes(document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, VERSION, strict=True)


def test_commands_variables_and_queues_exist() -> None:
    known = {f"EDUMOD_{name.upper()}" for name in Settings.model_fields}
    ours = [container for container in containers() if container["image"] == "edumod"]
    assert len(ours) >= 6
    for container in ours:
        assert {name for name in container["variables"] if name.startswith("EDUMOD_")} <= known
        command = container["command"]
        if command and command[0] == "edumod":
            assert command[1] in COMMANDS
            if command[1] == "worker":
                assert command[command.index("--queue") + 1] == ",".join(Lane)


def test_parts_run_without_rights_and_have_time_to_stop() -> None:
    for parameter in documents():
        pod = parameter.values[0].get("spec", {}).get("template", {}).get("spec", {})
        for container in pod.get("containers", ()):
            if container["image"] == "edumod":
                assert container["securityContext"]["runAsNonRoot"]
                assert container["securityContext"]["readOnlyRootFilesystem"]
        if parameter.values[0]["kind"] == "Deployment":
            assert pod["terminationGracePeriodSeconds"] >= 45
