"""`edumod elmes` as a process, on models that a small server plays."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.commands import edumod
from tests.eval.scenarios.samples import NEW, OLD, written
from tests.servers.agents import Endpoint, serving


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.chdir(tmp_path)
    made = Endpoint()
    with serving(made):
        yield made


def test_the_pipeline_writes_dialogues_scores_and_a_table(tmp_path: Path, endpoint: Endpoint) -> None:
    path = written(tmp_path, OLD, endpoint.url)
    done = edumod(tmp_path / "home", "elmes", "pipeline", "--config", str(path))
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("*.json"))) == 4
    assert len(list((tmp_path / "out" / "eval").glob("*.json"))) == 4
    rows = list(csv.DictReader((tmp_path / "out" / "eval" / "joins_m.csv").open()))
    assert (rows[-1]["task_id"], rows[-1]["accuracy"], rows[-1]["guidance.reason"]) == ("Avg", "4.00", "")
    spoken = next(body for body in endpoint.bodies if "tools" not in body)
    assert {name: spoken[name] for name in spoken if name != "messages"} == {
        "model": "m", "stream": False, "temperature": 0.3, "max_completion_tokens": 50,
    }  # fmt: skip


def test_a_new_file_goes_through_each_command(tmp_path: Path, endpoint: Endpoint) -> None:
    home, path = tmp_path / "home", str(written(tmp_path, NEW, endpoint.url))
    report = edumod(home, "elmes", "generate", "--config", path, "--json")
    assert json.loads(report.stdout)["n"] == 2
    assert edumod(home, "elmes", "export", "json", "--config", path).stdout.startswith("2 dialogues in out")
    assert edumod(home, "elmes", "export", "label-studio", "--config", path).returncode == 0
    judged = edumod(home, "elmes", "eval", "--config", path, "--json")
    assert json.loads(judged.stdout)["judges"]["lessons"]["judged@accuracy.value"]["mean"] == 0.5
    digest = edumod(home, "elmes", "hash", "--config", path).stdout.strip()
    assert {one.name for one in (tmp_path / "out" / digest).iterdir()} == {
        "task_0.json", "task_1.json", "task_0_export.json", "task_1_export.json", "eval",
        "label_studio.json", "label_studio_template.xml",
    }  # fmt: skip
    table = (tmp_path / "out" / digest / "eval" / "m" / "evaluation_results.csv").read_text()
    assert [line.partition(",")[0] for line in table.splitlines()] == [
        "task_id", "task_0_export", "task_1_export", "Avg",
    ]  # fmt: skip
    assert {one.name for one in (tmp_path / "out" / digest / "eval" / "m").iterdir()} == {
        "lessons_task_0_eval.json", "lessons_task_1_eval.json", "evaluation_results.csv",
    }  # fmt: skip
    assert "flowchart LR" in edumod(home, "elmes", "draw", "--config", path, "--direction", "LR").stdout
    assert edumod(home, "elmes", "draw", "--config", path, "-o", "lesson.svg").returncode == 0
    assert (tmp_path / "lesson.svg").read_text().startswith("<svg")
    drawn = edumod(home, "elmes", "visualize", "out", "--json")
    assert [Path(one).name for one in json.loads(drawn.stdout)["written"]] == ["stack_lessons.png", "radar_lessons.png"]


def test_people_who_labelled_the_dialogues_are_compared_with_the_judge(tmp_path: Path, endpoint: Endpoint) -> None:
    home, path = tmp_path / "home", str(written(tmp_path, OLD, endpoint.url))
    assert edumod(home, "elmes", "pipeline", "--config", path).returncode == 0
    assert edumod(home, "elmes", "export", "label-studio", "--config", path).returncode == 0
    tasks = json.loads((tmp_path / "out" / "label_studio.json").read_text())
    stars = {"from_name": "accuracy", "to_name": "dialogue", "type": "rating", "value": {"rating": 3}}
    labelled = [{**task, "annotations": [{"completed_by": 1, "result": [stars]}]} for task in tasks]
    (tmp_path / "labels.json").write_text(json.dumps(labelled))
    compared = edumod(home, "elmes", "judges", "--config", path, "--labels", "labels.json", "--json")
    accuracy = json.loads(compared.stdout)["fields"]["accuracy"]
    assert (accuracy["n"], accuracy["judge"]["mae"]["mean"], accuracy["humans"]) == (4, 1.0, None)
    shown = edumod(home, "elmes", "judges", "--config", path, "--labels", "labels.json").stdout
    assert "4 dialogues scored by people, 0 of them not judged" in shown


def test_what_could_not_be_judged_is_counted_and_no_score(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.fails = True
    path = written(tmp_path, OLD, endpoint.url)
    done = edumod(tmp_path / "home", "elmes", "pipeline", "--config", str(path))
    assert done.returncode == 1
    assert "4 not judged" in done.stdout
    assert "4 failed: The model 'm' at" in done.stderr
    assert "'accuracy' is a required property" in done.stderr
    assert (tmp_path / "out" / "eval" / "joins_m.csv").read_text().endswith("Avg,\n")


def test_a_missing_file_and_a_missing_run_say_what_to_do(tmp_path: Path, endpoint: Endpoint) -> None:
    missing = edumod(tmp_path / "home", "elmes", "generate")
    assert (missing.returncode, "config.yaml" in missing.stderr) == (2, True)
    path = written(tmp_path, OLD, endpoint.url)
    early = edumod(tmp_path / "home", "elmes", "export", "json", "--config", str(path))
    assert (early.returncode, "edumod elmes generate" in early.stderr) == (2, True)


def test_a_key_comes_from_the_environment_and_is_not_stored(tmp_path: Path, endpoint: Endpoint) -> None:
    path = written(tmp_path, OLD.replace("api_key: k", 'api_key: "${LESSON_KEY}"'), endpoint.url)
    home = tmp_path / "home"
    command = ("elmes", "generate", "--config", str(path), "--env", "LESSON_KEY")
    unset = edumod(home, *command)
    assert (unset.returncode, "LESSON_KEY" in unset.stderr) == (5, True)
    assert edumod(home, *command, LESSON_KEY="sk-secret-lesson").returncode == 0
    assert not any(b"sk-secret-lesson" in one.read_bytes() for one in home.rglob("*") if one.is_file())


@pytest.mark.parametrize("field", ['api_key: "${DATABASE_PASSWORD}"', 'api_key: "x-${DATABASE_PASSWORD}-y"'])
def test_a_variable_that_the_caller_did_not_name_is_sent_to_no_host(
    tmp_path: Path, endpoint: Endpoint, field: str
) -> None:
    path = written(tmp_path, OLD.replace("api_key: k", field), endpoint.url)
    command = ("elmes", "generate", "--config", str(path), "--env", "LESSON_KEY")
    refused = edumod(tmp_path / "home", *command, DATABASE_PASSWORD="secret", LESSON_KEY="k")
    assert (refused.returncode, "--env DATABASE_PASSWORD" in refused.stderr) == (5, True)
    assert not endpoint.bodies


def test_the_usual_key_of_the_caller_is_not_sent_to_a_host_of_the_file(tmp_path: Path, endpoint: Endpoint) -> None:
    path = written(tmp_path, OLD.replace("api_key: k", "api_key: null"), endpoint.url)
    command = ("elmes", "generate", "--config", str(path))
    assert edumod(tmp_path / "home", *command, OPENAI_API_KEY="sk-usual").returncode == 0
    assert endpoint.keys
    assert not any("sk-usual" in key for key in endpoint.keys)
    assert edumod(tmp_path / "b", *command, "--env", "OPENAI_API_KEY", OPENAI_API_KEY="sk-usual").returncode == 0
    assert any("sk-usual" in key for key in endpoint.keys)


def test_servers_of_tools_are_started_only_if_allowed(tmp_path: Path, endpoint: Endpoint) -> None:
    text = NEW.replace('topic.__class__}"}', 'topic.__class__}", tools: [calculator]}')
    text += f"mcps:\n  calculator: {{type: stdio, command: touch, args: [{tmp_path / 'started'}], timeout: 5}}\n"
    path, home = str(written(tmp_path, text, endpoint.url)), tmp_path / "home"
    done = edumod(home, "elmes", "generate", "--config", path)
    assert (done.returncode, "--allow-mcp" in done.stderr) == (0, True)
    assert not any("tools" in body for body in endpoint.bodies)
    assert not (tmp_path / "started").exists()
    allowed = edumod(home, "elmes", "generate", "--config", path, "--allow-mcp")
    assert (allowed.returncode, "mcp" in allowed.stderr) == (5, True)
