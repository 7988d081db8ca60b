"""The scenarios of data/ are run: by a server that plays every agent, and by two language models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.commands import edumod
from tests.eval.scenarios.samples import OLD, written
from tests.servers.agents import Endpoint, serving
from tests.servers.llama import LlamaServer

DATA = Path(__file__).parents[3] / "data"
NAMES = ("guided", "knowledge", "lesson_plan", "question")
ROLES = ("TEACHER_MODEL", "STUDENT_MODEL", "JUDGE_MODEL")
NAMED = [word for role in ROLES for word in ("--env", role)]


@pytest.mark.slow
def test_all_scenarios_in_both_languages_are_reported_on_one_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    endpoint = Endpoint()
    endpoint.end = "That is all. <end>"
    files = [str(DATA / "scenarios" / f"{name}.{language}.yaml") for name in NAMES for language in ("en", "zh")]
    with serving(endpoint):
        models = {name: name.lower() for name in ROLES}
        settings = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k", **models}
        done = edumod(tmp_path / "home", "elmes", "run", *files, *NAMED, "--page", "page.html", "--json", **settings)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["scenarios"]
    assert {name: one["n"] for name, one in found.items() if name.endswith("zh")} == {
        "guided.zh": 9, "knowledge.zh": 6, "lesson_plan.zh": 5, "question.zh": 5,
    }  # fmt: skip
    assert set(found["guided.en"]["variables"]) == {"student", "exercise"}
    assert all(one["models"]["teacher"]["unscored"] == 0 for one in found.values())
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Models by scenario" in page
    assert "角色一致" in page


def test_a_student_asks_the_product_and_is_judged(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DATA / "scenarios" / "course_help.en.yaml").read_text(encoding="utf-8")
    path = tmp_path / "course_help.yaml"
    path.write_text(text.replace("course: ds101", "course: small"), encoding="utf-8")
    endpoint = Endpoint()
    endpoint.words = endpoint.end = "Thank you! <end>"
    with serving(endpoint):
        settings = {"OPENAI_BASE_URL": endpoint.url, "STUDENT_MODEL": "s", "JUDGE_MODEL": "j"}
        done = edumod(home, "elmes", "run", str(path), *NAMED, "--json", **settings)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["scenarios"]["course_help"]["models"]["edumod/fc_iterative/hybrid"]
    assert (figures["turns"], figures["finished"]["mean"], figures["field@grounding"]["mean"]) == (2.0, 1.0, 4.0)


def test_two_language_models_talk_to_each_other(
    llama: LlamaServer, llama_without_tools: LlamaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = '{{api_key: "{}", api_base: "{}", model: tiny-random, kargs: {{max_tokens: 8}}}}'
    models = "\n".join(
        f"  {name}: {model.format(one.api_key, one.base_url)}"
        for name, one in (("one", llama), ("two", llama_without_tools))
    )
    text = OLD[: OLD.index("evaluation:")].replace("student: {model: one", "student: {model: two")
    before, after = text.index("  one:"), text.index("agents:")
    path = written(tmp_path, f"{text[:before]}{models}\n{text[after:]}")
    done = edumod(tmp_path / "home", "elmes", "run", str(path), "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["scenarios"]["lesson"]["models"]["one"]
    # Their words are random: now and then they are the ones that end a dialogue.
    ended = 4 - figures["partial"]
    assert (figures["unscored"], figures["finished"]["mean"]) == (0, ended / 4)
    assert 6 * figures["partial"] + ended <= 4 * figures["turns"] <= 24
