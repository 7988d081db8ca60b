"""Files of quizzes, read by other programs' readers and by a reader of our own."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pygiftparser import parser as gift_parser
from pygiftparser.answer import Essay

from app.quizzes.formats.formats import FORMATS, Format
from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz
from app.quizzes.formats.rich import html_of
from core.errors import InvalidInput
from core.types import Source

TEXTS = st.text(
    st.one_of(
        st.sampled_from("~=#{}:\\/!*_`$%[]()<>&'\"^+-.1234567890 \n\tnAé中"),
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]),
    ),
    max_size=60,
).filter(lambda text: bool(text.strip()))
HARD = (
    "Is `df = {a: 1}` ~ right? #no",
    r"What does C:\new\{x\} mean, and \(x_1^2\)?",
    "1. Why?\n2. How?",
    "*a*\n\n* b\n* c",
    "![secret](/etc/passwd)",
    "COMMENT",
    "$x$ and \\num{1} and \\SI{1}{m}",
    "<script>alert(1)</script> & <!-- x -->",
    "```{.python .run}\nprint(1)\n```",
    "```\nif x:\n    y = 1\n```",
    "// no comment\n$CATEGORY: $course$/x",
    "::title:: [html] {=a ~b}####",
)


def question(number: int, text: str, answer: str = "Yes.", heading: str = "One = two") -> ExportedQuestion:
    return ExportedQuestion(
        number=number, question=text, answer=answer, kind="definition", document="a/b.md", heading_path=(heading,),
        block="b1", quote="", state="kept", made_by="rules",
    )  # fmt: skip


def quiz(*questions: ExportedQuestion) -> ExportedQuiz:
    return ExportedQuiz(course="c", title="Data: A/B", source=Source.TEXTBOOK, document="", questions=questions)


def in_gift(text: str) -> str:
    """What Moodle makes of a text in GIFT: its `escapedchar_pre` and `escapedchar_post` in one pass.

    pygiftparser has read each backslash before an n as a new line, which is taken back.
    """
    text = text.replace("\n", r"\n")
    return re.sub(r"\\([\\:#={}~n])", lambda found: "\n" if found[1] == "n" else found[1], text)


class Words(HTMLParser):
    """The text of HTML without its tags."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data


def words(html: str) -> str:
    return " ".join(Words(html).text.split())


