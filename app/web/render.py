"""Templates to HTML. Everything is escaped; Markdown of answers is rendered with raw HTML switched off."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup


def render(template: str, **values: Any) -> str:
    """A template as HTML, its values escaped."""
    return _environment().get_template(template).render(**values)


def markdown(text: str) -> Markup:
    """An answer's Markdown as HTML: no raw HTML, no images, links marked as not followed; [n] links to citation n."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    rendered = parser.render(text).replace("<a href=", '<a rel="nofollow noopener noreferrer" href=')
    return Markup(re.sub(r"\[(\d+)\]", r'<a class="ref" href="#citation-\1">[\1]</a>', rendered))  # noqa: S704


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("app.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["markdown"] = markdown
    return environment
