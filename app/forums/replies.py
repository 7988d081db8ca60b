"""What adapters read in replies, and how they write Markdown in the markup of their forum."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from app.forums.shape import Unsure

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_PICTURE = re.compile(r'<img\b[^>]*?\bsrc="([^"]+)"[^>]*>')
_EMOJI = 'class="emoji'


def pictures_in(html: str, base: str) -> tuple[str, ...]:
    """Addresses of the pictures in a post, without emoji."""
    return tuple(urljoin(base, match[1]) for match in _PICTURE.finditer(html) if _EMOJI not in match[0])


def moment(text: Any) -> datetime | None:
    """A moment of the forum's JSON; None where it is none."""
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def behind(moment: str) -> str:
    """A cursor just behind a moment in ISO 8601: a first poll ends there, for what is older is not answered."""
    return f"{moment}~" if moment else ""


def member(reply: Any, name: str, kind: type = dict) -> Any:
    """A member of a reply. Raises `Unsure` where it is not there."""
    value = reply.get(name) if isinstance(reply, dict) else None
    if not isinstance(value, kind):
        raise Unsure(f"The forum's reply has no {name}.")
    return value


def html_of(markdown: str) -> str:
    """Markdown as HTML, in which HTML of the text itself is shown as text, and which has no pictures."""
    return str(_parser().render(markdown))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # It is needed when something is posted.

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