def read_qti(content: bytes) -> list[tuple[str, str, str, str]]:
    """Title, type, and the HTML of text and feedback of each question."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        manifest = ElementTree.fromstring(archive.read("imsmanifest.xml"))
        space = {"m": "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"}
        name = next(
            one.attrib["href"]
            for one in manifest.findall("m:resources/m:resource/m:file", space)
            if "assessment_meta" not in one.attrib["href"]
        )
        assessment = ElementTree.fromstring(archive.read(name))
    q = {"q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
    return [
        (
            item.attrib["title"],
            item.findtext("q:itemmetadata/q:qtimetadata/q:qtimetadatafield/q:fieldentry", "", q),
            item.findtext("q:presentation/q:material/q:mattext", "", q),
            item.findtext("q:itemfeedback/q:flow_mat/q:material/q:mattext", "", q),
        )
        for item in assessment.iterfind(".//q:item", q)
    ]


@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS, TEXTS)
def test_any_text_in_gift_is_read_as_an_essay_with_its_answer(texts: list[str], answer: str, heading: str) -> None:
    asked = [question(number, text, answer, heading) for number, text in enumerate(texts, 1)]
    read = gift_parser.parseFile(io.StringIO(FORMATS[Format.GIFT](quiz(*asked)).decode()))
    title = " ".join(heading.split())
    assert [in_gift(one.title) for one in read] == [f"{one.number} {title}".rstrip(": ") for one in asked]
    for one, original in zip(read, asked, strict=True):
        assert one.valid
        assert isinstance(one.answers, Essay)
        assert (one.markup, one.cat) == ("html", "$course$/Data")
        assert in_gift(one.text) == html_of(original.question)
        assert in_gift(one.generalFeedback) == html_of(answer)


@given(TEXTS, TEXTS, TEXTS)
def test_any_text_in_qti_is_read_as_it_was(text: str, answer: str, heading: str) -> None:
    ((title, kind, asked, feedback),) = read_qti(FORMATS[Format.QTI](quiz(question(7, text, answer, heading))))
    assert (title.split(), kind) == (["7", *heading.split()], "essay_question")
    assert words(asked) == words(html_of(text))
    assert words(feedback) == words(html_of(answer))


@pytest.mark.parametrize("text", HARD)
def test_what_means_something_in_a_format_is_text(text: str) -> None:
    asked = quiz(question(1, text, text), question(2, "Which?"))
    first, second = gift_parser.parseFile(io.StringIO(FORMATS[Format.GIFT](asked).decode()))
    assert words(in_gift(first.text)) == words(html_of(text))
    assert words(in_gift(second.text)) == "Which?"
    (one, _) = read_qti(FORMATS[Format.QTI](asked))
    assert words(one[2]) == words(one[3]) == words(html_of(text))
    assert "<script" not in one[2]
    assert "<img" not in one[2]


def test_formulas_reach_moodle_with_literal_backslashes() -> None:
    text = r"Is $\frac{a}{b} \ne \{x\} \\ y: \nu$ ~ #1 = 🐝, or $$\sum_{i} i$$?"
    written = FORMATS[Format.GIFT](quiz(question(1, text, text, heading="A \\")))
    assert b"&#92;" not in written
    assert rb"Is \(\frac\{a\}\{b\}" in written
    (one,) = gift_parser.parseFile(io.StringIO(written.decode()))
    assert one.valid
    assert in_gift(one.title) == "1 A \\"
    for read in (one.text, one.generalFeedback):
        assert in_gift(read) == html_of(text)
        assert r"\(\frac{a}{b} \ne \{x\} \\ y: \nu\)" in in_gift(read)
        assert "🐝" in read


def test_code_keeps_its_lines_and_formulas_their_tex() -> None:
    shown = html_of("```python\nif x:\n    y = 1\n```\n\nThe value $x_1 < 2$.")
    assert shown == "<pre>if x:<br>&nbsp; &nbsp; y = 1</pre><p>The value \\(x_1 &lt; 2\\).</p>"


def test_paper_has_the_answers_at_the_end_under_the_numbers_of_their_questions() -> None:
    pairs = [(3, "One", "a"), (7, "One", "b"), (4, "Two", "c")]
    asked = [question(number, f"What is {name}?", f"It is {name}.", heading) for number, heading, name in pairs]
    shown = FORMATS[Format.MD](quiz(*asked)).decode()
    questions, answers = shown.split("# Answers\n")
    assert "It is" not in questions
    # Rendered, since Markdown numbers a list on whatever its items say.
    html = MarkdownIt().render(shown)
    starts = [int(start or 1) for start in re.findall(r'<ol(?: start="(\d+)")?>', html)]
    assert starts == [1, 3, 1]
    assert re.findall(r"(\d)\. It is (\w)", answers) == [("1", "a"), ("2", "b"), ("3", "c")]


def test_json_holds_everything() -> None:
    whole = quiz(question(3, "What is a?"))
    assert ExportedQuiz.model_validate(json.loads(FORMATS[Format.JSON](whole))) == whole


def test_qti_refuses_two_questions_with_the_same_words_and_a_quiz_without_any() -> None:
    with pytest.raises(InvalidInput, match="1 and 5 have the same words"):
        FORMATS[Format.QTI](quiz(question(1, "What is a?"), question(5, "What is a?")))
    with pytest.raises(InvalidInput, match="no question"):
        FORMATS[Format.QTI](quiz())
