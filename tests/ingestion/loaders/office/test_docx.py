from __future__ import annotations

import re

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls

from core.errors import EmptyDocument
from ingestion.document import LineKind, LoadedDocument
from ingestion.loaders import load
from tests.ingestion.loaders.office.packages import document, rewritten, saved


def _texts(document: LoadedDocument) -> list[str]:
    return [line.text for line in document.lines if line.text]


def test_heading_styles_are_headings() -> None:
    found = load("n.docx", saved(document(("Title", "Notes"), ("Heading 1", "One"), ("", "a"), ("Heading 2", "Deep"))))
    assert found.title == "Notes"
    assert [(line.level, line.text) for line in found.lines if line.text] == [
        (0, "Notes"),
        (1, "One"),
        (0, "a"),
        (2, "Deep"),
    ]


def test_lists_have_the_numbers_that_word_counts() -> None:
    made = document(
        ("List Number", "first"), ("List Number", "second"), ("List Bullet", "point"), ("List Number", "third")
    )  # fmt: skip
    assert _texts(load("n.docx", saved(made))) == ["1. first", "2. second", "- point", "3. third"]


def test_numbers_of_several_levels_are_written_as_their_format_says() -> None:
    levels = (("decimal", "Question %1."), ("lowerLetter", "(%2)"), ("lowerRoman", "%1.%2.%3"))
    rules = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (kind, text) in enumerate(levels)
    )
    added = f'<w:abstractNum w:abstractNumId="77">{rules}</w:abstractNum>'.encode()
    used = b'<w:num w:numId="78"><w:abstractNumId w:val="77"/></w:num>'
    made = docx.Document()
    for depth in (0, 1, 1, 0, 1, 2):
        properties = made.add_paragraph("text")._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_numId().val = 78
        properties.get_or_add_ilvl().val = depth
    data = rewritten(
        saved(made),
        "word/numbering.xml",
        lambda part: part.replace(b"</w:numbering>", added + used + b"</w:numbering>"),
    )
    labels = [text.removesuffix(" text") for text in _texts(load("n.docx", data))]
    assert labels == ["Question 1.", "(a)", "(b)", "Question 2.", "(a)", "2.a.i"]


