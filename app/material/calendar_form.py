"""What a row of the calendar's form says, as an entry of the course file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from starlette.datastructures import FormData

from app.material.calendar_rows import (
    LABELS,
    CalendarRow,
    CalendarRows,
    fields_of,
    new_row,
    version_of,
)
from core.course.calendar import MAX_ENTRIES, NONE, CalendarEntry, EntryKind, day_and_name, one_line
from core.errors import InvalidInput
from core.store.tables import SettingChangeRow
from retrievers.calendar.subjects import exam_named

SETTING = "calendar."
"""Before an entry's key: its key as a setting of the course."""
NEEDED = {
    "name": "Say what it is called.",
    "at": "Say when it is, as in 2026-03-12 10:00.",
    "hours": "Say when the office hours are.",
}
ERRORS = {
    "due": "Write a day as 2026-03-06 or 2026-03-06 23:59, or leave it empty.",
    "released": "Write a day as 2026-03-06 or 2026-03-06 10:00, or leave it empty.",
    "at": "Write a day as 2026-03-12 or 2026-03-12 10:00.",
    "until": "Write a time of day as 12:00, after that of the date, or leave it empty.",
    "points": "Write a number from 0 to 100,000, or leave it empty.",
}


@dataclass(frozen=True)
class SentRow:
    """A row as it was sent: `do` is `save`, `remove`, `restore`, or `file`."""

    key: str
    kind: EntryKind
    do: str
    version: str
    texts: Mapping[str, str]
    was: Mapping[str, str]


class RowRefused(InvalidInput):
    """A row that cannot be saved, with what is wrong at its fields."""

    def __init__(self, row: CalendarRow) -> None:
        self.row = row
        super().__init__("Nothing was saved. What is wrong stands at the row.")


def read_row(form: FormData) -> SentRow:
    """What a browser sent of a row. Raises `InvalidInput` for what is no form of the page."""
    texts = {name: one_line(text) for name, text in form.multi_items() if isinstance(text, str)}
    row_kind = texts.get("row-kind", "")
    if row_kind not in list(EntryKind) or texts.get("do") not in ("save", "remove", "restore", "file"):
        raise InvalidInput("Send the form of a row of the page.")
    named = texts.get("kind", "")
    kind = EntryKind(named) if named in list(EntryKind) and EntryKind(named).is_event else EntryKind(row_kind)
    return SentRow(
        texts.get("key", ""), kind, texts["do"], texts.get("version", ""),
        {name: texts.get(name, "") for name in fields_of(kind)},
        {name: texts.get(f"was:{name}", "") for name in fields_of(kind)},
    )  # fmt: skip


def change_in(
    sent: SentRow, rows: CalendarRows, entries: Mapping[str, CalendarEntry], held: Mapping[str, SettingChangeRow]
) -> dict[str, Any]:
    """The setting that the row changes, empty where nothing is different. Raises `RowRefused`."""
    row = rows.row(sent.key) if sent.key else new_row(sent.kind)
    if row is None:
        raise InvalidInput("The calendar does not have this row any more. Load the page again.")
    if sent.key and sent.version != version_of(entries.get(sent.key)):
        raise RowRefused(replace(_as_sent(row, sent, {}), error=_meanwhile(row, held.get(SETTING + sent.key))))
    if sent.do in ("restore", "file"):
        change = held.get(SETTING + sent.key)
        return {SETTING + sent.key: change.file_value if change and sent.do == "file" else None}
    if sent.do == "save" and sent.key and row.entry is None and sent.texts == sent.was and not row.is_disputed:
        return {}
    if sent.do == "remove":
        return {SETTING + row.key: _dumped(CalendarEntry(kind=row.kind, removed=True))} if row.key else {}
    return _saved(sent, row, rows, entries)


def _saved(sent: SentRow, row: CalendarRow, rows: CalendarRows, entries: Mapping[str, CalendarEntry]) -> dict[str, Any]:
    key = sent.key or _new_key(sent)
    problems = {name: NEEDED[name] for name, text in sent.texts.items() if name in NEEDED and not text}
    if not sent.key and sent.kind is EntryKind.WORK and not (sent.texts["due"] or sent.texts["released"]):
        problems["due"] = "Say when it is due."
    if not sent.key and not problems and (known := rows.row_about(key, sent.kind)):
        problems["name"] = f"The calendar has one of this name already: {known.title}. Correct that one."
    if not sent.key and len(entries) >= MAX_ENTRIES:
        problems["name"] = f"At most {MAX_ENTRIES} rows can be set. Take some back first."
    values = {} if problems else _values(sent, row, key)
    try:
        entry = None if problems else CalendarEntry.model_validate(values)
    except ValidationError as error:
        entry = None
        for problem in error.errors():
            name = str(problem["loc"][0]) if problem["loc"] else "name"
            problems[name] = ERRORS.get(name, f"{LABELS.get(name, name)} is too long or not usable here.")
    if entry is None:
        raise RowRefused(_as_sent(row, sent, problems))
    return {} if entry == row.entry else {SETTING + key: _dumped(entry)}


def _values(sent: SentRow, row: CalendarRow, key: str) -> dict[str, Any]:
    """The fields of the entry. What nobody touched of a work stays as the material says, unless that is disputed."""
    texts = {name: text for name, text in sent.texts.items() if name not in ("name", "kind")}
    values: dict[str, Any] = {"kind": sent.kind}
    if sent.texts["name"] != day_and_name(key)[1] and (not row.key or sent.texts["name"] != row.title or row.entry):
        values["name"] = sent.texts["name"]
    if sent.kind is not EntryKind.WORK:
        return values | {name: text for name, text in texts.items() if text}
    for name, text in texts.items():
        set_before = getattr(row.entry, name) if row.entry else None
        is_kept = text == sent.was.get(name, "") and set_before is None and not (name == "due" and row.is_disputed)
        if is_kept:
            continue
        if text:
            values[name] = text
        elif name != "points" and (row.material or set_before is not None):
            values[name] = NONE
    return values


def _new_key(sent: SentRow) -> str:
    """The key of what is added: works, people and exams that a course has once by name, other events by their day."""
    name = sent.texts["name"]
    if not sent.kind.is_event or (sent.kind is EntryKind.EXAM and (exam := exam_named(name)) and exam.name):
        return name
    return f"{sent.texts['at'].replace('T', ' ')[:10]} {name}"


def _dumped(entry: CalendarEntry) -> dict[str, Any]:
    return entry.model_dump(mode="json")


def _as_sent(row: CalendarRow, sent: SentRow, problems: Mapping[str, str]) -> CalendarRow:
    """The row again as it was sent, with its errors."""
    fields = [
        replace(field, text=sent.texts.get(field.name, field.text), error=problems.get(field.name, ""))
        for field in row.fields
    ]
    rest = [text for name, text in problems.items() if name not in {field.name for field in fields}]
    return replace(row, kind=sent.kind, fields=fields, error=" ".join(rest))


def _meanwhile(row: CalendarRow, change: SettingChangeRow | None) -> str:
    who = change.changed_by_name if change else "Somebody else"
    if row.entry and row.entry.removed:
        now = "says that it is not so"
    else:
        said = ", ".join(f"{field.label.lower()} {field.text}" for field in row.fields if field.text)
        now = f"the row is now: {said}"
    return f"{who} has changed this meanwhile; {now}. Save again if you mean yours."
