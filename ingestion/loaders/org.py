"""Org mode, as Emacs writes it: as Markdown, without settings, comments, drawers and what is not exported."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from core.errors import UnreadableDocument
from core.text.lines import with_line_feeds
from ingestion.document import LoadedDocument
from ingestion.loaders import markdown
from ingestion.loaders.decoding import title_from
from ingestion.loaders.front_matter import FrontMatter
from ingestion.loaders.staff_elements import block_says_solution
from ingestion.loaders.tex import source as tex
from ingestion.naming.names import says_solution, says_staff

_HEADING = re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?(COMMENT\b)?[ \t]*(\S.*|)")
_TAGS = re.compile(r":(?:[\w@#%]+:)+")
_TITLE = re.compile(r"^[ \t]*#\+title:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_EXCLUDED = re.compile(r"^[ \t]*#\+exclude_tags:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_FILE_TAGS = re.compile(r"^[ \t]*#\+filetags:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_BEGIN = re.compile(r"\s*#\+begin_(\w+)[ \t]*([\w.+-]*)(.*)", re.IGNORECASE)
_EXPORTS = re.compile(r":exports[ \t]+(\w+)", re.IGNORECASE)
_RESULTS = re.compile(r"\s*#\+results\b", re.IGNORECASE)
_CAPTION = re.compile(r"\s*#\+caption(?:\[[^\]]*\])?:[ \t]*(.*)", re.IGNORECASE)
_SETTING = re.compile(r"\s*#(?:\+.*|\s.*)?")
"""A setting or a comment."""
_DRAWER = re.compile(r"\s*:(?!end:)[\w-]+:\s*", re.IGNORECASE)
_END = re.compile(r"\s*(?:#\+end_(\w+)|:end:\s*$)", re.IGNORECASE)
_DRAWER_KIND = ":end:"
_TABLE_RULE = re.compile(r"\s*\|-[-+|]*\s*")
_FIXED_WIDTH = re.compile(r"\s*:(?: (.*))?")
_LINK = re.compile(r"\[\[([^\[\]\n]*)\](?:\[([^\[\]\n]*)\])?\]")
_REMARK = re.compile(r"@@comment:[^@\n]*@@", re.IGNORECASE)
_PICTURE = re.compile(r"\S+\.(?:png|svg|jpe?g|gif)", re.IGNORECASE)
_MARKED = re.compile(r"(?<![\w\\$^{/:|])([*/=~+])(?=\S)((?:(?!\1)[^\n$]){1,200}?)(?<=\S)\1(?![\w/])")
_MARKS = {"*": "**", "/": "*", "=": "`", "~": "`", "+": "~~"}
_FOOTNOTE = re.compile(r"\[fn:[\w-]*\]")
_MARKDOWN_FENCE = re.compile(r"(\s*)(```|~~~|:::)")
_BACKTICKS = re.compile(r"`{3,}")
_NOT_EXPORTED = {"noexport", "archive", "private"}
_CODE = {"src", "example", "verbatim"}
MAX_INDENT = 80
MAX_DEPTH = 6
"""Of blocks inside each other; what stands deeper is left out."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` where nothing is left to read."""
    titles: list[str] = []

    def body(header: FrontMatter) -> str:
        titles.extend(match[1].strip() for match in _TITLE.finditer(header.text))
        return as_markdown(header.text)

    document = markdown.load(name, data, body)
    return replace(document, title=title_from(name, titles[0], None)) if titles else document


def as_markdown(text: str) -> str:
    """The Markdown of a page; linear, never fails."""
    text = with_line_feeds(text)
    excluded = {tag.lower() for match in _EXCLUDED.finditer(text) for tag in match[1].split()}
    tags = [tag for match in _FILE_TAGS.finditer(text) for tag in match[1].strip().strip(":").split(":")]
    writer = _Writer(frozenset(excluded))
    return "" if writer.hides(tags) else "\n".join(writer.lines(text.split("\n")))


