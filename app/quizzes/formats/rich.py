"""Markdown as simple HTML without links, images, classes and scripts; formulas for MathJax."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from app.web.markdown import parser_with_formulas

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_TAG = re.compile(r"(<[^>]*>)")


def html_of(text: str) -> str:
    """The text as HTML on one line."""
    return " ".join(_parser().render(text).split())


def in_entities(line: str) -> str:
    """The same HTML with every character of its texts that could mean something as an entity."""
    parts = _TAG.split(line)
    return "".join(part if part.startswith("<") else _encode(html.unescape(part)) for part in parts)


def _encode(text: str) -> str:
    return "".join(one if one.isalnum() or one == " " else f"&#{ord(one)};" for one in text)


@cache
def _parser() -> MarkdownIt:
    parser = parser_with_formulas().disable(["link", "autolink", "reference"])
    parser.add_render_rule("formula", _formula)
    parser.add_render_rule("formula_displayed", _formula_block)
    for name in ("fence", "code_block"):
        parser.add_render_rule(name, _code)
    return parser


def _formula(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    return f"\\({html.escape(tokens[index].content)}\\)"


def _formula_block(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    return f"\\[{html.escape(tokens[index].content)}\\]"


def _code(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    code = html.escape(tokens[index].content.rstrip())
    return f"<pre>{code.replace('  ', '&nbsp; ').replace(chr(10), '<br>')}</pre>"
