"""A forum message's body as plain text, whatever it was written in."""

from __future__ import annotations

from core.text.lines import tidy_text, with_line_feeds
from core.types import BodyFormat


def plain(body: str, body_format: BodyFormat) -> str:
    """The words of a body without markup, code included; may be empty. Never fails."""
    if body_format is BodyFormat.TEXT:
        return tidy_text(body)
    if body_format is BodyFormat.HTML:
        from core.text.html import html_text  # as every loader, imported for its own format alone

        return html_text(body)
    from ingestion.loaders import markdown

    return "\n".join(line.text for line in markdown.read_lines(with_line_feeds(body)))
