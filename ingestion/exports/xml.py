"""XML of exports, read without entities, networks or names of namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from core.errors import UnreadableDocument

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_XML_BYTES = 64 * 2**20


def read_xml(path: Path) -> _Element:
    """The root of a file, its tags without namespaces. Raises `UnreadableDocument`."""
    from lxml import etree

    if path.stat().st_size > MAX_XML_BYTES:
        raise UnreadableDocument(f"{path.name} has more than {MAX_XML_BYTES // 2**20} MiB of XML. Split the export.")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.parse(str(path), parser).getroot()
    except (etree.XMLSyntaxError, OSError) as error:
        raise UnreadableDocument(f"{path.name}: no XML that can be read ({error}). Export the course again.") from error
    if root is None:
        raise UnreadableDocument(f"{path.name}: no XML that can be read. Export the course again.")
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return root


def text_of(element: _Element | None, path: str = ".") -> str:
    """The text of the first element on a path; empty without one."""
    found = None if element is None else element.find(path)
    return "" if found is None else "".join(str(part) for part in found.itertext()).strip()


def children(element: _Element | None, path: str) -> Iterator[_Element]:
    """The elements on a path; none of no element."""
    if element is not None:
        yield from element.iterfind(path)


def moment_of(text: str, zone: tzinfo) -> datetime | None:
    """A time of an export (ISO 8601 in UTC, or seconds since 1970) in the course's zone; None where there is none."""
    try:
        if text.isdigit():
            return datetime.fromtimestamp(int(text), zone) if int(text) else None
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(zone)


def zone_of(name: str) -> tzinfo:
    """The zone of that name, else UTC."""
    try:
        return ZoneInfo(name) if name else UTC
    except (ValueError, KeyError, OSError):
        return UTC
