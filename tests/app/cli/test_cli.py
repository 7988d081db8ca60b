"""The `edumod` command, as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from app.cli import COMMANDS
from tests.app.commands import EDUMOD, edumod


def test_help_names_every_command(tmp_path: Path) -> None:
    shown = edumod(tmp_path, "--help").stdout
    assert all(command in shown for command in COMMANDS)


def test_a_misspelt_command_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    shown = edumod(tmp_path, "sreve")
    assert (shown.returncode, "Did you mean 'serve'" in shown.stderr) == (2, True)


HEAVY = ("torch", "llama_index", "faiss", "sentence_transformers", "pymupdf", "onnxruntime", "openai")
LATER = (
    "ingestion.ingest",
    "ingestion.questions.headers",
    "app.cli.eval.retrieval",
    "jsonschema",
    "jinja2",
    "markdown_it",
)
"""What answers do not need, or not before the first one."""


def loaded_by(modules: str) -> set[str]:
    code = f"import sys, {modules}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_every_command_starts_without_heavy_libraries() -> None:
    assert not loaded_by(", ".join(f"app.cli.{command}" for command in COMMANDS)) & set(HEAVY)


def test_the_server_starts_without_what_its_answers_do_not_need() -> None:
    assert not loaded_by("app.cli.serve, app.main") & {*HEAVY, *LATER}


def test_a_dry_run_prints_a_plan_as_json_and_stores_nothing(tmp_path: Path, material: Path) -> None:
    arguments = ("ingest", str(material / "textbook"), "--course", "c", "--source", "textbook", "--json")
    plan = json.loads(edumod(tmp_path, *arguments, "--dry-run").stdout)
    assert [file["action"] for file in plan["files"]] == ["new"]
    assert plan["cost_usd"] == 0
    assert json.loads(edumod(tmp_path, "course", "list", "--json").stdout) == {}


def test_wrong_input_is_one_clear_message_and_exit_code_two(tmp_path: Path) -> None:
    missing = edumod(tmp_path, "ingest", str(tmp_path / "nope"), "--course", "c", "--source", "qa")
    assert (missing.returncode, "nope" in missing.stderr, "Traceback" in missing.stderr) == (2, True, False)
    unknown = edumod(tmp_path, "search", "x", "--course", "none")
    assert (unknown.returncode, "none" in unknown.stderr) == (2, True)
    assert edumod(tmp_path, "ask", "", "--course", "c").returncode == 2
    bad_id = edumod(tmp_path, "ingest", str(EDUMOD), "--course", "CS 101", "--source", "qa")
    assert (bad_id.returncode, "Traceback" in bad_id.stderr) == (2, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [("EDUMOD_EMBEDDING_THREADS", "0"), ("EDUMOD_DATABASE_URL", "bogus"), ("EDUMOD_DATABASE_URL", "mysql://x/y")],
)
def test_a_wrong_setting_is_named_with_exit_code_five(tmp_path: Path, name: str, value: str) -> None:
    failed = edumod(tmp_path, "course", "list", **{name: value})
    assert (failed.returncode, name in failed.stderr, "Traceback" in failed.stderr) == (5, True, False)


def test_a_bad_file_ends_with_exit_code_one_and_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "bad.ipynb").write_text("nonsense")
    done = edumod(tmp_path / "home", "ingest", str(folder), "--course", "c", "--source", "assignment", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(file["name"], file["outcome"]) for file in report["files"]] == [("m/bad.ipynb", "failed")]


def test_a_model_that_is_down_ends_with_exit_code_four(tmp_path: Path, home: Path) -> None:
    down = {"EDUMOD_LLM_BASE_URL": "http://127.0.0.1:9/v1", "EDUMOD_LLM_DEADLINE_SECONDS": "20"}
    failed = edumod(home, "ask", "When is homework 3 due?", "--course", "small", **down)
    assert (failed.returncode, "127.0.0.1:9" in failed.stderr) == (4, True)


def test_doctor_names_every_part_and_its_remedy(tmp_path: Path) -> None:
    checks = json.loads(edumod(tmp_path, "doctor", "--json", EDUMOD_LLM_BASE_URL="http://127.0.0.1:9/v1").stdout)
    assert list(checks) == ["database", "model", "embedding", "ocr", "disk"]
    assert checks["model"]["state"] == "error"
    assert all(check["remedy"] for check in checks.values() if check["state"] != "ok")


@pytest.mark.parametrize(
    ("defaults", "complaint"),
    [
        ("  pipeline: fc\n  max_rounds: 11\n", "line 4: defaults: max_rounds"),
        ("  max_round: 3\n", "line 3: defaults: There is no parameter 'max_round'. Did you mean 'max_rounds'?"),
        ("  retriever: tree\n  retriever.textbook: tre\n", "line 4: defaults: There is no retriever 'tre'."),
    ],
)
def test_defaults_that_no_request_could_choose_are_named_by_line(tmp_path: Path, defaults: str, complaint: str) -> None:
    file = tmp_path / "course.yaml"
    file.write_text(f"id: small\ndefaults:\n{defaults}")
    ended = edumod(tmp_path, "course", "check", str(file), COLUMNS="300")
    assert ended.returncode == 2
    assert complaint in ended.stderr


@pytest.mark.parametrize("command", [("course", "check"), ("course", "load")])
def test_a_course_file_with_an_error_is_answered_with_its_line(tmp_path: Path, command: tuple[str, str]) -> None:
    (tmp_path / "course.yaml").write_text("id: x\nconsent_required: perhaps\n")
    failed = edumod(tmp_path, *command, str(tmp_path / "course.yaml"))
    assert (failed.returncode, "line 2" in failed.stderr) == (2, True)


def test_the_version_is_printed(tmp_path: Path) -> None:
    assert edumod(tmp_path, "--version").stdout == f"edumod {version('edumod')}\n"


@pytest.mark.parametrize(
    ("words", "expected"), [("edumod se", {"search", "sensemaking", "serve"}), ("edumod course ch", {"check"})]
)
def test_a_shell_completes_commands(tmp_path: Path, words: str, expected: set[str]) -> None:
    asked = {"_EDUMOD_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert set(edumod(tmp_path, **asked).stdout.split()) == expected


def test_every_command_can_print_json() -> None:
    pages = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert [page.splitlines()[0] for page in pages if "`--json`" not in page] == [
        "edumod mcp",
        "edumod worker",
        "Exit codes",
    ]


def test_a_misspelt_setting_is_named_with_the_nearest_one_and_the_command_goes_on(tmp_path: Path) -> None:
    done = edumod(tmp_path, "course", "list", "--json", EDUMOD_LOG_FORMATT="json", EDUMOD_XYZ="1")
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert "EDUMOD_LOG_FORMATT is not a setting and has no effect. Did you mean EDUMOD_LOG_FORMAT?" in done.stderr
    assert "EDUMOD_XYZ is not a setting and has no effect. docs/settings.md lists all settings." in done.stderr


def test_an_unknown_course_is_answered_with_the_home_that_was_looked_in(tmp_path: Path) -> None:
    assert f"Looked in the home {tmp_path} (EDUMOD_HOME" in edumod(tmp_path, "search", "x", "--course", "none").stderr


def test_what_no_terminal_reads_is_not_wrapped(tmp_path: Path) -> None:
    title = "A title that is much longer than the line of any terminal would ever be " * 5
    (tmp_path / "course.yaml").write_text(f"id: long\ntitle: {title}\n")
    edumod(tmp_path, "course", "load", str(tmp_path / "course.yaml"))
    shown = edumod(tmp_path, "course", "list", COLUMNS="80").stdout
    assert title.strip() in shown
    assert "\x1b" not in shown


def test_a_folder_with_nothing_to_ingest_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "program.exe").write_bytes(b"MZ")
    arguments = ("ingest", str(tmp_path / "m"), "--course", "c", "--source", "qa")
    refused = edumod(tmp_path / "home", *arguments)
    assert refused.returncode == 2
    assert f"{tmp_path / 'm'} has no file that can be ingested. Supported: ." in refused.stderr
    # Without its files, a folder has nothing left but documents to remove.
    assert edumod(tmp_path / "home", *arguments, "--prune").returncode == 0


def test_a_question_can_say_whether_the_student_agrees(home: Path) -> None:
    asked = ("ask", "When is homework 3 due?", "--course", "strict", "--retriever", "bm25", "--json")
    refused = json.loads(edumod(home, *asked, "--no-consent").stdout)
    assert (refused["status"], refused["trace_id"]) == ("consent_required", None)
    assert json.loads(edumod(home, *asked).stdout)["status"] == "consent_required"


def test_ctrl_c_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    material = tmp_path / "m"
    material.mkdir()
    for number in range(40):
        sections = "\n\n".join(f"## Section {number} {n}\n\n{'Words about things. ' * 60}" for n in range(40))
        (material / f"{number}.md").write_text(f"# Chapter {number}\n\n{sections}\n")
    arguments = ("ingest", str(material), "--course", "c", "--source", "textbook")
    command = subprocess.Popen(
        [EDUMOD, *arguments], env={**os.environ, "EDUMOD_HOME": str(tmp_path / "home")},
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    assert command.stderr is not None
    said = command.stderr.readline()
    while "To embed" not in said:
        said += command.stderr.readline()
    # As a terminal does, to all processes of the command.
    os.killpg(command.pid, signal.SIGINT)
    said += command.communicate(timeout=60)[1]
    assert (command.returncode, "Traceback" in said) == (130, False), said
