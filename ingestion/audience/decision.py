"""Who may read a file, and why: what the course file says, else what its name says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from core.course import Course
from core.store.tables import DocumentRow
from core.types import Source, Visibility
from ingestion.naming.names import UNSEEN, FileName, NameEvidence, NameKind, read_file_name
from ingestion.naming.words import SHORT_SOLUTIONS


@dataclass(frozen=True, slots=True)
class FileAudience:
    """Who may read a file, and what it is to the assignments of its course."""

    visibility: Visibility
    reason: str
    """In words for an instructor; empty where nothing says that the file is for staff."""
    doubtful: bool = False
    """Whether the instructor should say who may read it."""
    by_rule: bool = False
    """Whether the course file says it."""
    pair: str | None = None
    is_solution: bool = False

    def sentence(self, name: str) -> str:
        """For whom a file is and why, in one line; where that is in doubt, it asks."""
        readers = "staff" if self.visibility is Visibility.STAFF else "students"
        text = f"for {readers}: {self.reason}" if self.reason else f"for {readers}"
        if not self.doubtful:
            return text
        rule = f"{{match: '{name}', visibility: student}}"
        return f"{text}. Check this; to decide, add to documents in the course file: {rule}"


def audience_of(name: str, source: Source, course: Course, path: Path | None = None) -> FileAudience:
    """The course file's last matching rule, else what the name says.

    A doubtful name of an assignment's file counts as staff.
    """
    reading = read_file_name(name)
    pair = reading.pair if source is Source.ASSIGNMENT else None
    rules = [rule for rule in course.rules_for(name, path) if rule.visibility]
    if rules and (visibility := rules[-1].visibility):
        # What the instructor shows to students is no solution that is kept from them.
        is_solution = source is Source.ASSIGNMENT and reading.is_solution and visibility is Visibility.STAFF
        reason = f"the course file's rule for {rules[-1].match}"
        return FileAudience(visibility, reason, by_rule=True, pair=pair, is_solution=is_solution)
    if not (evidence := _counting(reading, source)):
        return FileAudience(Visibility.STUDENT, "", pair=pair)
    is_solution = source is Source.ASSIGNMENT and reading.is_solution
    return FileAudience(
        Visibility.STAFF, _reason(evidence), doubtful=not evidence.certain, pair=pair, is_solution=is_solution
    )


def as_solution_of(audience: FileAudience, sheet: str, pair: str | None) -> FileAudience:
    """The audience of a file that holds the questions of a sheet with text behind them."""
    if audience.is_solution:
        return replace(audience, pair=pair)
    reason = f"it repeats most questions of {sheet} and adds text after them"
    return FileAudience(Visibility.STAFF, reason, doubtful=True, pair=pair, is_solution=True)


def as_answers_beside(audience: FileAudience, sheet: str) -> FileAudience:
    """The audience of a file whose numbered parts ask nothing, beside a sheet."""
    reason = f"its numbered parts ask nothing, so they may be answers to {sheet}"
    return replace(audience, visibility=Visibility.STAFF, reason=reason, doubtful=True)


def as_printed(audience: FileAudience, page: str, pair: str | None) -> FileAudience:
    """The audience of a print of a web page whose name says that it is a solution."""
    return replace(
        audience,
        visibility=Visibility.STAFF,
        reason=f"it is a print of {page}",
        doubtful=True,
        pair=pair,
        is_solution=True,
    )


def as_hardly_read(audience: FileAudience) -> FileAudience:
    """The audience of an assignment's file with next to no text, as a scan by hand has."""
    reason = "it has next to no text that can be read, and may be a solution by hand"
    return replace(audience, visibility=Visibility.STAFF, reason=reason, doubtful=True)


def _counting(reading: FileName, source: Source) -> NameEvidence | None:
    """What a name says, if it counts: outside assignments, only tests and solutions of graded work do."""
    evidence = reading.evidence
    if evidence is None or source is Source.ASSIGNMENT or evidence.kind in UNSEEN:
        return evidence
    is_graded = evidence.kind is NameKind.SOLUTION and evidence.graded and evidence.certain
    return evidence if is_graded and evidence.word not in SHORT_SOLUTIONS else None


def _reason(evidence: NameEvidence) -> str:
    if evidence.certain:
        return f"{evidence.kind.value} by its name (“{evidence.word}”)"
    return f"perhaps {evidence.kind.value}, because its name has “{evidence.word}”"


def audience_as_stored(row: DocumentRow, course: Course, path: Path | None = None) -> FileAudience:
    """The audience of a stored document, whose content was compared when it was added."""
    audience = audience_of(row.name, Source(row.source), course, path)
    if audience.by_rule or audience.visibility == row.visibility:
        return audience
    if row.is_solution:
        return as_solution_of(audience, f"an assignment ({row.pair})", row.pair)
    if row.visibility is not Visibility.STAFF:
        return audience
    reason = "when it was added it seemed to hold answers to a sheet, or to have no text that can be read"
    return replace(audience, visibility=Visibility.STAFF, reason=reason, doubtful=True)
