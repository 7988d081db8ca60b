"""Tables of scores become charts, with Chinese names, and directions become pictures."""

from __future__ import annotations

import warnings
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from core.errors import InvalidInput, NotFound
from eval.scenarios.charts import as_png, chinese_glyphs, heatmap, scores_charts
from eval.scenarios.drawing import picture
from eval.scenarios.exchange.tables import read_tables
from eval.scenarios.reading import read_scenario
from tests.eval.scenarios.samples import OLD, written

PNG = b"\x89PNG"
SCORES = {"模型甲": {"准确性": 4.0, "guidance.score": 2.0, "pace": None}, "m": {"准确性": 3.0, "guidance.score": 2.5}}


def table(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_last_line_of_a_table_has_the_means_and_texts_have_none(tmp_path: Path) -> None:
    table(tmp_path, "a/lesson_m.csv", "task_id,right,why,avg\n1,4,well,4\n2,,,\nAvg,4.00,,4.00\n")
    table(tmp_path, "b/lesson_n.csv", "task_id,right\n1,4\n2,2\n")
    table(tmp_path, "other_m.csv", "task_id,avg\nAvg,\n")
    assert read_tables(tmp_path) == {"lesson": {"m": {"right": 4.0}, "n": {"right": 3.0}}, "other": {"m": {}}}


def test_a_table_of_the_new_dialect_belongs_to_the_model_of_its_folder(tmp_path: Path) -> None:
    table(tmp_path, "eval/gpt/evaluation_results.csv", "task_id,right\n1,0.5\n")
    assert read_tables(tmp_path) == {"evaluation": {"gpt": {"right": 0.5}}}


def test_a_folder_without_tables_and_two_tables_of_one_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="edumod elmes eval"):
        read_tables(tmp_path)
    for folder in "ab":
        table(tmp_path, f"{folder}/lesson_m.csv", "task_id,right\n1,4\n")
    with pytest.raises(InvalidInput, match=r"lesson_m\.csv is a second table"):
        read_tables(tmp_path)


def test_every_chart_has_a_glyph_for_each_character() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts = scores_charts(SCORES, "引导式教学", 30)
        with chinese_glyphs():
            charts["heatmap"] = as_png(heatmap(SCORES, "热图"))
    assert all(png.startswith(PNG) for png in charts.values())
    assert list(charts) == ["stack", "radar", "heatmap"]


def test_models_without_any_score_have_empty_charts() -> None:
    assert all(png.startswith(PNG) for png in scores_charts({"m": {}}, "nothing").values())


@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_a_picture_names_agents_keywords_and_ends(tmp_path: Path, direction: str) -> None:
    scenario = read_scenario(written(tmp_path, OLD.replace('"Bye"', '"下课"')))
    svg, png = picture(scenario, direction)
    words = "".join(fromstring(svg).itertext())
    assert all(word in words for word in ("START", "teacher", "student", "END", "下课", "otherwise"))
    assert png.startswith(PNG)
