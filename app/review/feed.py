"""Atom feeds (RFC 4287), such as that of the drafts that wait, without a word of their students."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from core.store.pages import ListedDraft
from core.store.tables import now

ATOM = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"
ENTRIES = 50
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 may have."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry; `address` is its id and leads to its page, `text` is plain."""

    address: str
    title: str
    updated: datetime
    text: str


def atom(drafts: tuple[ListedDraft, ...], address: str, title: str) -> str:
    """The feed of drafts. `address` is that of the service, without a slash at its end."""
    return feed(f"{address}/review", title, [_entry_of(draft, f"{address}/review/{draft.id}") for draft in drafts])


def feed(address: str, title: str, entries: Sequence[FeedEntry]) -> str:
    """A feed that is the page at `address` in short."""
    root = Element("feed", xmlns=ATOM)
    _text(root, "id", address)
    _text(root, "title", title)
    _text(root, "updated", max((entry.updated for entry in entries), default=now()).isoformat())
    SubElement(root, "link", href=address)
    for entry in entries:
        _add(root, entry)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode")


def _entry_of(draft: ListedDraft, address: str) -> FeedEntry:
    confidence = "no answer" if draft.confidence is None else f"confidence {draft.confidence:.2f}"
    what = ", ".join(part for part in (draft.category, (draft.kind or "").replace("_", " "), confidence) if part)
    return FeedEntry(address, f"{draft.course_id}: {what}", draft.created_at, "A draft waits for a decision.")


def _add(root: Element, entry: FeedEntry) -> None:
    element = SubElement(root, "entry")
    _text(element, "id", entry.address)
    _text(element, "title", entry.title)
    _text(element, "updated", entry.updated.isoformat())
    SubElement(element, "link", href=entry.address)
    SubElement(SubElement(element, "author"), "name").text = "EduMod"
    _text(element, "summary", entry.text)


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _NOT_XML.sub(" ", text)
