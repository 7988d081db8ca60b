"""`edumod elmes run` as a process: dialogues of several models, judged by several judges, in one report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import edumod
from tests.eval.scenarios.samples import COURSE, OLD, written
from tests.servers.agents import Endpoint, serving

TWO = OLD.replace("agents:\n", '  two: {type: openai, api_key: k, api_base: "URL", model: m2}\nagents:\n')


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.chdir(tmp_path)
    made = Endpoint()
    with serving(made):
        yield made


def run(home: Path, *arguments: str, **settings: str) -> tuple[int, dict[str, Any]]:
    done = edumod(home, "elmes", "run", *arguments, "--json", **settings)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)["scenarios"]


def test_models_are_compared_by_judges_whose_agreement_is_reported(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(written(tmp_path, TWO, endpoint.url))
    endpoint.words = "<script>alert(1)</script>"
    options = ("--models", "one,two", "--judges", "one,two", "--seeds", "2", "--page", "page.html")
    code, scenarios = run(tmp_path / "home", path, *options)
    report = scenarios["lesson"]
    assert (code, report["n"], report["seeds"], report["agent"]) == (0, 4, 2, "teacher")
    assert report["models"]["two"]["field@accuracy"]["mean"] == 4.0
    assert report["models"]["two"]["finished"]["mean"] == 1.0
    assert report["agreement"]["raters"] == ["one", "two"]
    assert report["agreement"]["fields"]["guidance.score"]["exact"]["mean"] == 1.0
    assert list(report["judges"]) == ["one", "two"]
    judged = sum("tools" in body for body in endpoint.bodies)
    assert judged == 2 * 2 * 4 * 2
    page = (tmp_path / "page.html").read_text()
    assert page.count('<details class="dialogue">') == 2 * 4 * 2
    assert "It is, mostly." in page
    assert "&lt;script&gt;alert" in page
    assert "<script>" not in page


def test_two_runs_are_compared_task_by_task(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(written(tmp_path, OLD, endpoint.url))
    home = tmp_path / "home"
    first = run(home, path)[1]["lesson"]["evaluation"]
    endpoint.number = 1
    second = run(home, path)[1]["lesson"]["evaluation"]
    compared = edumod(home, "elmes", "compare", first, second, "--json")
    metrics = {one["metric"]: one for one in json.loads(compared.stdout)["actors"][0]["metrics"]}
    assert metrics["field@accuracy"]["difference"]["mean"] == -3.0
    assert metrics["field@accuracy"]["n"] == 4
    assert "0 better, 4 worse" in edumod(home, "elmes", "compare", first, second).stdout
    written_page = edumod(home, "elmes", "page", first, second[:8], "-o", "both.html")
    assert written_page.returncode == 0, written_page.stderr
    assert (tmp_path / "both.html").read_text().count('<details class="dialogue">') == 8
    dialogues = json.loads(edumod(home, "eval", "list", "--kind", "dialogues", "--json").stdout)[0]["id"]
    refused = edumod(home, "elmes", "page", dialogues)
    assert (refused.returncode, "--kind scenarios" in refused.stderr) == (2, True)


def test_what_failed_is_reported_and_only_that_is_paid_for_again(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(written(tmp_path, OLD, endpoint.url))
    home = tmp_path / "home"
    endpoint.fails = True
    code, scenarios = run(home, path)
    assert (code, scenarios["lesson"]["models"]["one"]["unjudged"]) == (1, 4)
    assert scenarios["lesson"]["models"]["one"]["field@accuracy"]["mean"] is None
    spoken = sum("tools" not in body for body in endpoint.bodies)
    endpoint.fails = False
    code, scenarios = run(home, path)
    assert (code, scenarios["lesson"]["models"]["one"]["unjudged"]) == (0, 0)
    assert sum("tools" not in body for body in endpoint.bodies) == spoken


def test_a_cost_cap_ends_the_run_and_a_higher_one_continues_it(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(written(tmp_path, OLD.replace("concurrency: 4", "concurrency: 1"), endpoint.url))
    prices = {"EDUMOD_LLM_PRICES": json.dumps({"m": {"input": 1e6, "output": 1e6}})}
    code, scenarios = run(tmp_path / "home", path, "--max-cost", "10", **prices)
    report = scenarios["lesson"]
    assert (code, report["capped"], report["models"]["one"]["unscored"]) == (1, True, 2)
    code, scenarios = run(tmp_path / "home", path, "--max-cost", "1000", **prices)
    assert (code, scenarios["lesson"]["capped"]) == (0, False)
    assert sum("tools" not in body for body in endpoint.bodies) == 4 * 3


def test_dialogues_that_reach_the_limit_are_counted_as_partial(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(written(tmp_path, OLD.replace('"Bye"', '"never"'), endpoint.url))
    figures = run(tmp_path / "home", path)[1]["lesson"]["models"]["one"]
    assert (figures["partial"], figures["finished"]["mean"], figures["turns"]) == (4, 0.0, 6.0)


def test_the_plan_is_shown_first_and_unknown_names_are_refused(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(written(tmp_path, OLD, endpoint.url))
    shown = edumod(tmp_path / "home", "elmes", "run", path)
    assert "1 model × 4 tasks × 1 seed = 4 dialogues of at most 6 turns, 4 judgements by one." in shown.stderr
    assert "accuracy" in shown.stdout
    for option in ("--models", "--judges", "--agent"):
        refused = edumod(tmp_path / "home", "elmes", "run", path, option, "nobody")
        assert (refused.returncode, "nobody" in refused.stderr) == (2, True)


def test_without_a_model_the_product_is_an_agent(home: Path, tmp_path: Path) -> None:
    code, scenarios = run(home, str(written(tmp_path, COURSE)), "--page", str(tmp_path / "page.html"))
    report = scenarios["lesson"]
    figures = report["models"]["edumod/fc/bm25"]
    assert (code, report["agent"], report["judges"], figures["unscored"]) == (0, "assistant", {}, 0)
    assert (figures["turns"], figures["cost_usd"]) == (1.0, 0.0)
    assert "condition in brackets" in (tmp_path / "page.html").read_text()


def test_a_student_without_a_model_is_named(home: Path, tmp_path: Path) -> None:
    pupil = 'models: {pupil: {api_key: null, api_base: null, model: "${PUPIL_MODEL}"}}'
    text = COURSE.replace("agents:", f"{pupil}\nagents:\n  student: {{model: pupil}}").replace(
        "assistant -> END", "assistant -> student, student -> END"
    )
    refused = edumod(home, "elmes", "run", str(written(tmp_path, text)), "--env", "PUPIL_MODEL", PUPIL_MODEL="p")
    assert (refused.returncode, "models.pupil" in refused.stderr) == (5, True)
    command = ("elmes", "run", str(written(tmp_path, text)), "--env", "PUPIL_MODEL")
    unset = edumod(home, *command, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert (unset.returncode, "PUPIL_MODEL" in unset.stderr) == (5, True)


def test_an_unknown_course_and_a_model_for_the_product_are_refused(home: Path, tmp_path: Path) -> None:
    path = str(written(tmp_path, COURSE.replace("small", "smaller")))
    refused = edumod(home, "elmes", "run", path)
    assert (refused.returncode, "smaller" in refused.stderr) == (2, True)
    path = str(written(tmp_path, "models: {m: {api_key: k, api_base: null, model: m}}\n" + COURSE))
    refused = edumod(home, "elmes", "run", path, "--models", "m")
    assert (refused.returncode, "which no model can play" in refused.stderr) == (2, True)
