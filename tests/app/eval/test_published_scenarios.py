"""The published files of ELMES, unmodified but for endpoint and key, go through every command."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.commands import edumod
from tests.servers.agents import Endpoint, serving

pytestmark = pytest.mark.slow

TASKS = {"config-0.1.13": 2, "config-1.0.0": 2, "config_guided_task": 15, "cross": 10, "knowledge": 10, "question": 10}
PNG = b"\x89PNG"


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.chdir(tmp_path)
    made = Endpoint()
    made.end = "下课"
    with serving(made):
        yield made


def with_endpoint(text: str, url: str) -> str:
    return re.sub("<YOUR[ _A-Z]*>", lambda found: "k" if "KEY" in found[0] else url, text)


@pytest.mark.parametrize("name", TASKS)
def test_a_published_file_is_run_judged_exported_and_drawn(
    name: str, shared_data: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    path, home = tmp_path / "config.yaml", tmp_path / "home"
    text = (shared_data / "elmes" / f"{name}.yaml").read_text(encoding="utf-8")
    path.write_text(with_endpoint(text, endpoint.url), encoding="utf-8")
    for command in (("generate",), ("export", "json"), ("export", "label-studio"), ("eval",), ("draw", "-o", "d.svg")):
        done = edumod(home, "elmes", *command)
        assert done.returncode == 0, done.stderr
    (table,) = tmp_path.rglob("*.csv")
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    assert (len(rows), rows[-1]["task_id"]) == (TASKS[name] + 1, "Avg")
    assert float(rows[-1]["avg"]) == float(rows[0]["avg"])
    judged = [one for one in table.parent.glob("*.json") if json.loads(one.read_text(encoding="utf-8"))]
    (labels,) = tmp_path.rglob("label_studio.json")
    assert len(judged) == len(json.loads(labels.read_text(encoding="utf-8"))) == TASKS[name]
    assert edumod(home, "elmes", "visualize", ".").returncode == 0
    charts = {one.name.partition("_")[0]: one.read_bytes() for one in tmp_path.glob("*.png")}
    assert set(charts) == {"stack", "radar"}
    assert all(one.startswith(PNG) for one in charts.values())
    assert (tmp_path / "d.svg").read_text(encoding="utf-8").startswith("<svg")
