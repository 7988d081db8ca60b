"""Org mode, as Emacs writes it: as Markdown, without settings, comments, drawers and what is not exported."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import dedent

from core.errors import UnreadableDocument
from core.text.lines import with_line_feeds
from ingestion.document import LoadedDocument
from ingestion.loaders import markdown
from ingestion.loaders.decoding import title_from
from ingestion.loaders.front_matter import FrontMatter
from ingestion.loaders.tex import source as tex

_HEADING = re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?(\S.*|)")
_TAGS = re.compile(r"[ \t]+:([\w@#%:]+):[ \t]*$")
_TITLE = re.compile(r"^[ \t]*#\+title:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_BEGIN = re.compile(r"\s*#\+begin_(\w+)[ \t]*([\w.+-]*)", re.IGNORECASE)
_CAPTION = re.compile(r"\s*#\+caption(?:\[[^\]]*\])?:[ \t]*(.*)", re.IGNORECASE)
_SETTING = re.compile(r"\s*#(?:\+.*|\s.*)?")
"""A setting or a comment."""
_DRAWER = re.compile(r"\s*:(?!end:)[\w-]+:\s*", re.IGNORECASE)
_END = re.compile(r"\s*(?:#\+end_(\w+)|:end:\s*$)", re.IGNORECASE)
_DRAWER_KIND = ":end:"
_TABLE_RULE = re.compile(r"\s*\|-[-+|]*\s*")
_FIXED_WIDTH = re.compile(r"\s*: (.*)")
_LINK = re.compile(r"\[\[([^\[\]\n]*)\](?:\[([^\[\]\n]*)\])?\]")
_PICTURE = re.compile(r"\S+\.(?:png|svg|jpe?g|gif)", re.IGNORECASE)
_MARKED = re.compile(r"(?<![\w\\$^{/:|])([*/=~+])(?=\S)((?:(?!\1)[^\n$]){1,200}?)(?<=\S)\1(?![\w/])")
_MARKS = {"*": "**", "/": "*", "=": "`", "~": "`", "+": "~~"}
_NOT_EXPORTED = {"noexport", "ignore"}
_SOLUTION = re.compile(r"(?:solutions?|answers?)", re.IGNORECASE)
MAX_INDENT = 80
MAX_DEPTH = 6
"""Of blocks inside each other; deeper ones are text."""
_FOOTNOTE = re.compile(r"\[fn:[\w-]*\]")
_CODE = {"src", "example", "verbatim"}


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` where nothing is left to read."""
    titles: list[str] = []

    def body(header: FrontMatter) -> str:
        titles.extend(match[1].strip() for match in _TITLE.finditer(header.text))
        return as_markdown(header.text)

    document = markdown.load(name, data, body)
    return replace(document, title=title_from(name, titles[0], None)) if titles else document


def as_markdown(text: str, depth: int = 0) -> str:
    """The Markdown of a page, or of what stands in so many blocks; linear, never fails."""
    return "\n".join(_converted(with_line_feeds(text).split("\n"), depth))


def _converted(lines: Sequence[str], depth: int) -> Iterator[str]:
    ends = _ends_of_blocks(lines)
    number, hidden = 0, 0  # `hidden` is the level of the heading whose part is not exported.
    indent = 0  # Of a part's text, which may stand below its heading's words; to Markdown it would be code.
    while number < len(lines):
        line = lines[number]
        number += 1
        if heading := _HEADING.fullmatch(line):
            tags = _TAGS.search(heading[2])
            level, indent = len(heading[1]), MAX_INDENT
            if hidden and level > hidden:
                continue
            hidden = level if tags and _NOT_EXPORTED & {*tags[1].split(":")} else 0
            if not hidden:
                yield f"\n{'#' * min(level, 6)} {_inline(_TAGS.sub('', heading[2]))}\n"
        elif depth < MAX_DEPTH and (begin := _BEGIN.match(line)):
            end = _end(ends[begin[1].lower()], number)
            if not hidden:
                yield from _block(begin[1].lower(), begin[2], lines[number:end], depth + 1)
            number = end + 1
        elif line.lstrip().startswith("|"):
            end = next((n for n in range(number, len(lines)) if not lines[n].lstrip().startswith("|")), len(lines))
            if not hidden:
                yield from _table(lines[number - 1 : end])
            number = end
        elif _DRAWER.fullmatch(line):
            number = _end(ends[_DRAWER_KIND], number) + 1
        elif not hidden:
            if line.strip():
                indent = min(indent, len(line) - len(line.lstrip()))
            yield from _line(line[indent:] if line.strip() else "")


def _ends_of_blocks(lines: Sequence[str]) -> dict[str, list[int]]:
    """The lines that end blocks, by kind of block."""
    ends: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if match := _END.match(line):
            ends[(match[1] or _DRAWER_KIND).lower()].append(number)
    return ends


def _end(ends: Sequence[int], start: int) -> int:
    """The line that ends what begins above `start`; a block without an end is one line long."""
    at = bisect_left(ends, start)
    return ends[at] if at < len(ends) else start - 1


def _line(line: str) -> Iterator[str]:
    if fixed := _FIXED_WIDTH.fullmatch(line):
        yield f"    {fixed[1]}"
    elif caption := _CAPTION.fullmatch(line):
        yield _inline(caption[1])
    elif not _SETTING.fullmatch(line):
        yield _inline(line)


def _table(lines: Sequence[str]) -> Iterator[str]:
    """The first row as the header, as Markdown wants it; rules and rows without words are dropped."""
    rows = [_inline(line.strip()) for line in lines if not _TABLE_RULE.fullmatch(line) and line.strip(" |")]
    yield ""
    for at, row in enumerate(rows):
        yield row
        if at == 0:
            yield "|" + "---|" * (row.strip("|").count("|") + 1)
    yield ""


def _block(kind: str, language: str, inside: Sequence[str], depth: int) -> Iterator[str]:
    """A block by its kind; one for a paper in LaTeX is read as such, others for other formats are left out."""
    if kind in _CODE:
        yield from (f"```{language}", *dedent("\n".join(inside)).split("\n"), "```")
    elif kind == "export" or kind == "latex":
        if kind == "latex" or language.lower() == "latex":
            yield from _of_latex("\n".join(inside))
    elif _SOLUTION.fullmatch(kind):
        yield from ("", "::: {.solution}", *as_markdown(dedent("\n".join(inside)), depth).split("\n"), ":::", "")
    elif kind != "comment":
        yield from as_markdown(dedent("\n".join(inside)), depth).split("\n")


def _of_latex(text: str) -> Iterator[str]:
    try:
        yield from ("", *(line.text for line in tex.load("block.tex", text.encode()).lines), "")
    except UnreadableDocument:  # Commands alone.
        return


def _inline(text: str) -> str:
    text = _LINK.sub(_linked, _FOOTNOTE.sub("", text))
    return _MARKED.sub(lambda found: f"{_MARKS[found[1]]}{found[2]}{_MARKS[found[1]]}", text)


def _linked(found: re.Match[str]) -> str:
    """A link's words; its address if it has none, and nothing for a picture."""
    said = found[2] or found[1]
    return "" if _PICTURE.fullmatch(said) else said.removeprefix("file:").replace("_", r"\_")
