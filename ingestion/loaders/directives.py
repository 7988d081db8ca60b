"""Directives and roles of MyST and Quarto, reduced to what readers see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.text.fences import is_fence
from ingestion.document import LineKind
from ingestion.loaders.staff_blocks import Planned

_PROSE = frozenset(
    """
    note warning tip admonition important caution hint seealso attention danger error dropdown margin sidebar topic
    epigraph pull-quote highlights aside exercise definition theorem lemma corollary proposition example remark
    observation property conjecture axiom criterion assumption algorithm proof glossary card grid grid-item tab-set
    tab-item tab-set-item figure table list-table solution div versionadded versionchanged deprecated
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)
_NO_TEXT = frozenset(("toctree", "tableofcontents", "contents", "image", "include", "bibliography", "index", "mermaid"))
_INFO = re.compile(r"^\s*\{(?P<name>[A-Za-z][\w.:-]*)(?P<options>[^{}]*)\}\s*(?P<title>.*)$")
_OPTION = re.compile(r"^\s*(?:#\|\s?|:[\w.-]+:(?:\s|$))")
_DIVISION = re.compile(r"^\s*:{3,}\s*(?P<name>\{[^{}]*\}|[A-Za-z][\w.-]*(?=\s*:*$))?\s*(?P<title>.*?)\s*:*\s*$")
_UNSEEN = re.compile(r"^\s*(?:\([\w:.-]+\)=|\+\+\+(?:\s*\{.*\})?)\s*$")
"""A target of links ("(ch:joins)="), and what parts the cells of a MyST notebook ("+++")."""
_ROLE = re.compile(r"\{(?P<name>[a-z][\w:-]{0,30})\}`(?P<text>[^`\n]{1,300})`")
_LINK_TARGET = re.compile(r"\s*<[^<>]*>$")
_CODE_ROLES = frozenset(("code", "kbd", "command", "file", "program", "samp", "option", "envvar", "py", "func", "meth"))


def directive_lines(info: str, body: Sequence[str]) -> list[Planned] | None:
    """The lines of a fenced directive that holds prose, or nothing; None for a block of code."""
    match = _INFO.match(info)
    name = match["name"].rpartition(":")[2].casefold() if match else ""
    if match is None or name not in _PROSE | _NO_TEXT:
        return None
    # What stands behind the name of a figure is its file.
    title = match["title"] if name not in ("figure", "table") else ""
    return [] if name in _NO_TEXT else [*([Planned(title)] if title else []), *_prose(without_options(body))]


def without_options(body: Sequence[str]) -> Sequence[str]:
    """The lines behind the options of a directive or cell (":tags: [hide]", "#| echo: false")."""
    start = 0
    if body and body[0].strip() == "---":
        end = next((n for n, line in enumerate(body[1:], 1) if line.strip() == "---"), -1)
        start = end + 1
    while start < len(body) and _OPTION.match(body[start]):
        start += 1
    return body[start:]


def is_cell(info: str) -> bool:
    """Whether a block is a cell, whose first lines may be options: "{python}", "{code-cell} ipython"."""
    return bool(_INFO.match(info))


def _prose(body: Sequence[str]) -> Iterator[Planned]:
    is_code = False
    for line in body:
        if is_fence(line):
            is_code = not is_code
        else:
            yield Planned(line, LineKind.CODE if is_code else LineKind.PROSE)


def without_marks(lines: Sequence[Planned]) -> Iterator[Planned]:
    """The lines without division marks, options, targets and cell marks; titles and unclosed solutions' marks stay."""
    in_options = False
    for line in lines:
        if line.kind is not LineKind.PROSE:
            yield line
            continue
        is_mark = line.text.lstrip().startswith(":::") and (line.closed or not line.solution)
        match = _DIVISION.match(line.text) if is_mark else None
        if match or (in_options and _OPTION.match(line.text)) or _UNSEEN.match(line.text):
            in_options = bool(match) or in_options
            if match and match["title"]:
                yield replace(line, text=match["title"])
        else:
            in_options = False
            yield line


def without_roles(text: str) -> str:
    """The text with roles as their words: "{ref}`joins <ch:joins>`" is "joins", and "{math}`x^2`" is "$x^2$"."""
    return _ROLE.sub(_role_text, text) if "}`" in text else text


def _role_text(match: re.Match[str]) -> str:
    name, text = match["name"].rpartition(":")[2], match["text"]
    if name == "math":
        return f"${text}$"
    return f"`{text}`" if name in _CODE_ROLES else _LINK_TARGET.sub("", text)