@dataclass(frozen=True)
class _Writer:
    """Writes Markdown. `excluded` are tags whose parts are not exported; `depth` counts blocks around the lines."""

    excluded: frozenset[str]
    depth: int = 0
    is_solution: bool = False

    def hides(self, tags: Iterable[str]) -> bool:
        """Whether a part with these tags is not for readers."""
        return any(tag.lower() in _NOT_EXPORTED | self.excluded or _is_for_staff(tag) for tag in tags)

    def lines(self, lines: Sequence[str]) -> Iterator[str]:
        if self.depth > MAX_DEPTH:
            return
        ends = _ends_of_blocks(lines)
        number, hidden = 0, 0  # `hidden` is the level of the heading whose part is not exported.
        indent = 0  # Of a part's text, which may stand below its heading's words; to Markdown it would be code.
        shows_results = True
        while number < len(lines):
            line = lines[number]
            number += 1
            if heading := _HEADING.fullmatch(line):
                level, indent = len(heading[1]), MAX_INDENT
                if hidden and level > hidden:
                    continue
                words, tags = _words_and_tags(heading[3])
                hidden = level if heading[2] or self.hides(tags) else 0
                if not hidden and "ignore" not in tags:
                    yield f"\n{'#' * min(level, 6)} {_inline(words)}\n"
            elif begin := _BEGIN.match(line):
                kind, exports = begin[1].lower(), _EXPORTS.search(begin[3])
                end = _end(ends, kind, number)
                if kind == "src":
                    shows_results = exports is None or exports[1].lower() not in ("code", "none")
                is_shown = exports is None or exports[1].lower() not in ("none", "results")
                if not hidden and is_shown and end > number:
                    yield from self._block(kind, begin[2], lines[number:end])
                number = end + 1
            elif line.lstrip().startswith("|"):
                end = next((n for n in range(number, len(lines)) if not lines[n].lstrip().startswith("|")), len(lines))
                if not hidden:
                    yield from _table(lines[number - 1 : end])
                number = end
            elif _RESULTS.match(line):
                number = number if shows_results else _end_of_results(lines, number, ends)
            elif _DRAWER.fullmatch(line):
                number = _end(ends, _DRAWER_KIND, number) + 1
            elif not hidden:
                if line.strip():
                    indent = min(indent, len(line) - len(line.lstrip()))
                yield from _line(line[indent:] if line.strip() else "")

    def _block(self, kind: str, language: str, inside: Sequence[str]) -> Iterator[str]:
        """A block by its kind; one for a paper in LaTeX is read as such, others for other formats are left out."""
        plain = dedent("\n".join(inside)).split("\n")
        inner = replace(self, depth=self.depth + 1)
        if kind in _CODE:
            fence = "`" * max(3, *(len(run) + 1 for run in _BACKTICKS.findall("\n".join(inside))), 3)
            yield from (f"{fence}{language}", *plain, fence)
        elif kind in ("export", "latex"):
            if kind == "latex" or language.lower() == "latex":
                yield from _of_latex("\n".join(inside))
        elif _is_for_staff(kind) and not self.is_solution:
            yield from ("", "::: {.solution}", *replace(inner, is_solution=True).lines(plain), ":::", "")
        elif kind != "comment":
            yield from inner.lines(plain)


def _is_for_staff(name: str) -> bool:
    return says_solution(name) or says_staff(name) or block_says_solution(f"{{{name}}}")


def _words_and_tags(text: str) -> tuple[str, list[str]]:
    """A heading's words, and the tags at its end: "Rates :tasks:"."""
    words, space, last = text.rstrip().rpartition(" ")
    if not _TAGS.fullmatch(last.strip()):
        return text, []
    return words if space else "", last.strip().strip(":").lower().split(":")


def _ends_of_blocks(lines: Sequence[str]) -> dict[str, list[int]]:
    """The lines that end blocks, by kind of block, and those of headings by `*`."""
    ends: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if match := _END.match(line):
            ends[(match[1] or _DRAWER_KIND).lower()].append(number)
        elif _HEADING.fullmatch(line):
            ends["*"].append(number)
    return ends


def _end(ends: Mapping[str, list[int]], kind: str, start: int) -> int:
    """The line that ends what begins above `start`; a block without an end before the next heading is one line long.

    In code a line may look like a heading.
    """
    end, heading = (_next(found, start) for found in (ends.get(kind, ()), ends.get("*", ())))
    is_open = end is None or (kind not in _CODE and heading is not None and heading < end)
    return start - 1 if is_open or end is None else end


def _next(numbers: Sequence[int], start: int) -> int | None:
    at = bisect_left(numbers, start)
    return numbers[at] if at < len(numbers) else None


def _end_of_results(lines: Sequence[str], start: int, ends: Mapping[str, list[int]]) -> int:
    """The line behind what a program printed: a block, a drawer, a table, or lines behind colons."""
    if start < len(lines) and (begin := _BEGIN.match(lines[start])):
        return _end(ends, begin[1].lower(), start + 1) + 1
    printed = (number for number in range(start, len(lines)) if not lines[number].lstrip().startswith((":", "|")))
    return next(printed, len(lines))


def _line(line: str) -> Iterator[str]:
    if fixed := _FIXED_WIDTH.fullmatch(line):
        yield f"    {fixed[1] or ''}"
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


def _of_latex(text: str) -> Iterator[str]:
    try:
        lines = tex.load("block.tex", text.encode()).lines
        yield from ("", *(line.text for line in lines if not (line.solution or line.staff)), "")
    except UnreadableDocument:  # Commands alone.
        return


def _inline(text: str) -> str:
    text = _LINK.sub(_linked, _FOOTNOTE.sub("", _REMARK.sub("", text)))
    text = _MARKDOWN_FENCE.sub(r"\1\\\2", text, count=1) if _MARKDOWN_FENCE.match(text) else text
    return _MARKED.sub(lambda found: f"{_MARKS[found[1]]}{found[2]}{_MARKS[found[1]]}", text)


def _linked(found: re.Match[str]) -> str:
    """A link's words; its address if it has none, and nothing for a picture."""
    said = found[2] or found[1]
    return "" if _PICTURE.fullmatch(said) else said.removeprefix("file:").replace("_", r"\_")