def test_tables_are_rows_and_a_frame_is_what_is_inside() -> None:
    made = document(("", "before"))
    table = made.add_table(2, 2)
    for row, cells in enumerate((("x", "p(x)"), ("0", "1/2"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    made.add_table(1, 1).cell(0, 0).text = "framed\nlines"
    assert _texts(load("n.docx", saved(made))) == ["before", "x | p(x)", "0 | 1/2", "framed", "lines"]


def test_hidden_text_is_for_staff() -> None:
    made = document(("Heading 1", "Quiz"))
    paragraph = made.add_paragraph("Which one? ")
    paragraph.add_run("It is B.").font.hidden = True
    made.add_table(1, 2).cell(0, 0).paragraphs[0].add_run("secret cell").font.hidden = True
    made.styles.add_style("Kept back", WD_STYLE_TYPE.PARAGRAPH).font.hidden = True
    made.add_paragraph("a whole paragraph", style="Kept back")
    lines = load("n.docx", saved(made)).lines
    assert [line.text for line in lines if not line.staff and line.text] == ["Quiz", "Which one?"]
    assert [line.text for line in lines if line.text and line.staff] == ["It is B.", "secret cell", "a whole paragraph"]


def test_paragraphs_in_a_style_for_solutions_are_solutions() -> None:
    made = document(("", "Compute."))
    made.styles.add_style("Solution", WD_STYLE_TYPE.PARAGRAPH)
    made.add_paragraph("Forty-two.", style="Solution")
    assert [(line.text, line.solution, line.closed) for line in load("n.docx", saved(made)).lines if line.text] == [
        ("Compute.", False, False),
        ("Forty-two.", True, True),
    ]


def test_deleted_text_is_left_out_and_inserted_text_is_not() -> None:
    made = document(("", "now"))
    for name, text in (("w:del", "gone"), ("w:ins", " there")):
        change, run, inside = OxmlElement(name), OxmlElement("w:r"), OxmlElement("w:t")
        inside.text = text
        run.append(inside)
        change.append(run)
        made.paragraphs[0]._p.append(change)
    assert _texts(load("n.docx", saved(made))) == ["now there"]


def test_formulas_stay_in_their_sentence() -> None:
    made = document(("", "Let "))
    paragraph = made.paragraphs[0]._p
    math, fraction = OxmlElement("m:oMath"), OxmlElement("m:f")
    for name, text in (("m:num", "1"), ("m:den", "n")):
        part, run, inside = OxmlElement(name), OxmlElement("m:r"), OxmlElement("m:t")
        inside.text = text
        run.append(inside)
        part.append(run)
        fraction.append(part)
    math.append(fraction)
    paragraph.append(math)
    made.paragraphs[0].add_run(" be small.")
    assert _texts(load("n.docx", saved(made))) == [r"Let $\frac{1}{n}$ be small."]


def test_a_font_for_programs_is_code() -> None:
    made = document(("", "text"))
    made.add_paragraph().add_run("if x:\n    y()").font.name = "Consolas"
    found = load("n.docx", saved(made)).lines
    assert [line.text for line in found if line.kind is LineKind.CODE] == ["if x:", "    y()"]


def test_a_document_without_words_is_empty() -> None:
    with pytest.raises(EmptyDocument, match="only pictures"):
        load("n.docx", saved(docx.Document()))


def _math(xml: str) -> Document:
    namespaces = f'{nsdecls("w")} xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    made = document(("", ""))
    made.paragraphs[0]._p.append(parse_xml(f"<m:oMath {namespaces}>{xml}</m:oMath>"))
    return made


def _run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (f"<m:rad><m:deg>{_run('4')}</m:deg><m:e>{_run('16')}</m:e></m:rad>", r"$\sqrt[4]{16}$"),
        (f"<m:rad><m:deg/><m:e>{_run('9')}</m:e></m:rad>", r"$\sqrt{9}$"),
        (f'<m:d><m:dPr><m:begChr m:val="⌈"/><m:endChr m:val="⌉"/></m:dPr><m:e>{_run("2.1")}</m:e></m:d>',
         r"$\lceil 2.1\rceil$"),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr><m:e>{_run("x")}</m:e></m:d>', "$[x$"),
        (f"<m:d><m:e>{_run('a')}</m:e><m:e>{_run('b')}</m:e></m:d>", "$(a, b)$"),
        (f'<m:d><m:e><m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>{_run("6")}</m:num><m:den>{_run("1")}</m:den>'
         "</m:f></m:e></m:d>", r"$\binom{6}{1}$"),
        (f"<m:m><m:mr><m:e>{_run('1')}</m:e><m:e>{_run('0')}</m:e></m:mr></m:m>", r"$\begin{matrix}1 & 0\end{matrix}$"),
        (f"<m:func><m:fName>{_run('sin')}</m:fName><m:e>{_run('t')}</m:e></m:func>", r"$\sin t$"),
    ],
)  # fmt: skip
def test_formulas_are_tex(xml: str, expected: str) -> None:
    assert _texts(load("f.docx", saved(_math(xml)))) == [expected]


def test_raised_lowered_and_struck_text() -> None:
    made = document(("", ""))
    paragraph = made.paragraphs[0]
    for text, change in (
        ("3", ""),
        ("4", "superscript"),
        (" or ", ""),
        ("four ", "strike"),
        ("H", ""),
        ("2", "subscript"),
    ):
        run = paragraph.add_run(text)
        if change:
            setattr(run.font, change, True)
    assert _texts(load("n.docx", saved(made))) == ["3^4 or H₂"]


def test_a_drop_cap_is_a_letter_of_its_word() -> None:
    made = document(("", "G"), ("", "raphs have edges."))
    properties = made.paragraphs[0]._p.get_or_add_pPr()
    properties.append(parse_xml(f'<w:framePr {nsdecls("w")} w:dropCap="drop" w:lines="3"/>'))
    assert _texts(load("n.docx", saved(made))) == ["Graphs have edges."]


def test_a_strict_package_is_read_like_any() -> None:
    def strict(part: bytes) -> bytes:
        usual = rb"http://schemas\.openxmlformats\.org/(officeDocument|wordprocessingml|drawingml)/2006/"
        return re.sub(usual, rb"http://purl.oclc.org/ooxml/\1/", part)

    data = saved(document(("Heading 1", "Sets"), ("", "A set has members.")))
    for part in ("_rels/.rels", "word/_rels/document.xml.rels", "word/document.xml", "word/styles.xml"):
        data = rewritten(data, part, strict)
    found = load("n.docx", data)
    assert [(line.level, line.text) for line in found.lines if line.text] == [(1, "Sets"), (0, "A set has members.")]
