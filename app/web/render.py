"""Renders templates to HTML. Everything is escaped; Markdown of answers is rendered with raw HTML switched off.

The libraries are imported after the start, see `app.wiring`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from app.edge.headers import nonce
from app.features import FEATURES
from app.traces import duration

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict


def render(template: str, **values: Any) -> str:
    """A template as HTML, its values escaped."""
    return _environment().get_template(template).render(**values)


def markdown(text: str) -> Markup:
    """An answer's Markdown as HTML: no raw HTML, no images, links with `nofollow`; [n] links to citation n."""
    return Markup(_parser().render(text))  # noqa: S704  (the parser escapes everything)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.add_render_rule("text", _text)
    parser.add_render_rule("link_open", _link)
    return parser


def _text(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    """Prose with linked references; code and attributes are other tokens."""
    return re.sub(
        r"(?<!\w)\[(\d+)\]", r'<a class="ref" href="#citation-\1">[\1]</a>', str(escape(tokens[index].content))
    )


def _link(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    tokens[index].attrSet("rel", "nofollow noopener noreferrer")
    return renderer.renderToken(tokens, index, options, env)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("app.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"nonce": nonce, "links": [link for feature in FEATURES for link in feature.navigation]}
    environment.filters |= {"markdown": markdown, "duration": duration}
    return environment
