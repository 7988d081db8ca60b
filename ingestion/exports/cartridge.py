"""Common Cartridge (`.imscc`), and what Canvas adds to it: publication, dates and announcements.

Sources: IMS Common Cartridge 1.1-1.3 (manifest, web links, discussion topics, QTI 1.2) and cartridges that Canvas made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cached_property
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from core.errors import UnreadableDocument
from core.types import Source
from ingestion.exports.folder import CourseFolder, WorkDates, page
from ingestion.exports.quizzes import qti_page
from ingestion.exports.xml import children, moment_of, read_xml, text_of, zone_of
from ingestion.kinds import source_by_name
from ingestion.loaders import SUFFIXES

if TYPE_CHECKING:
    from lxml.etree import _Element

MANIFEST = "imsmanifest.xml"
PAGES = (".html", ".htm")
_HIDDEN = ("unpublished", "deleted", "post_delayed")
_WEB_RESOURCES = "web_resources"


@dataclass(frozen=True)
class Resource:
    """An entry of the manifest: its kind, and its files within the cartridge."""

    id: str
    kind: str
    href: str
    files: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Other resources that belong to it."""
    for_staff: bool = False
    """Whether the manifest says it is for instructors."""


@dataclass(frozen=True)
class ModulePlace:
    """Where a resource stands in the course: its module's folder, its number and title there."""

    folder: str
    number: int
    title: str
    hidden: bool = False
    released: datetime | None = None


