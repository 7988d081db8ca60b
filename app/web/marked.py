"""The course's own words as HTML, with a quotation marked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from app.web.markdown import markdown
from safeguards.quotes import find_quote

_BEGIN, _END = "\ue000", "\ue001"
"""Private characters around the quotation, which no parser gives a meaning."""
_MARKUP = re.compile(r"^[\s>#*+\-|]*(?:\d+[.)]\s+)?")
"""What makes a line a heading, an item or a row, where it stands at its beginning."""
_TAG = re.compile(r"(<[^>]*>)")
_CONTEXT_CHARS = 400
"""Of the text before and after a quotation that is shown with it."""


def mark_quote(text: str, quote: str = "") -> Markup:
    """The text as HTML; the words of the quote in `<mark>`, if the text has them."""
    text = text.replace(_BEGIN, "").replace(_END, "")
    quotation = find_quote(quote, text) if quote else None
    if not quotation:
        return markdown(text, with_references=False)
    start = text.index(quotation)
    start += len((_MARKUP.match(quotation) or [""])[0]) if start == 0 or text[start - 1] == "\n" else 0
    end = text.index(quotation) + len(quotation)
    shown = str(markdown(f"{text[:start]}{_BEGIN}{text[start:end]}{_END}{text[end:]}", with_references=False))
    before, begin, rest = shown.partition(_BEGIN)
    inside, finish, after = rest.partition(_END)
    if not (begin and finish):  # Within a formula or an address, whose characters are not text.
        return markdown(text, with_references=False)
    return Markup(before + "".join(_in_marks(inside)) + after)  # noqa: S704  (made of escaped HTML)


def _in_marks(html: str) -> Iterator[str]:
    """A mark around each text: a quotation may span elements."""
    for part in _TAG.split(html):
        yield f"<mark>{part}</mark>" if part.strip() and not part.startswith("<") else part


def excerpt(text: str, quote: str) -> str:
    """The paragraphs around the quote; the beginning without one."""
    quotation = find_quote(quote, text) if quote else None
    start = text.index(quotation) if quotation else 0
    end = start + len(quotation or "")
    first = text.rfind("\n\n", 0, max(0, start - _CONTEXT_CHARS))
    last = text.find("\n\n", end + _CONTEXT_CHARS)
    shown = text[first + 2 if first >= 0 else 0 : last if last >= 0 else len(text)].strip()
    return ("… " if first >= 0 else "") + shown + (" …" if last >= 0 else "")
