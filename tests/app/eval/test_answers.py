"""`edumod eval answers` as a process, on a small course with labelled answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import edumod

COURSE = """id: small
material:
  textbook: [textbook]
  logistics: [logistics]
labels: labels
"""
MATERIAL = {
    "textbook/book.md": "# Tables\n\n## Joins\n\nTwo tables are merged on the columns that they share.\n\n"
    "## Charts\n\nA histogram shows how the values of one column are distributed.\n",
    "logistics/syllabus.md": "# Syllabus\n\n## Homework\n\nHomework 1 is due on March 10.\n\n"
    "## Office hours\n\nOffice hours are on Monday at noon in room 12.\n",
}
DUE = "logistics/syllabus.md > Syllabus > Homework"
LABELS: list[tuple[str, str, str, list[str], str, str]] = [
    ("f1", "When is homework 1 due?", "logistics", [DUE], "Homework 1 is due on March 10.", "test"),
    (
        "f2",
        "How are two tables merged?",
        "concept",
        ["textbook/book.md > Tables > Joins"],
        "On shared columns.",
        "test",
    ),
    ("a1", "When are office hours?", "logistics", ["logistics/syllabus.md > Syllabus"], "Monday at noon.", "test"),
    ("a2", "What is the airspeed of a swallow?", "off_topic", [], "", "test"),
    ("a3", "Thank you!", "no_response", [], "", "test"),
    ("a4", "What does a histogram show?", "concept", ["textbook/book.md > Tables > Charts"], "A distribution.", "dev"),
]
EXPECTS = {"off_topic": "abstain", "no_response": "no_response"}


def write_course(folder: Path) -> Path:
    """The course file, with its material and labels."""
    (folder / "course.yaml").write_text(COURSE)
    for name, text in MATERIAL.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    asked: dict[str, list[dict[str, Any]]] = {"functions": [], "answers": []}
    for name, body, _, _, _, split in LABELS:
        folder_of = "functions" if name.startswith("f") else "answers"
        asked[folder_of].append({"id": name, "split": split, "question": {"body": body}})
    for kind, rows in asked.items():
        write(folder / "labels" / kind / "questions.jsonl", rows)
    labels = [
        {"id": name, "kind": kind, "expects": EXPECTS.get(kind, "answer"), "passages": at, "reference": reference}
        for name, _, kind, at, reference, _ in LABELS
    ]
    write(folder / "labels" / "answers" / "labels.jsonl", labels)
    return folder / "course.yaml"


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_course(tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="module")
def home(course: Path) -> Path:
    """A home with the embedding model, and the course `small` with labelled answers."""
    home = course.parent / "home"
    loaded = edumod(home, "course", "load", str(course))
    assert loaded.returncode == 0, loaded.stderr
    return home


@pytest.fixture(scope="module")
def report(home: Path) -> Any:
    options = ("--pipeline", "fc,fc_forced", "--retriever", "tree,bm25", "--page", str(home / "page.html"))
    ended = edumod(home, "eval", "answers", "--course", "small", *options, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_the_report_has_figures_for_each_pipeline_with_each_retriever(report: Any) -> None:
    assert (report["course"], report["n"], report["split"]) == ("small", 5, "test")
    assert report["counts"] == {"answer": 3, "abstain": 1, "no_response": 1}
    assert list(report["actors"]) == ["fc/tree", "fc/bm25", "fc_forced/tree", "fc_forced/bm25"]
    for figures in report["actors"].values():
        for name in ("retrieved", "cited_first", "cited", "wrongly_abstained", "wrongly_answered", "auc", "brier"):
            assert set(figures[name]) == {"mean", "low", "high"}
        assert figures["retrieved"]["mean"] == 1.0
        assert figures["unscored"] == 0


def test_the_page_has_the_table_and_the_reliability_diagram(home: Path, report: Any) -> None:
    page = (home / "page.html").read_text(encoding="utf-8")
    assert "fc_forced/bm25" in page
    assert "<svg" in page
    assert "Of the messages, 3 can be answered, 1 cannot, and 1 need no response." in page


def test_the_tables_fit_a_terminal_of_80_columns(home: Path, report: Any) -> None:
    ended = edumod(home, "eval", "show", report["evaluation"], COLUMNS="80")
    assert ended.returncode == 0, ended.stderr
    assert max(map(len, ended.stdout.split("\n"))) <= 80
    for words in (
        "small (test split): 5 messages",
        "fc/bm25, by kind of message",
        "reliability of the confidence",
        "█",
    ):
        assert words in ended.stdout


def test_a_stored_evaluation_is_listed_compared_and_exported(home: Path, report: Any) -> None:
    listed = json.loads(edumod(home, "eval", "list", "--kind", "answers", "--json").stdout)
    assert report["evaluation"] in {one["id"] for one in listed}
    sides = (f"{report['evaluation']}:fc/tree", f"{report['evaluation']}:fc_forced/bm25")
    compared = json.loads(edumod(home, "eval", "compare", *sides, "--json").stdout)
    assert compared["actors"][0]["metrics"][0]["metric"] == "cited_first"
    exported = edumod(home, "eval", "export", f"{report['evaluation']}:fc/tree", "--format", "jsonl")
    rows = {row["item"]: row for row in map(json.loads, exported.stdout.splitlines())}
    assert rows["f1"]["scores"]["cited_first"] == 1
    assert rows["f1"]["output"]["citations"][0]["location"] == DUE
    assert rows["a3"]["scores"]["cited_first"] is None


def test_an_experiment_varies_what_answers_depend_on(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text("course: small\nvary:\n  top_k: [1, 5]\n  seed: [3, 4]\n")
    ended = edumod(home, "eval", "answers", "--experiment", str(file), "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert list(found["actors"]) == ["top_k=1 seed=3", "top_k=1 seed=4", "top_k=5 seed=3", "top_k=5 seed=4"]
    exported = edumod(home, "eval", "export", found["evaluation"], "--format", "jsonl").stdout
    retrieved = {
        (row["actor"], row["item"]): row["output"]["retrieved"] for row in map(json.loads, exported.splitlines())
    }
    assert len(retrieved["top_k=1 seed=3", "f2"]) < len(retrieved["top_k=5 seed=3", "f2"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "--course ID"),
        (["--course", "small", "--retriever", "tre"], "Did you mean 'tree'"),
        (["--course", "small", "--split", "train"], "it has: dev, test"),
        (["--course", "small", "--metric", "set_f1"], "cited_first"),
        (["--course", "small", "--actor", "calls:x.jsonl"], "pipeline:PIPELINE/RETRIEVER"),
        (["--course", "small", "--judge", "edumot"], "Did you mean 'edumod'"),
        (["--course", "small", "--judge", "edumod@big"], "There is no model 'big'"),
        (["--retriever", "tree", "--experiment", "x.yaml"], "Leave those options out"),
    ],
)
def test_wrong_input_exits_with_two_and_names_the_remedy(home: Path, options: list[str], complaint: str) -> None:
    ended = edumod(home, "eval", "answers", *options, COLUMNS="200")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert complaint in ended.stderr


def test_judges_score_the_answers_and_are_shown_compared_and_stored(home: Path) -> None:
    options = (
        "--course",
        "small",
        "--pipeline",
        "fc",
        "--retriever",
        "tree",
        "--judge",
        "teaching_points,grounded@offline",
    )
    ended = edumod(home, "eval", "answers", *options, "--page", str(home / "judged.html"), "--json")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert list(report["judges"]) == ["teaching_points", "grounded@offline"]
    assert {judge["form"] for judge in report["judges"].values()} == {"computed"}
    figures = report["actors"]["fc/tree"]
    judged = figures["judged"]["teaching_points"]
    assert sum(judged["distribution"]) + judged["unscored"] == 3
    assert 0 < figures["grounded@offline"]["mean"] <= 1
    assert "Agreement of the judges" in (home / "judged.html").read_text(encoding="utf-8")
    shown = edumod(home, "eval", "show", report["evaluation"], COLUMNS="80").stdout
    assert "teaching_points (computed), 0 to 5, acceptable from 3" in shown
    assert max(map(len, shown.split("\n"))) <= 80
    own = json.loads(edumod(home, "eval", "list", "--kind", "judged answers", "--json").stdout)
    assert {one["actors"][0] for one in own} == {"teaching_points", "grounded"}
    again = json.loads(edumod(home, "eval", "answers", *options, "--json").stdout)
    limit = ("--fail-on", "grounded@offline:-0.1")
    assert edumod(home, "eval", "compare", report["evaluation"], again["evaluation"], *limit).returncode == 0


def test_an_experiment_has_people_limits_judges_and_left_out_fields(home: Path, tmp_path: Path) -> None:
    people = [{"id": "f1", "answer": "It is due on March 10."}, {"id": "f2", "answer": "Ask in section."}]
    write(tmp_path / "a.jsonl", people)
    write(tmp_path / "b.jsonl", [{"id": "f2", "answer": "Two tables are merged on the columns they share."}])
    file = tmp_path / "experiment.yaml"
    actors = "[limit:reference, limit:empty, 'answers:a.jsonl, b.jsonl']"
    file.write_text(
        "course: small\nvary:\n  pipeline: [fc, edison]\n"
        f"judges:\n  - teaching_points\nwithout: [title, passages]\nactors: {actors}\n"
    )
    ended = edumod(home, "eval", "answers", "--experiment", str(file), "--page", str(tmp_path / "p.html"), "--json")
    # The files lack answers to some messages, which are unscored.
    assert ended.returncode == 1, ended.stderr
    found = json.loads(ended.stdout)
    means = {name: figures["teaching_points"]["mean"] for name, figures in found["actors"].items()}
    assert list(means)[:3] == ["pipeline=fc", "pipeline=edison", "pipeline=fc without title"]
    people_name = "answers:a.jsonl,b.jsonl"
    assert means["limit:empty"] < means[people_name] <= means["limit:reference"]
    assert found["actors"][people_name]["cited_first"]["mean"] is None
    exported = edumod(home, "eval", "export", f"{found['evaluation']}:{people_name}", "--format", "jsonl").stdout
    outputs = {row["item"]: row["output"] for row in map(json.loads, exported.splitlines())}
    assert outputs["f2"]["answer"].startswith("Two tables")
    worth = {(one["actor"], one["without"]): one for one in found["ablations"]}
    assert worth["pipeline=fc", "title"]["n"] == 0
    abstained = next(one for one in worth["pipeline=fc", "passages"]["worth"] if one["metric"] == "wrongly_abstained")
    assert (abstained["n"], abstained["gain"]["mean"]) == (3, 1)
    assert "No message has a field title" in ended.stderr
    assert "What left-out fields are worth" in (tmp_path / "p.html").read_text(encoding="utf-8")
    shown = edumod(home, "eval", "show", found["evaluation"], COLUMNS="80").stdout
    assert "what was left out" in shown
    assert max(map(len, shown.split("\n"))) <= 80


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("judges:\n  - edumod\n  - edumot\n", "line 6: There is no judge 'edumot'"),
        ("without: [thread, tread]\n", "line 4: There is no field to leave out 'tread'. Did you mean 'thread'"),
        ("judges:\n  - {judge: edumod, sample: 3}\n", "line 5: judges.0.sample"),
        ("actors: ['answers:none.jsonl,']\n", "none.jsonl cannot be read"),
    ],
)
def test_a_wrong_name_in_an_experiment_is_refused_by_line(
    home: Path, tmp_path: Path, lines: str, complaint: str
) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(f"course: small\nvary:\n  pipeline: [fc]\n{lines}")
    ended = edumod(home, "eval", "answers", "--experiment", str(file), COLUMNS="200")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert complaint in ended.stderr


def test_several_files_need_a_judge_of_the_best(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [{"id": "f1", "answer": "On March 10."}])
    ended = edumod(
        home, "eval", "answers", "--course", "small", "--actor", f"answers:{tmp_path}/a.jsonl,{tmp_path}/a.jsonl"
    )
    assert (ended.returncode, "Name a judge of the best (--judge)" in ended.stderr) == (2, True)


def test_a_labelled_location_that_the_material_lacks_is_an_error_with_the_nearest(tmp_path: Path) -> None:
    course = write_course(tmp_path)
    labels = tmp_path / "labels" / "answers" / "labels.jsonl"
    labels.write_text(labels.read_text().replace("Syllabus > Homework", "Syllabus > Homeworks"))
    assert edumod(tmp_path / "home", "course", "load", str(course)).returncode == 0
    ended = edumod(tmp_path / "home", "eval", "answers", "--course", "small", COLUMNS="200")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"{DUE}s (the nearest is {DUE})" in ended.stderr


def test_the_confidence_is_not_fitted_to_a_handful_of_messages(home: Path) -> None:
    done = edumod(home, "eval", "confidence", "--course", "small", "--split", "test", "--retriever", "bm25")
    assert done.returncode == 2
    assert "cited first for 3 messages" in done.stderr
