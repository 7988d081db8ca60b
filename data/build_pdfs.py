"""Build the PDFs of the sample course from their Markdown sources.

Usage: `python data/build_pdfs.py` writes every PDF, `python data/build_pdfs.py --check` writes nothing and exits with
status 1 if a PDF is missing or its text differs from what its source gives now. The files carry no timestamps.
Needs PyMuPDF and markdown-it-py.
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import pymupdf
from markdown_it import MarkdownIt

COURSE = Path(__file__).resolve().parent / "ds101"
AUTHOR = "Marrow Lake University"
RUNNING_HEADER = "DS 101: Introduction to Data Science"

PAGE = pymupdf.paper_rect("letter")
BODY = pymupdf.Rect(64, 72, PAGE.width - 64, PAGE.height - 72)  # the text area: the page without its margins
MAX_PAGES = 100

# Characters that the serif face lacks (Greek, mathematical signs) come from the fonts bundled with PyMuPDF.
CSS = """
body { margin: 0; font-family: serif; font-size: 11pt; line-height: 1.35; }
h1 { font-size: 20pt; font-weight: bold; margin: 0 0 12pt 0; }
h2 { font-size: 14pt; font-weight: bold; margin: 16pt 0 6pt 0; }
h3 { font-size: 12pt; font-weight: bold; margin: 12pt 0 4pt 0; }
p, li { margin: 0 0 6pt 0; }
code { font-family: monospace; font-size: 10pt; }
pre { font-family: monospace; font-size: 9pt; line-height: 1.25; margin: 4pt 0 10pt 12pt; }
pre code { font-size: 9pt; }
table { margin: 4pt 0 10pt 0; }
th, td { padding: 2pt 10pt 2pt 0; text-align: left; }
"""

TocEntry = tuple[int, str, int]


def target_of(source: Path) -> Path:
    """Return the path of the PDF that belongs to a source: a chapter (`06-...`) or a homework (`hw3`, `hw3_sol`)."""
    if source.stem[0].isdigit():
        return COURSE / "textbook" / f"{source.stem}.pdf"
    return COURSE / "assignments" / source.stem.removesuffix("_sol") / f"{source.stem}.pdf"


def to_html(markdown: str) -> str:
    """Render Markdown as HTML in which every heading has an id."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(markdown)
    for number, token in enumerate(token for token in tokens if token.type == "heading_open"):
        token.attrSet("id", f"h{number}")
    return parser.renderer.render(tokens, parser.options, {})


def lay_out(html: str) -> tuple[bytes, list[TocEntry]]:
    """Set the HTML on pages; return the raw PDF and the outline."""
    stream = io.BytesIO()
    writer = pymupdf.DocumentWriter(stream)
    story = pymupdf.Story(html, user_css=CSS)
    toc: list[TocEntry] = []
    page_number, more = 0, True

    def record(position: object) -> None:
        if position.heading and position.open_close & 1:  # the beginning of a heading, not its end
            toc.append((position.heading, " ".join((position.text or "").split()), page_number))

    while more:
        page_number += 1
        if page_number > MAX_PAGES:
            raise RuntimeError(f"The text does not end after {MAX_PAGES} pages.")
        device = writer.begin_page(PAGE)
        more, _ = story.place(BODY)
        story.element_positions(record)
        story.draw(device)
        writer.end_page()
    writer.close()
    return stream.getvalue(), toc


def build(source: Path) -> pymupdf.Document:
    """Build one PDF in memory, with its header and footer lines, outline and metadata."""
    markdown = source.read_text(encoding="utf-8")
    raw, toc = lay_out(to_html(markdown))
    document = pymupdf.open("pdf", raw)
    title = toc[0][1]
    for number, page in enumerate(document, start=1):
        footer = f"{number}"
        width = pymupdf.get_text_length(footer, fontname="helv", fontsize=9)
        # overlay=False puts the header before the text, so that it is also read first.
        page.insert_text((BODY.x0, 46), f"{RUNNING_HEADER}  |  {title}", fontname="helv", fontsize=9, overlay=False)
        page.insert_text(((PAGE.width - width) / 2, PAGE.height - 40), footer, fontname="helv", fontsize=9)
    document.set_toc([list(entry) for entry in toc])
    document.set_metadata({"title": title, "author": AUTHOR, "subject": RUNNING_HEADER})
    return document


def content_of(document: pymupdf.Document) -> tuple[list[str], list[list]]:
    """Return what `--check` compares: the text of every page, and the outline."""
    return [page.get_text() for page in document], document.get_toc()


def is_current(source: Path) -> bool:
    """Say whether the PDF of a source exists and has the content that the source gives now."""
    target = target_of(source)
    if not target.is_file():
        return False
    with pymupdf.open(target) as present, build(source) as fresh:
        return content_of(present) == content_of(fresh)


def main() -> int:
    """Build all PDFs, or check them."""
    arguments = argparse.ArgumentParser(description="Build the PDFs of the sample course from their sources.")
    arguments.add_argument("--check", action="store_true", help="write nothing; exit 1 if a PDF is missing or outdated")
    check = arguments.parse_args().check
    outdated = 0
    for source in sorted((COURSE / "sources").glob("*.md")):
        name = target_of(source).relative_to(COURSE)
        if check:
            if not is_current(source):
                outdated += 1
                print(f"missing or outdated: {name}")
            continue
        target_of(source).parent.mkdir(parents=True, exist_ok=True)
        with build(source) as document:
            document.subset_fonts()
            document.save(target_of(source), garbage=4, deflate=True, no_new_id=True)
            print(f"{name}: {document.page_count} pages")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
