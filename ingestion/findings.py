"""What ingestion found in a file, for its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from core.store.tables import DocumentRow, NodeKind, NodeRow
from core.types import Source, Visibility
from ingestion.audience.decision import FileAudience
from ingestion.document import LoadedDocument
from ingestion.run_report import FileOutcome, IngestedFile
from ingestion.solutions.staff_text import with_staff_text


class Findings(TypedDict):
    """The fields of `IngestedFile` that say what was found."""

    labels: tuple[str, ...]
    chars: int
    staff_chars: int
    staff_reason: str
    release_at: str


def findings(row: DocumentRow, document: LoadedDocument, nodes: Sequence[NodeRow]) -> Findings:
    """The report's fields of a document that was built."""
    blocks = [node for node in nodes if node.kind is NodeKind.BLOCK]
    inside = sum(len(node.solution) for node in blocks)
    chars = sum(len(node.text) for node in blocks) + inside
    return Findings(
        labels=tuple(dict.fromkeys(node.label for node in blocks if node.label)),
        chars=chars,
        staff_chars=inside,
        staff_reason=_what_staff(document) if inside else "",
        release_at=row.release_at.isoformat() if row.release_at else "",
    )


def _what_staff(document: LoadedDocument) -> str:
    kinds = {line.staff for line in document.lines if line.solution}
    return "speaker notes and what the file hides" if kinds == {True} else "solutions in the text"


def warn_of_staff_text(document: LoadedDocument, source: Source) -> tuple[str, ...]:
    """A warning where material that students read as it is has solutions, rubrics or hidden tests."""
    if source is Source.ASSIGNMENT:
        return ()
    lines = with_staff_text(document, assignment=False).lines
    marked = [line for line in lines if (line.solution or line.edge) and not line.staff]
    if not marked:
        return ()
    first = next((line.text.strip() for line in marked if line.text.strip()), "")
    return (
        f"{len(marked)} lines are marked as solutions, rubrics or hidden tests (the first: {first[:60]!r}) and "
        f"students can read them, because this was ingested as {source.value}. Ingest it as assignment, or hide it "
        "with a rule in the course file.",
    )


def with_audience(file: IngestedFile, audience: FileAudience) -> IngestedFile:
    """The file's report with for whom it is and why."""
    fields: dict[str, object] = {"visibility": audience.visibility, "audience": audience.sentence(file.name)}
    if audience.visibility is Visibility.STAFF and file.chars:
        fields |= {"staff_chars": file.chars, "staff_reason": audience.reason}
    return file.model_copy(update=fields)


def with_variants(files: Sequence[IngestedFile], stored: Mapping[str, DocumentRow]) -> list[IngestedFile]:
    """The files, each variant with the document that is searched instead."""
    names = {row.id: row.name for row in stored.values()}
    mains = {row.name: names.get(row.variant_of or "", "") for row in stored.values()}
    return [file.model_copy(update={"variant_of": main}) if (main := mains.get(file.name)) else file for file in files]


def with_pairs(files: Sequence[IngestedFile], stored: Mapping[str, DocumentRow]) -> list[IngestedFile]:
    """The files, each solution document with the assignment that it was joined to."""
    labels = {file.name: file.labels for file in files}
    statements: dict[str | None, list[str]] = {}
    for row in stored.values():
        if row.pair and not row.is_solution:
            statements.setdefault(row.pair, []).append(row.name)
    return [_pair(file, stored.get(file.name), statements, labels) for file in files]


def _pair(
    file: IngestedFile,
    row: DocumentRow | None,
    statements: Mapping[str | None, Sequence[str]],
    labels: Mapping[str, Sequence[str]],
) -> IngestedFile:
    if row is None or not row.is_solution or file.outcome is not FileOutcome.INDEXED:
        return file
    partners = tuple(sorted(statements.get(row.pair, ())))
    if not partners:
        remark = f"no assignment was found for this solution document; one named like {row.pair} would be joined to it"
        return file.model_copy(update={"warnings": (*file.warnings, remark)})
    asked = {label for name in partners for label in labels.get(name, ())}
    # Of an assignment that did not change, the questions are not at hand.
    unpaired = tuple(label for label in file.labels if label not in asked) if asked else ()
    joined = len(file.labels) - len(unpaired) if asked else 0
    return file.model_copy(update={"paired_with": partners, "joined": joined, "unpaired": unpaired})
