"""Markdown as HTML, without scripts, images and raw HTML; libraries are imported after the start, see `app.wiring`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from app.web.code import highlight
from app.web.formulas import mathml
from core.text.formulas import displayed_in, formula_at

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

_REFERENCE = re.compile(r"(?<!\w)\[(\d+)\]")
_LINK = r'<a class="ref" href="#citation-\1" aria-label="Source \1">[\1]</a>'
_ENDS_PARAGRAPHS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def markdown(text: str, *, with_references: bool = True) -> Markup:
    """The text as HTML without raw HTML and images; [n] links to citation n.

    A link counts only if it is one without mathematics, as answers are checked for links.
    """
    parser = _parser()
    env: EnvType = {"with_references": with_references}
    tokens = parser.parse(text, env)
    targets = set(_targets(tokens))
    if targets:
        _unlink(tokens, targets - set(_targets(_plain_parser().parse(text))))
    return Markup(parser.renderer.render(tokens, parser.options, env))  # noqa: S704  (everything is escaped)


def block_starts(text: str) -> list[int]:
    """The lines, from 0, on which the text's paragraphs, lists, tables and other blocks begin."""
    return [token.map[0] for token in _parser().parse(text) if token.level == 0 and token.nesting >= 0 and token.map]


def _targets(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "link_open":
            yield str(token.attrGet("href"))
        yield from _targets(token.children or ())


def _unlink(tokens: Sequence[Token], targets: set[str]) -> None:
    for token in tokens:
        if token.type == "link_open" and token.attrGet("href") in targets:
            del token.attrs["href"]
        _unlink(token.children or (), targets)


@cache
def _plain_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def parser_with_formulas() -> MarkdownIt:
    """A new parser with tokens `formula` and `formula_displayed`, not yet rendered."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.inline.ruler.before("escape", "formula", _inline_formula)
    parser.block.ruler.before("fence", "formula", _block_formula, _ENDS_PARAGRAPHS)
    return parser


@cache
def _parser() -> MarkdownIt:
    parser = parser_with_formulas()
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _inline_formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\" or (formula := formula_at(state.src, state.pos)) is None:
        return False
    if not silent:
        token = state.push("formula_displayed" if formula.is_displayed else "formula", "math", 0)
        token.content, token.markup = formula.tex, state.src[state.pos : formula.end]
    state.pos = formula.end
    return True


def _block_formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start) or (formula := displayed_in(_lines(state, start, end))) is None:
        return False
    tex, count = formula
    if not silent:
        token = state.push("formula_displayed", "math", 0)
        token.content, token.markup = tex, "\n".join(list(_lines(state, start, start + count)))
        token.map = [start, start + count]
        state.line = start + count
    return True


def _lines(state: StateBlock, start: int, end: int) -> Iterator[str]:
    """The lines from `start` on in the same block, without its marks."""
    for number in range(start, end):
        if state.sCount[number] < state.blkIndent and not state.isEmpty(number):
            return
        yield state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _text(_renderer: object, tokens: Sequence[Token], index: int, _options: object, env: EnvType) -> str:
    if not env["with_references"]:
        return str(escape(tokens[index].content))
    return _REFERENCE.sub(
        r'<a class="ref" href="#citation-\1" aria-label="Source \1">[\1]</a>', str(escape(tokens[index].content))
    )


def _link(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    tokens[index].attrSet("rel", "nofollow noopener noreferrer")
    return renderer.renderToken(tokens, index, options, env)


def _code(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    token = tokens[index]
    return highlight(token.content, token.info.strip().partition(" ")[0].strip("{.}"))


def _formula(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    token = tokens[index]
    return mathml(token.content, is_displayed=False) or f"<code>{escape(token.markup)}</code>"


def _formula_block(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    token = tokens[index]
    html = mathml(token.content, is_displayed=True) or f"<code>{escape(token.markup)}</code>"
    return f'<span class="formula">{html}</span>'


def _table(_renderer: object, _tokens: object, _index: int, _options: object, _env: object) -> str:
    return '<div class="scroll"><table>\n'


def _end_of_table(_renderer: object, _tokens: object, _index: int, _options: object, _env: object) -> str:
    return "</table></div>\n"


def _cell(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Alignment becomes a class: pages allow no style attributes."""
    token = tokens[index]
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrSet("class", style.removeprefix("text-align:"))
    return renderer.renderToken(tokens, index, options, env)


_RULES: dict[str, Any] = {
    "text": _text,
    "link_open": _link,
    "fence": _code,
    "formula": _formula,
    "formula_displayed": _formula_block,
    "table_open": _table,
    "table_close": _end_of_table,
    "th_open": _cell,
    "td_open": _cell,
}