@dataclass
class Cartridge:
    """Reads the unpacked cartridge below `raw` into the folder of a course."""

    raw: Path
    course: CourseFolder
    _done: set[str] = field(default_factory=set)
    """Files that are no documents of their own any more."""

    def read(self) -> None:
        """Raises `UnreadableDocument` for a manifest that cannot be read."""
        self.course.title = text_of(self._settings, "title") or text_of(self._manifest, "metadata/lom/general/title")
        resources = self._resources
        for resource in sorted(resources.values(), key=lambda r: self._order(r.id)):
            self._read(resource)
        self._read_syllabus()
        self.course.finish()

    def _read(self, resource: Resource) -> None:
        kind = resource.kind.lower()
        if "imsqti" in kind or "assessment" in kind:
            self._read_quiz(resource)
        elif "imsdt" in kind:
            self._read_topic(resource)
        elif "imswl" in kind or "imsbasiclti" in kind:
            self.course.skip(self._title(resource), "a link to another site, which is not fetched")
        elif kind.startswith("assignment"):
            self._read_assignment(resource, self._first_xml(resource))
        elif self._path(f"{resource.id}/assignment_settings.xml"):
            self._read_assignment(resource, self._path(f"{resource.id}/assignment_settings.xml"))
        elif not self._is_meta(resource):
            self._read_files(resource)

    def _read_files(self, resource: Resource) -> None:
        place = self._places.get(resource.id)
        is_hidden = resource.for_staff or bool(place and place.hidden)
        released = place.released if place else None
        for name in resource.files or (resource.href,):
            file = self._path(name)
            if file is None or name in self._done or self._is_media(file, name):
                continue
            self._done.add(name)
            inner = name.removeprefix(f"{_WEB_RESOURCES}/").removeprefix("wiki_content/")
            source = source_by_name(inner)
            staff = is_hidden or self._is_unpublished(file) or name in self._hidden_files
            is_page = name.startswith("wiki_content/")
            if place and (is_page or source is Source.TEXTBOOK):
                own = f"{place.title}{file.suffix}" if is_page else file.name
                inner = f"{place.folder}/{place.number:02d} {own}"
            self.course.copy(source, inner, file, staff=staff, released=released)

    def _is_media(self, file: Path, name: str) -> bool:
        if file.suffix.lower() in SUFFIXES:
            return False
        self.course.skip(name, f"format {file.suffix or '(none)'} is not supported")
        return True

    def _read_assignment(self, resource: Resource, settings: Path | None) -> None:
        meta = read_xml(settings) if settings else None
        title = text_of(meta, "title") or self._title(resource)
        page_file = next((file for file in self._files(resource) if file.suffix.lower() in PAGES), None)
        body = page_file.read_text("utf-8", "replace") if page_file else text_of(meta, "text")
        released, due, points = self._dates(meta)
        staff = resource.for_staff or text_of(meta, "workflow_state") in _HIDDEN or self._hidden_place(resource)
        if not staff:
            self.course.works.append(WorkDates(title, released, due, points))
        lines = [
            f"{label} {value}"
            for label, value in (("Due:", due and f"{due:%Y-%m-%d %H:%M}"), ("Points:", points))
            if value
        ]
        text = page(title, _body_of(body), lines)
        place = self._places.get(resource.id)
        moments = [moment for moment in (released, place.released if place else None) if moment]
        released = max(moments, default=None)
        self.course.write(Source.ASSIGNMENT, f"{title}.html", text, staff=staff, released=released)

    def _read_quiz(self, resource: Resource) -> None:
        """The questions with their key: for staff, whatever the quiz was."""
        meta_file = self._path(f"{resource.id}/assessment_meta.xml")
        meta = read_xml(meta_file) if meta_file else None
        own = self._path(f"non_cc_assessments/{resource.id}.xml.qti") or self._first_xml(resource)
        if own is None:
            return
        title = text_of(meta, "title") or self._title(resource)
        released, due, points = self._dates(meta)
        if meta is not None and text_of(meta, ".//workflow_state") not in _HIDDEN:
            self.course.works.append(WorkDates(title, released, due, points))
        if text := qti_page(title, read_xml(own)):
            self.course.write(Source.ASSIGNMENT, f"quizzes/{title}.html", text, staff=True)
        else:
            self.course.skip(title, "a quiz without questions")

    def _read_topic(self, resource: Resource) -> None:
        """An announcement, or the text that a discussion begins with."""
        file = self._first_xml(resource)
        if file is None:
            return
        topic = read_xml(file)
        meta = next((root for need in resource.needs if (root := self._topic_meta(need)) is not None), None)
        title = text_of(topic, "title") or self._title(resource)
        posted = moment_of(text_of(meta, "posted_at") or text_of(meta, "delayed_post_at"), self._zone)
        is_later = text_of(meta, "workflow_state") in _HIDDEN
        staff = resource.for_staff or is_later or self._hidden_place(resource)
        lines = [f"Announced on {posted:%Y-%m-%d}."] if posted and text_of(meta, "type") == "announcement" else []
        folder = "announcements" if text_of(meta, "type") == "announcement" else "discussions"
        text = page(title, _body_of(text_of(topic, "text")), lines)
        self.course.write(Source.LOGISTICS, f"{folder}/{title}.html", text, staff=staff)

    def _topic_meta(self, resource_id: str) -> _Element | None:
        resource = self._resources.get(resource_id)
        file = self._first_xml(resource) if resource else None
        root = read_xml(file) if file else None
        return root if root is not None and root.tag == "topicMeta" else None

    def _read_syllabus(self) -> None:
        if file := self._path("course_settings/syllabus.html"):
            text = page("Syllabus", _body_of(file.read_text("utf-8", "replace")))
            self.course.write(Source.LOGISTICS, "syllabus.html", text)

    def _dates(self, meta: _Element | None) -> tuple[datetime | None, datetime | None, str]:
        """When a work is shown to students, when it is due, and its points."""
        released, due = (moment_of(text_of(meta, path), self._zone) for path in (".//unlock_at", ".//due_at"))
        points = text_of(meta, "points_possible").removesuffix(".0")
        return released, due, points

    # The manifest and what Canvas writes beside it.

    @cached_property
    def _manifest(self) -> _Element:
        return read_xml(self.raw / MANIFEST)

    @cached_property
    def _settings(self) -> _Element | None:
        file = self._path("course_settings/course_settings.xml")
        return read_xml(file) if file else None

    @cached_property
    def _zone(self) -> tzinfo:
        return zone_of(text_of(self._settings, "time_zone"))

    @cached_property
    def _resources(self) -> dict[str, Resource]:
        entries = [_resource(entry) for entry in children(self._manifest, "resources/resource")]
        if not entries:
            raise UnreadableDocument(f"{self.course.stem}: its {MANIFEST} names no resources. Export the course again.")
        return {entry.id: entry for entry in entries}

    @cached_property
    def _places(self) -> Mapping[str, ModulePlace]:
        """By resource: where the modules of the manifest list it first."""
        places: dict[str, ModulePlace] = {}
        states = self._module_states
        tops = [item for root in children(self._manifest, "organizations/organization/item") for item in _modules(root)]
        for number, module in enumerate(tops, 1):
            title = text_of(module, "title") or f"Module {number}"
            hidden, released = states.get(module.get("identifier", ""), (False, None))
            items = [item for item in module.iter("item") if item.get("identifierref")]
            for place, item in enumerate(items, 1):
                own_hidden, _ = states.get(item.get("identifier", ""), (False, None))
                own = ModulePlace(
                    f"{number:02d} {title}", place, text_of(item, "title") or title, hidden or own_hidden, released
                )
                places.setdefault(str(item.get("identifierref")), own)
        return places

    @cached_property
    def _module_states(self) -> Mapping[str, tuple[bool, datetime | None]]:
        """By identifier of a module or item: whether students do not see it, and from when they do."""
        file = self._path("course_settings/module_meta.xml")
        entries = read_xml(file).iter("module", "item") if file else ()
        return {
            entry.get("identifier", ""): (
                text_of(entry, "workflow_state") in _HIDDEN,
                moment_of(text_of(entry, "unlock_at"), self._zone),
            )
            for entry in entries
        }

    @cached_property
    def _hidden_files(self) -> frozenset[str]:
        """Files that Canvas hides or locks."""
        file = self._path("course_settings/files_meta.xml")
        root = read_xml(file) if file else None
        entries = root.iter("file") if root is not None else ()
        closed = {str(e.get("identifier")) for e in entries if "true" in (text_of(e, "hidden"), text_of(e, "locked"))}
        folders = root.iter("folder") if root is not None else ()
        paths = [str(e.get("path")) for e in folders if "true" in (text_of(e, "hidden"), text_of(e, "locked"))]
        names = {name for key in closed if key in self._resources for name in self._resources[key].files}
        below = tuple(f"{_WEB_RESOURCES}/{path.strip('/')}/" for path in paths)
        every = (name for resource in self._resources.values() for name in resource.files)
        return frozenset(names | {name for name in every if below and name.startswith(below)})

    def _order(self, resource_id: str) -> tuple[int, str, int]:
        place = self._places.get(resource_id)
        return (0, place.folder, place.number) if place else (1, "", 0)

    def _title(self, resource: Resource) -> str:
        place = self._places.get(resource.id)
        return place.title if place else PurePosixPath(resource.href or resource.id).stem

    def _hidden_place(self, resource: Resource) -> bool:
        place = self._places.get(resource.id)
        return bool(place and place.hidden)

    def _is_meta(self, resource: Resource) -> bool:
        """Whether a resource holds settings of Canvas rather than material."""
        names = resource.files or (resource.href,)
        return all(name.startswith("course_settings/") or name.endswith((".xml", ".qti")) for name in names)

    def _is_unpublished(self, file: Path) -> bool:
        head = file.read_bytes()[:4_000] if file.suffix.lower() in PAGES else b""
        return any(f'name="workflow_state" content="{state}"'.encode() in head for state in _HIDDEN)

    def _first_xml(self, resource: Resource) -> Path | None:
        return next((file for file in self._files(resource) if file.suffix.lower() in (".xml", ".qti")), None)

    def _files(self, resource: Resource) -> Iterator[Path]:
        for name in (*resource.files, resource.href):
            if (file := self._path(name)) is not None:
                yield file

    def _path(self, name: str) -> Path | None:
        """The file of that name within the cartridge; None where there is none."""
        for spelling in (name, unquote(name)):
            path = (self.raw / spelling).resolve() if spelling and "\0" not in spelling else self.raw
            if path.is_relative_to(self.raw.resolve()) and path.is_file():
                return path
        return None


def _resource(entry: _Element) -> Resource:
    files = tuple(str(file.get("href")) for file in children(entry, "file") if file.get("href"))
    needs = tuple(str(need.get("identifierref")) for need in children(entry, "dependency"))
    href = entry.get("href") or ""
    roles = [role.lower() for role in entry.xpath(".//intendedEndUserRole//value/text()")]
    for_staff = bool(roles) and all(role in ("instructor", "mentor") for role in roles)
    return Resource(str(entry.get("identifier")), entry.get("type") or "", href, files or (href,), needs, for_staff)


def _modules(root: _Element) -> list[_Element]:
    """The modules below the root item that every cartridge has; items beside modules are one of their own."""
    return list(root.findall("item")) or [root]


def _body_of(text: str) -> str:
    """What is in the body of a page in HTML; text without any markup is escaped."""
    if "<" not in text:
        return f"<p>{escape(text)}</p>"
    lower = text.lower()
    start, end = lower.find("<body"), lower.rfind("</body>")
    if start < 0:
        return text
    return text[lower.find(">", start) + 1 : end if end > start else None]
