from __future__ import annotations

import io

import pptx
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from core.errors import EmptyDocument
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders import load
from tests.ingestion.loaders.office.packages import TITLE_ONLY, deck, rewritten, saved, slide


def _shown(document: LoadedDocument) -> list[str]:
    return [line.text for line in document.lines if line.text and not line.staff]


def _staff(document: LoadedDocument) -> list[Line]:
    return [line for line in document.lines if line.staff]


def test_a_slides_title_is_its_heading_and_its_number_its_page() -> None:
    document = load("l.pptx", saved(deck(("Bayes", "prior\nposterior"), ("Variance", "spread"))))
    assert [(line.level, line.page, line.text) for line in document.lines if line.text] == [
        *((1, 1, "Bayes"), (0, 1, "- prior"), (0, 1, "- posterior"), (1, 2, "Variance"), (0, 2, "- spread")),
    ]
    assert document.complete


def test_a_run_of_slides_with_one_title_has_one_heading() -> None:
    document = load("l.pptx", saved(deck(("Bayes", "one"), ("Bayes (cont'd)", "two"), ("Bayes (3/3)", "three"))))
    assert _shown(document) == ["Bayes", "- one", "- two", "- three"]


def test_builds_are_merged() -> None:
    document = load("l.pptx", saved(deck(("Bayes", "a"), ("Bayes", "a\nb"), ("Bayes", "a\nb\nc"), ("Next", "a"))))
    assert _shown(document) == ["Bayes", "- a", "- b", "- c", "Next", "- a"]


def test_speaker_notes_are_for_staff() -> None:
    document = load("l.pptx", saved(deck(("Bayes", "a"), notes="Tell the joke.\nThen go on.")))
    assert _shown(document) == ["Bayes", "- a"]
    assert [line.text for line in _staff(document)] == ["Speaker notes:", "Tell the joke.", "Then go on."]
    assert all(line.notes and line.closed and not line.level for line in _staff(document))


def test_hidden_slides_are_for_staff_and_give_no_heading() -> None:
    made = deck(("Quiz", "Which one?"), ("The answer is B", "because"), ("Next", "a"))
    made.slides[1]._element.set("show", "0")
    made.slides[1].notes_slide.notes_text_frame.text = "kept back"
    document = load("l.pptx", saved(made))
    assert _shown(document) == ["Quiz", "- Which one?", "Next", "- a"]
    assert [line.text for line in _staff(document)] == [
        *("Hidden slide 2: The answer is B", "- because", "Speaker notes:", "kept back"),
    ]
    assert not any(line.level or line.notes for line in _staff(document))


def test_tables_are_rows_and_text_of_groups_is_read() -> None:
    made = deck(("Data", ""))
    shapes = made.slides[0].shapes
    table = shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    for row, cells in enumerate((("x", "p(x)"), ("0", "1/2"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    group = shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 10, 10).text_frame.text = "in a group"
    assert _shown(load("l.pptx", saved(made))) == ["Data", "x | p(x)", "0 | 1/2", "in a group"]


def test_text_in_a_font_for_programs_is_code() -> None:
    made = deck(("Loops", ""))
    frame = made.slides[0].shapes.add_textbox(0, 0, 10, 10).text_frame
    frame.text = "for x in y:\v    print(x)"
    for run in frame.paragraphs[0].runs:
        run.font.name = "Courier New"
    code = [line.text for line in load("l.pptx", saved(made)).lines if line.kind is LineKind.CODE]
    assert code == ["for x in y:", "    print(x)"]


def test_shapes_with_formulas_are_read() -> None:
    made = deck(("Formula", "MARK"))
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formula = (
        f'<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" xmlns:m="{math}"><m:oMath><m:sSup>'
        "<m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m>"
    ).encode()
    data = rewritten(
        saved(made),
        "ppt/slides/slide1.xml",
        lambda part: part.replace(b"</a:p></p:txBody>", formula + b"</a:p></p:txBody>", 2),
    )
    assert "- MARK$x^{2}$" in _shown(load("l.pptx", data))


def test_sections_stand_above_titles() -> None:
    made = deck(("Why", "a"), ("How", "b"))
    ids = [one.slide_id for one in made.slides]
    sections = "".join(
        f'<p14:section name="{name}" id="{{{n}}}"><p14:sldIdLst><p14:sldId id="{ids[n]}"/></p14:sldIdLst></p14:section>'
        for n, name in enumerate(("Motivation", "Method"))
    )
    extension = (
        '<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst '
        f'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">{sections}</p14:sectionLst></p:ext></p:extLst>'
    ).encode()
    data = rewritten(
        saved(made),
        "ppt/presentation.xml",
        lambda part: part.replace(b"</p:presentation>", extension + b"</p:presentation>"),
    )
    found = [(line.level, line.text) for line in load("l.pptx", data).lines if line.level]
    assert found == [(1, "Motivation"), (2, "Why"), (1, "Method"), (2, "How")]


def test_a_deck_of_pictures_is_empty() -> None:
    made = pptx.Presentation()
    picture = io.BytesIO()
    Image.new("RGB", (4, 4)).save(picture, "png")
    added = made.slides.add_slide(made.slide_layouts[6])
    added.shapes.add_picture(picture, 0, 0)
    with pytest.raises(EmptyDocument, match="only pictures"):
        load("l.pptx", saved(made))


def test_what_an_author_wrote_about_a_picture_is_text() -> None:
    made = deck(("Plot", ""))
    picture = io.BytesIO()
    Image.new("RGB", (4, 4)).save(picture, "png")
    added = made.slides[0].shapes.add_picture(picture, 0, 0)
    added._element.nvPicPr.cNvPr.set("descr", "Histogram of heights, skewed to the right")
    assert _shown(load("l.pptx", saved(made))) == ["Plot", "[Picture: Histogram of heights, skewed to the right]"]


def test_a_deck_without_text_on_some_slides_says_so() -> None:
    made = deck(("Bayes", "a"))
    made.slides.add_slide(made.slide_layouts[TITLE_ONLY])
    slide(made, "Next", "b")
    assert load("l.pptx", saved(made)).warnings == ("l.pptx: 1 of 3 slides have no text.",)


def test_a_chart_is_read_with_its_title_categories_and_values() -> None:
    made = deck(("Turnout", ""))
    data = CategoryChartData()
    data.categories = ["Spring", "Fall"]
    data.add_series("Students", (41, 57.5))
    shape = made.slides[0].shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, 0, 0, 100, 100, data)
    shape.chart.has_title = True
    shape.chart.chart_title.text_frame.text = "Who came"
    texts = [line.text for line in load("d.pptx", saved(made)).lines if line.text]
    assert texts == ["Turnout", "[Chart: Who came]", "| Students", "Spring | 41", "Fall | 57.5"]


def test_raised_and_struck_text_of_a_slide() -> None:
    made = deck(("Units", ""))
    paragraph = made.slides[0].placeholders[1].text_frame.paragraphs[0]
    for text, attributes in (
        ("s", {}),
        ("-2", {"baseline": "30000"}),
        (", old", {"strike": "sngStrike"}),
        (" new", {}),
    ):
        run = paragraph.add_run()
        run.text = text
        for name, value in attributes.items():
            run._r.get_or_add_rPr().set(name, value)
    assert [line.text for line in load("d.pptx", saved(made)).lines if line.text] == ["Units", "- s^(-2) new"]
