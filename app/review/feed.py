"""An Atom feed of the drafts that wait (RFC 4287), without a word of their students."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from core.store.pages import ListedDraft
from core.store.tables import now

ATOM = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"
ENTRIES = 50


def atom(drafts: tuple[ListedDraft, ...], address: str, title: str) -> str:
    """The feed. `address` is that of the service, without a slash at its end."""
    feed = Element("feed", xmlns=ATOM)
    _text(feed, "id", f"{address}/review")
    _text(feed, "title", title)
    _text(feed, "updated", max((one.created_at for one in drafts), default=now()).isoformat())
    SubElement(feed, "link", href=f"{address}/review")
    for draft in drafts:
        _entry(feed, draft, f"{address}/review/{draft.id}")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(feed, encoding="unicode")


def _entry(feed: Element, draft: ListedDraft, address: str) -> None:
    entry = SubElement(feed, "entry")
    confidence = "no answer" if draft.confidence is None else f"confidence {draft.confidence:.2f}"
    what = ", ".join(one for one in (draft.category, (draft.kind or "").replace("_", " "), confidence) if one)
    _text(entry, "id", address)
    _text(entry, "title", f"{draft.course_id}: {what}")
    _text(entry, "updated", draft.created_at.isoformat())
    SubElement(entry, "link", href=address)
    SubElement(SubElement(entry, "author"), "name").text = "EduMod"
    _text(entry, "summary", "A draft waits for a decision.")


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = text
