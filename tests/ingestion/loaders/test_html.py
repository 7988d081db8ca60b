from __future__ import annotations

import pytest

from core.errors import EmptyDocument
from ingestion.document import LineKind
from ingestion.loaders.html import load

PAGE = """<!doctype html><html><head><title>Lab&nbsp;1 &amp; more</title><style>p {}</style></head><body>
<nav><a href="/">Home</a></nav><header>The course</header>
<main><article><header><h1>Lab  1</h1></header><p>Some <em>short</em> text<br>in two lines</p>
<h2>Question 1</h2><p><strong>Bold</strong></p>
<ul><li>one<ul><li>deep</li></ul></li><li><p>two</p></li></ul>
<pre><code>def f():
    return 1 &lt; 2

f()</code></pre>
<table><tr><th>Question</th><th>Points</th></tr><tr><td><p>1a</p></td><td>2</td></tr></table>
<!-- hidden --><script>var x = "<p>no</p>"</script></article></main>
<aside>Ad</aside><footer>2024</footer></body></html>"""


def test_a_page_is_reduced_to_what_its_author_wrote() -> None:
    assert [line.text for line in load("lab.html", PAGE.encode()).lines] == [
        *("Lab 1", "Some short text", "in two lines", "Question 1", "Bold"),
        *("- one", "  - deep", "- two"),
        *("def f():", "    return 1 < 2", "", "f()"),
        *("Question | Points", "1a | 2"),
    ]


def test_headings_code_and_bold_lines_are_marked() -> None:
    lines = load("lab.html", PAGE.encode()).lines
    assert [(line.level, line.text) for line in lines if line.level] == [(1, "Lab 1"), (2, "Question 1")]
    assert next(line.text for line in lines if line.kind is LineKind.CODE) == "def f():"
    assert [line.text for line in lines if line.bold] == ["Bold"]


def test_the_title_is_the_pages_own() -> None:
    assert load("lab.html", PAGE.encode()).title == "Lab 1 & more"
    assert load("lab.html", b"<p>a</p><h3>Second</h3>").title == "Second"
    assert load("lab.html", b"a").title == "lab"


@pytest.mark.parametrize("markup", [b"<p></p>", b"<nav>menu</nav>", b"<script>x</script>", b"<!-- a -->"])
def test_a_page_without_words_is_an_empty_document(markup: bytes) -> None:
    with pytest.raises(EmptyDocument):
        load("a.html", markup)


@pytest.mark.parametrize(
    "markup",
    [
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Lab</title><link rel=x><h1>Task</h1><p>Text",
        "<html><head><title>Lab</title><body><h1>Task</h1><p>Text",
        '<head><title>Lab</title><script>var x = "<p>no</p>"</script><h1>Task</h1><div>Text',
        "<!doctype html><title>Lab</title><style>p {}</style><h1>Task</h1><p>Text</body></html>",
    ],
)
def test_a_page_without_closing_tags_is_read_as_browsers_do(markup: str) -> None:
    document = load("lab.html", markup.encode())
    assert document.title == "Lab"
    assert [(line.text, line.level) for line in document.lines] == [("Task", 1), ("Text", 0)]


def test_the_settings_of_a_site_generator_are_no_text() -> None:
    document = load("faq.html", b"---\nlayout: page\ntitle: FAQ\n---\n<h1>Questions</h1><p>One.")
    assert (document.title, [line.text for line in document.lines]) == ("FAQ", ["Questions", "One."])


def test_what_code_prints_is_apart_from_code_and_prose() -> None:
    page = (
        '<p>We print it.</p><div class="cell"><div class="highlight"><pre>print(1)</pre></div><div class="cell_output">'
        "<pre>1</pre><table><tr><td>a</td><td>b</td></tr></table></div></div><p>So it is.</p>"
    )
    lines = load("book.html", page.encode()).lines
    assert [(line.text, line.kind.value) for line in lines] == [
        ("We print it.", "prose"), ("print(1)", "code"), ("1", "output"), ("a | b", "output"), ("So it is.", "prose"),
    ]  # fmt: skip


def test_links_of_headings_and_prompts_of_notebooks_are_left_out() -> None:
    page = '<h2>Mean<a class="headerlink">&para;</a></h2><div class="prompt input_prompt">In [1]:</div><pre>x</pre>'
    assert [line.text for line in load("book.html", page.encode()).lines] == ["Mean", "x"]
