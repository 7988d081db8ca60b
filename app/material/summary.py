"""What an instructor reads first after loading a course: what can be asked, what is for staff, what needs a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from pydantic import Field

from core.facts import FactKind
from core.types import Source, Value, Visibility
from ingestion.run_report import FileOutcome, IngestedFile, IngestionReport
from retrievers.calendar.model import Calendar, CourseWork, Option

KINDS = {
    Source.TEXTBOOK: "textbook",
    Source.ASSIGNMENT: "assignments",
    Source.LOGISTICS: "how the course is run",
    Source.QA: "earlier threads",
}
MAX_SHOWN = 4
"""Points to look at that are named; the others are counted."""
MAX_NAMES = 3


class CourseSummary(Value):
    """About ten lines on a loaded course."""

    can_be_asked: tuple[str, ...] = Field(description="What students can ask about.")
    for_staff: tuple[str, ...] = Field(description="What is kept for staff.")
    skipped: dict[str, int] = Field(description="Files that were not read, by kind.")
    needs_a_look: tuple[str, ...] = Field(description="What the instructor should decide or correct.")

    def lines(self) -> Iterator[str]:
        """For a terminal; the points to look at are cut."""
        yield f"Students can ask about {'; '.join(self.can_be_asked) or 'nothing yet'}."
        yield f"For staff alone: {'; '.join(self.for_staff) or 'nothing'}."
        if self.skipped:
            yield "Not read: " + ", ".join(f"{count} {kind}" for kind, count in self.skipped.items()) + "."
        if not self.needs_a_look:
            yield "Nothing needs a look."
            return
        yield f"{len(self.needs_a_look)} {'thing needs' if len(self.needs_a_look) == 1 else 'things need'} a look:"
        yield from (f"  {point}" for point in self.needs_a_look[:MAX_SHOWN])
        if more := len(self.needs_a_look) - MAX_SHOWN:
            yield from [f"  and {more} more"] * (more > 0)


def summarise(reports: Sequence[IngestionReport], calendar: Calendar) -> CourseSummary:
    """The summary of the runs of one loading. `calendar` is that of staff."""
    return CourseSummary(
        can_be_asked=(*_material(reports), *_calendar(calendar)),
        for_staff=tuple(_for_staff(reports)),
        skipped=_skipped(reports),
        needs_a_look=(*disputes(calendar), *_doubts(reports)),
    )


def _present(reports: Sequence[IngestionReport]) -> list[tuple[Source, IngestedFile]]:
    outcomes = (FileOutcome.INDEXED, FileOutcome.UNCHANGED)
    return [(report.source, file) for report in reports for file in report.files_with(*outcomes)]


def _material(reports: Sequence[IngestionReport]) -> Iterator[str]:
    counts = Counter(source for source, file in _present(reports) if file.visibility is not Visibility.STAFF)
    for source, kind in KINDS.items():
        if counts[source]:
            yield f"{kind} ({counts[source]} {'file' if counts[source] == 1 else 'files'})"


def _calendar(calendar: Calendar) -> Iterator[str]:
    dated = [work for work in calendar.works if work.due]
    if dated:
        names = ", ".join(work.label for work in dated[:MAX_NAMES]) + (", …" if len(dated) > MAX_NAMES else "")
        yield f"due dates of {len(dated)} {'work' if len(dated) == 1 else 'works'} ({names})"
    kinds = Counter(event.row.kind for event in calendar.events)
    for kind, words in ((FactKind.EXAM, "exam"), (FactKind.LECTURE, "class"), (FactKind.HOLIDAY, "holiday")):
        if count := kinds[kind]:
            plural = "classes" if words == "class" else f"{words}s"
            yield f"dates of {count} {words if count == 1 else plural}"
    if calendar.staff:
        yield f"office hours of {len(calendar.staff)}"


def _for_staff(reports: Sequence[IngestionReport]) -> Iterator[str]:
    files = [file for _, file in _present(reports) if file.visibility is Visibility.STAFF]
    if files:
        joined = sum(bool(file.paired_with) for file in files)
        of_them = f", {joined} of them joined to an assignment" if joined else ""
        yield f"{len(files)} whole {'file' if len(files) == 1 else 'files'}{of_them}"
    parts = sum(bool(file.staff_chars) for _, file in _present(reports) if file.visibility is not Visibility.STAFF)
    if parts:
        yield f"parts of {parts} {'file' if parts == 1 else 'files'}"


def _skipped(reports: Sequence[IngestionReport]) -> dict[str, int]:
    kinds: Counter[str] = Counter()
    for report in reports:
        for file in report.files_with(FileOutcome.SKIPPED):
            is_excluded = file.reason.startswith("excluded")
            kinds["excluded by you" if is_excluded else PurePosixPath(file.name).suffix or "without a suffix"] += 1
    return dict(kinds.most_common())


def disputes(calendar: Calendar) -> Iterator[str]:
    """One line for each work of which the material gives several days."""
    for work in calendar.disputed:
        yield f"{work.label} is due {_days(work)}."


def _days(work: CourseWork) -> str:
    return "; or ".join(f"{option.moment.text} ({_place(option)})" for option in work.due)


def _place(option: Option) -> str:
    said = option.said[0]
    others = len({one.passage.document for one in option.said}) - 1
    return said.passage.document + (f" and {others} more" if others else "")


def _doubts(reports: Sequence[IngestionReport]) -> Iterator[str]:
    files = [file for report in reports for file in report.files]
    groups = (
        ("could not be read", [file for file in files if file.outcome is FileOutcome.FAILED]),
        ("have no text, as scans do", [file for file in files if file.outcome is FileOutcome.EMPTY]),
        ("left out: looks like data, not text", [file for file in files if "looks like data" in file.reason]),
        ("may be for staff: decide in the course file", [file for file in files if "Check this" in file.audience]),
        ("belong to no assignment", [file for file in files if any("no assignment" in text for text in file.warnings)]),
        ("with pages without text", [file for file in files if any("without text" in text for text in file.warnings)]),
        ("are no longer there", [file for file in files if file.outcome is FileOutcome.VANISHED]),
    )
    for words, found in groups:
        if found:
            names = ", ".join(file.name for file in found[:MAX_NAMES]) + (", …" if len(found) > MAX_NAMES else "")
            yield f"{len(found)} {'file' if len(found) == 1 else 'files'} {words}: {names}"
