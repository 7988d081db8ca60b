"""A course as a folder of ordinary files, with what the export says of each: what `edumod ingest` reads."""

from __future__ import annotations

import glob
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path, PurePosixPath

from core.course import DocumentRule
from core.types import Source, Visibility

FOLDERS = {
    Source.TEXTBOOK: "textbook",
    Source.ASSIGNMENT: "assignments",
    Source.LOGISTICS: "logistics",
    Source.QA: "qa",
}
MAX_NAME = 80
DATES = "dates.md"


@dataclass(frozen=True)
class WorkDates:
    """A work with its dates, in the course's own time zone."""

    title: str
    released: datetime | None = None
    due: datetime | None = None
    points: str = ""


@dataclass
class CourseFolder:
    """Files of an export, by source; `stem` is the export's own name, in front of every document's."""

    root: Path
    stem: str
    title: str = ""
    rules: list[DocumentRule] = field(default_factory=list)
    works: list[WorkDates] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """What is not read, and why."""

    def folder(self, source: Source) -> Path:
        return self.root / FOLDERS[source] / self.stem

    def write(
        self, source: Source, name: str, text: str, *, staff: bool = False, released: datetime | None = None
    ) -> None:
        """Add a document of this text; its name's last part is made safe."""
        path = self._free(source, _safe(name))
        path.write_text(text, encoding="utf-8")
        self._rule(source, path, staff=staff, released=released)

    def copy(
        self, source: Source, name: str, file: Path, *, staff: bool = False, released: datetime | None = None
    ) -> None:
        """Add a file as it is."""
        path = self._free(source, _safe(name))
        shutil.copyfile(file, path)
        self._rule(source, path, staff=staff, released=released)

    def skip(self, name: str, reason: str) -> None:
        self.skipped.append((name, reason))

    def finish(self) -> None:
        """Write the works' dates as a table, from which the calendar is read."""
        dated = [work for work in self.works if work.due or work.released]
        if dated:
            head = ["# Dates of assignments", "", "| Assignment | Released | Due | Points |", "|---|---|---|---|"]
            cells = ((cell(work.title), day(work.released), day(work.due), work.points) for work in dated)
            rows = [f"| {' | '.join(row)} |" for row in cells]
            self.write(Source.LOGISTICS, DATES, "\n".join([*head, *rows, ""]))

    def sources(self) -> list[Source]:
        """Those that the export has files of."""
        return [source for source in Source if self.folder(source).is_dir()]

    def _free(self, source: Source, name: str) -> Path:
        """A path that no other document has."""
        path = self.folder(source) / name
        number = 2
        while path.exists():
            path = path.with_stem(f"{PurePosixPath(name).stem} ({number})")
            number += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _rule(self, source: Source, path: Path, *, staff: bool, released: datetime | None) -> None:
        if staff or released:
            name = PurePosixPath(self.stem, *path.relative_to(self.folder(source)).parts)
            visibility = Visibility.STAFF if staff else None
            self.rules.append(DocumentRule(match=glob.escape(str(name)), visibility=visibility, release_at=released))


def page(title: str, body: str, lines: Sequence[str] = ()) -> str:
    """A page in HTML with a heading, lines of text, and a body that is HTML already."""
    heading = escape(title)
    texts = "".join(f"<p>{escape(line)}</p>\n" for line in lines)
    head = f"<!DOCTYPE html><html><head><title>{heading}</title></head>"
    return f"{head}<body>\n<h1>{heading}</h1>\n{texts}{body}\n</body></html>\n"


def day(moment: datetime | None) -> str:
    """As in `2026-02-19 23:59`."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""


def cell(text: str) -> str:
    """A text for a cell of a table."""
    return " ".join(text.replace("|", "/").split())


def _safe(name: str) -> str:
    """A name for a file: no signs that patterns or file systems take for something else; short parts."""
    parts = [re.sub(r"[^\w.,()+&'-]+", " ", part).strip(" .") for part in PurePosixPath(name).parts]
    kept = [part for part in parts if part] or ["document"]
    last = PurePosixPath(kept[-1])
    short = [part[:MAX_NAME].strip() for part in kept[:-1]]
    return str(PurePosixPath(*short, f"{last.stem[:MAX_NAME].strip()}{last.suffix}"))
