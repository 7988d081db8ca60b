"""Moodle backups (`.mbz`): a tar.gz or zip with `moodle_backup.xml`.

Source: the files that Moodle's backup writes (backup format of Moodle 2.0 and later).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.types import Source
from ingestion.exports.folder import CourseFolder, WorkDates, page
from ingestion.exports.quizzes import moodle_page
from ingestion.exports.xml import children, moment_of, read_xml, text_of
from ingestion.kinds import source_by_name
from ingestion.loaders import SUFFIXES

if TYPE_CHECKING:
    from lxml.etree import _Element

BACKUP = "moodle_backup.xml"
TEXTS = ("page", "label", "book", "url", "lesson", "glossary", "wiki")
"""Activities whose own texts are read; others are listed with what they say of themselves."""
_WORKS = {"assign": ("duedate", "allowsubmissionsfromdate", "grade"), "quiz": ("timeclose", "timeopen", "grade")}
STAFF_AREAS = ("chapter", "content", "intro", "introattachment", "legacy", "section", "summary")
"""Areas of files that staff fill. Others hold what students handed in or wrote."""
_HASH = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Activity:
    """One activity of the course, with the section that it is in."""

    kind: str
    title: str
    folder: Path
    section: str
    number: int
    hidden: bool
    released: datetime | None


@dataclass
class MoodleBackup:
    """Reads the unpacked backup below `raw` into the folder of a course."""

    raw: Path
    course: CourseFolder

    def read(self) -> None:
        """Raises `UnreadableDocument` for a backup whose description cannot be read."""
        self.course.title = text_of(self._backup, ".//original_course_fullname")
        self._read_summary()
        for activity in self._activities:
            self._read(activity)
        self._read_questions()
        self.course.finish()

    def _read(self, activity: Activity) -> None:
        file = activity.folder / f"{activity.kind}.xml"
        root = read_xml(file) if file.is_file() else None
        module = root.find(activity.kind) if root is not None else None
        self._copy_files(activity)
        if module is None:
            return
        if activity.kind in _WORKS:
            self._read_work(activity, module)
        elif activity.kind == "forum":
            self._read_forum(activity, module)
        elif text := _texts(activity.kind, module):
            is_read = activity.kind in TEXTS
            source = Source.TEXTBOOK if is_read and activity.kind != "label" else Source.LOGISTICS
            source = source_by_name(activity.title) if source is Source.TEXTBOOK else source
            self._write(source, activity, page(activity.title, text))

    def _read_work(self, activity: Activity, module: _Element) -> None:
        due_key, from_key, points_key = _WORKS[activity.kind]
        due, released = (moment_of(text_of(module, key), self._zone) for key in (due_key, from_key))
        points = text_of(module, points_key)
        points = f"{float(points):g}" if re.fullmatch(r"\d+(\.\d+)?", points) else ""
        if not activity.hidden:
            self.course.works.append(WorkDates(activity.title, released, due, points))
        lines = [f"Due: {due:%Y-%m-%d %H:%M}"] if due else []
        shown = max(filter(None, (released, activity.released)), default=None)
        text = page(activity.title, text_of(module, "intro"), lines)
        self._write(Source.ASSIGNMENT, activity, text, released=shown)

    def _read_forum(self, activity: Activity, module: _Element) -> None:
        """Announcements as logistics. Discussions of students are not read: they hold what persons wrote."""
        is_news = text_of(module, "type") == "news"
        first = [next(children(entry, "posts/post"), None) for entry in module.iter("discussion")] if is_news else []
        posts = [
            f"<h2>{escape(text_of(post, 'subject'))}</h2>{text_of(post, 'message')}"
            for post in first
            if post is not None
        ]
        if is_news and posts:
            self._write(Source.LOGISTICS, activity, page(activity.title, "\n".join(posts)))
        elif list(module.iter("discussion")):
            self.course.skip(activity.title, "discussions of students are not read")

    def _copy_files(self, activity: Activity) -> None:
        for name, file in self._files_of(activity):
            if Path(name).suffix.lower() not in SUFFIXES:
                self.course.skip(name, f"format {Path(name).suffix or '(none)'} is not supported")
                continue
            is_work = activity.kind in _WORKS
            source = Source.ASSIGNMENT if is_work else source_by_name(f"{activity.title}/{name}")
            path = name if source is Source.ASSIGNMENT else f"{activity.section}/{activity.number:02d} {name}"
            self.course.copy(source, path, file, staff=activity.hidden, released=activity.released)

    def _files_of(self, activity: Activity) -> list[tuple[str, Path]]:
        """What staff added to an activity; what students handed in is another area."""
        file = activity.folder / "inforef.xml"
        ids = {text_of(entry) for entry in children(read_xml(file), "fileref/file/id")} if file.is_file() else set()
        return [self._files[one] for one in sorted(ids) if one in self._files]

    def _write(self, source: Source, activity: Activity, text: str, *, released: datetime | None = None) -> None:
        released = released or activity.released
        is_ordered = source is Source.TEXTBOOK
        name = f"{activity.section}/{activity.number:02d} {activity.title}" if is_ordered else activity.title
        self.course.write(source, f"{name}.html", text, staff=activity.hidden, released=released)

    def _read_summary(self) -> None:
        file = self.raw / "course" / "course.xml"
        summary = text_of(read_xml(file), "summary") if file.is_file() else ""
        if summary:
            self.course.write(Source.LOGISTICS, "about the course.html", page(self.course.title or "Course", summary))

    def _read_questions(self) -> None:
        """The question bank with its keys: for staff."""
        file = self.raw / "questions.xml"
        root = read_xml(file) if file.is_file() else None
        for number, category in enumerate(children(root, "question_category"), 1):
            questions = [entry for entry in category.iter("question") if entry.find("questiontext") is not None]
            title = text_of(category, "name") or f"Questions {number}"
            if text := moodle_page(title, questions):
                self.course.write(Source.ASSIGNMENT, f"question bank/{title}.html", text, staff=True)

    @cached_property
    def _backup(self) -> _Element:
        return read_xml(self.raw / BACKUP)

    @cached_property
    def _zone(self) -> tzinfo:
        """A backup says times in seconds since 1970, and no zone."""
        return UTC

    @cached_property
    def _sections(self) -> dict[str, tuple[str, bool, datetime | None]]:
        """By id: the folder's name, whether students do not see it, and from when they do."""
        sections = {}
        for number, entry in enumerate(children(self._backup, ".//sections/section"), 0):
            file = self._inside(text_of(entry, "directory")) / "section.xml"
            root = read_xml(file) if file.is_file() else None
            name = text_of(root, "name").removeprefix("$@NULL@$") or text_of(entry, "title") or f"Section {number}"
            title = f"{number:02d} {name}"
            hidden = text_of(root, "visible") == "0"
            released = self._released(text_of(root, "availabilityjson"))
            sections[text_of(entry, "sectionid")] = (title, hidden, released)
            summary = text_of(root, "summary").removeprefix("$@NULL@$")
            if summary:
                text = page(name, summary)
                self.course.write(Source.LOGISTICS, f"{title}.html", text, staff=hidden, released=released)
        return sections

    @cached_property
    def _activities(self) -> list[Activity]:
        sections = self._sections
        activities = []
        for number, entry in enumerate(children(self._backup, ".//activities/activity"), 1):
            folder = self._inside(text_of(entry, "directory"))
            module = folder / "module.xml"
            root = read_xml(module) if module.is_file() else None
            section, hidden, section_released = sections.get(text_of(entry, "sectionid"), ("", False, None))
            own = self._released(text_of(root, "availability"))
            activities.append(
                Activity(
                    text_of(entry, "modulename"),
                    text_of(entry, "title") or text_of(entry, "modulename"),
                    folder,
                    section,
                    number,
                    hidden or text_of(root, "visible") == "0",
                    max(filter(None, (section_released, own)), default=None),
                )
            )
        return activities

    @cached_property
    def _files(self) -> dict[str, tuple[str, Path]]:
        """By id: names and places of the files that staff added."""
        file = self.raw / "files.xml"
        root = read_xml(file) if file.is_file() else None
        files = {}
        for entry in children(root, "file"):
            sha, name = text_of(entry, "contenthash"), text_of(entry, "filename")
            is_of_staff = text_of(entry, "filearea") in STAFF_AREAS
            path = self.raw / "files" / sha[:2] / sha
            if _HASH.fullmatch(sha) and name not in ("", ".") and path.is_file() and is_of_staff:
                files[str(entry.get("id"))] = (name.replace("/", " "), path)
        return files

    def _inside(self, directory: str) -> Path:
        """A folder of the backup; the backup itself for one that leads out of it."""
        path = (self.raw / directory).resolve()
        return path if path.is_relative_to(self.raw.resolve()) else self.raw

    def _released(self, availability: str) -> datetime | None:
        """The day from which a date condition shows it; conditions of other kinds cannot be kept here."""
        try:
            found: Any = json.loads(availability) if availability not in ("", "$@NULL@$") else {}
        except (ValueError, RecursionError):
            return None
        conditions = found.get("c", []) if isinstance(found, dict) and found.get("op") == "&" else []
        times = [
            int(condition["t"])
            for condition in conditions
            if isinstance(condition, dict) and condition.get("type") == "date" and condition.get("d") == ">="
            and str(condition.get("t", "")).isdigit()
        ]  # fmt: skip
        return moment_of(str(max(times)), self._zone) if times else None


def _texts(kind: str, module: _Element) -> str:
    """The texts of an activity, as HTML."""
    parts = [text_of(module, "intro")]
    if kind == "page":
        parts.append(text_of(module, "content"))
    elif kind in ("book", "lesson", "wiki"):
        entries = [entry for entry in module.iter("chapter", "page") if text_of(entry, "hidden") != "1"]
        parts += [
            f"<h2>{escape(text_of(entry, 'title'))}</h2>{text_of(entry, 'content') or text_of(entry, 'contents')}"
            for entry in entries
        ]
    elif kind == "glossary":
        approved = [entry for entry in module.iter("entry") if text_of(entry, "approved") != "0"]
        parts += [f"<h2>{escape(text_of(entry, 'concept'))}</h2>{text_of(entry, 'definition')}" for entry in approved]
    return "\n".join(filter(None, (part.removeprefix("$@NULL@$") for part in parts)))
