"""A forum message's body as plain text, whatever it was written in."""

from __future__ import annotations

from core.types import BodyFormat
from ingestion.loaders.decoding import tidy, with_line_feeds


def plain(body: str, body_format: BodyFormat) -> str:
    """The words of a body without markup, code included; may be empty. Never fails."""
    text = with_line_feeds(body)
    if body_format is BodyFormat.TEXT:
        return "\n".join(tidy(line) for line in text.split("\n")).strip()
    if body_format is BodyFormat.HTML:
        from ingestion.loaders import html  # as every loader, imported for its own format alone

        return "\n".join(line.text for line in html.read_lines(text))
    from ingestion.loaders import markdown

    return "\n".join(line.text for line in markdown.read_lines(text))
