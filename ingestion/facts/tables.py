"""Rows of schedules: what their columns say is due, handed out or held on the day of the row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.text.dates import Mention, read_moments, times_in
from ingestion.facts.cues import DUE, EXAM, HOLIDAY, RELEASED, column_of
from ingestion.facts.statements import Context, DateRole, DateStatement, read_line, title_of
from retrievers.names import TO_HAND_IN
from retrievers.works import WorkName, plain_line, works_in

_RULE = re.compile(r"[\s|:+=-]+")
_CELL = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"\s{3,}")
"""What is left of a line break in a cell."""
MIN_CELLS = 2
MAX_HEADING = 40
MIN_WORDS_OF_PROSE = 3
_NUMBERED = re.compile(r"\s*(?:exam\w*)?\s*(?:#?\d{1,2}|[IVX]{1,4}|[A-C])?\s*")
"""What may stand behind the word for an exam in its name."""
_NUMBER = re.compile(r"\d{1,3}(?:\.\d+)?")


def cells_of(line: str) -> list[str]:
    """The cells of a table's row; none for any other line."""
    text = line.strip()
    if "|" not in text:
        return []
    cells = [cell.strip() for cell in _CELL.split(text.removeprefix("|").removesuffix("|"))]
    return [_GAP.sub("; ", cell) for cell in cells] if len(cells) >= MIN_CELLS else []


def is_rule(line: str) -> bool:
    """True for the line between a table's head and its rows."""
    return bool(_RULE.fullmatch(line)) and "-" in line


@dataclass(frozen=True, slots=True)
class FactRow:
    """What the cells of a row say, besides statements: the week, points and place."""

    statements: tuple[DateStatement, ...]
    week: int | None = None
    place: str = ""
    points: float | None = None
    person: Mapping[str, str] | None = None


class FactTable:
    """A table whose head is known."""

    def __init__(self, heads: Sequence[str]) -> None:
        self.columns = [column_of(head) if len(head) <= MAX_HEADING else "" for head in heads]

    @classmethod
    def with_head(cls, cells: Sequence[str]) -> FactTable | None:
        """The table that begins with these cells, if they are headings of a schedule or a list of people."""
        table = cls(cells)
        kinds = set(table.columns)
        has_dates = any(read_moments(plain_line(cell)) for cell in cells)
        is_schedule = bool(kinds & {"date", "due", "released"}) or ("week" in kinds and len(kinds - {""}) > 1)
        return table if not has_dates and (is_schedule or "hours" in kinds) else None

    @property
    def is_of_people(self) -> bool:
        return "hours" in self.columns and "date" not in self.columns

    def read(self, cells: Sequence[str], quote: str, context: Context, week: int | None) -> FactRow:
        """What a row says. A row with fewer cells than the head lacks the first, which span rows above, or the last."""
        columns = self._columns_of(cells, context)
        by_kind: dict[str, str] = {}
        for column, cell in zip(columns, cells, strict=False):
            if cell and column:
                by_kind.setdefault(column, cell)
        if self.is_of_people:
            return FactRow((), person=by_kind)
        if "date" not in self.columns:
            # The column of the days has another heading: "Week", "Session".
            by_kind["date"] = next((cell for cell in cells if _is_day(cell, context)), "")
        day = self._day(by_kind, context)
        inner = replace(context, day=day, is_list=False)
        statements: list[DateStatement] = []
        for column, cell in zip(columns, cells, strict=False):
            if cell and column not in ("date", "time", "week", "place", "points", "late", "end"):
                statements += self._cell(column, cell, quote, inner, by_kind)
        if not statements and day is not None and day.last is None:
            titles = (title_of(by_kind.get(kind, "")) for kind in ("topic", "work"))
            title = next(filter(None, titles), "")
            if title and not any(work.kind in TO_HAND_IN for work in works_in(title)):
                statements.append(DateStatement(DateRole.LECTURE, quote, day.moment, title=title, until=day.until))
        if (number := _NUMBER.search(by_kind.get("week", ""))) and not _is_day(by_kind["week"], context):
            week = int(float(number.group()))
        points = _NUMBER.search(by_kind.get("points", ""))
        return FactRow(tuple(statements), week, by_kind.get("place", ""), float(points.group()) if points else None)

    def _columns_of(self, cells: Sequence[str], context: Context) -> Sequence[str]:
        """The columns that the cells of a row stand in, by the cell that is a day."""
        shift = max(len(self.columns) - len(cells), 0)
        first, last = self.columns[shift:], self.columns[: len(cells)]
        if shift and not _has_day(first, cells, context) and _has_day(last, cells, context):
            return last
        return first

    @staticmethod
    def _day(by_kind: Mapping[str, str], context: Context) -> Mention | None:
        text = plain_line(by_kind.get("date", ""))
        moments = read_moments(text, day_first=context.day_first)
        if len(moments) != 1:
            return None if text and moments else (context.day if not text else None)
        day = moments[0]
        if (times := times_in(plain_line(by_kind.get("time", "")))) and not day.moment.time:
            day = replace(day, moment=day.moment.model_copy(update={"time": times[0].time}), until=times[0].until)
        if end := read_moments(plain_line(by_kind.get("end", "")), day_first=context.day_first):
            day = _until(day, end[0])
        return day

    def _cell(
        self, column: str, cell: str, quote: str, context: Context, by_kind: Mapping[str, str]
    ) -> Iterator[DateStatement]:
        role = {"due": DateRole.DUE, "released": DateRole.RELEASED}.get(column)
        if role is None:
            yield from self._other(column, cell, quote, context)
            return
        text = plain_line(cell)
        if _is_day(cell, context) and not works_in(text):
            # What is due then stands in the row's other cells.
            moments = read_moments(text, day_first=context.day_first)
            for work in _named_in(by_kind):
                yield DateStatement(role, quote, moments[0].moment, work, until=moments[0].until)
            return
        if context.day and context.day.last is None and (times := _only_time(text)):
            moment = context.day.moment.model_copy(update={"time": times})
            for work in _named_in(by_kind):
                yield DateStatement(role, quote, moment, work)
            return
        yield from (replace(one, quote=quote) for one in read_line(cell, replace(context, role=role)))

    def _other(self, column: str, cell: str, quote: str, context: Context) -> Iterator[DateStatement]:
        text = plain_line(cell)
        is_own = bool(DUE.search(text) or RELEASED.search(text) or EXAM.search(text) or HOLIDAY.search(text))
        if is_own:
            yield from (replace(one, quote=quote) for one in read_line(cell, context))


def read_row(cells: Sequence[str], quote: str, context: Context) -> Iterator[DateStatement]:
    """What a row below unknown headings says: the exam or holiday that stands in a cell beside a day alone."""
    days = [cell for cell in cells if _is_day(cell, context)]
    if len(days) != 1:
        return
    (day,) = read_moments(plain_line(days[0]), day_first=context.day_first)
    inner = replace(context, day=day, may_hold=True, is_list=False)
    for cell in cells:
        name = plain_line(cell).strip()
        if cell not in days and any(_ends_with(pattern, name) for pattern in (EXAM, HOLIDAY)):
            for statement in read_line(cell, inner):
                if statement.role in (DateRole.EXAM, DateRole.HOLIDAY):
                    yield replace(statement, quote=quote)


def _ends_with(pattern: re.Pattern[str], name: str) -> bool:
    """Whether a cell is no more than the name of an exam or holiday: "Exam 1", not "Exam 1 topics" or "exam.pdf"."""
    last = next(reversed(list(pattern.finditer(name))), None)
    words = name[: last.start()].split() if last else []
    return last is not None and len(words) < MIN_WORDS_OF_PROSE and bool(_NUMBERED.fullmatch(name[last.end() :]))


def _has_day(columns: Sequence[str], cells: Sequence[str], context: Context) -> bool:
    return any(column == "date" and _is_day(cell, context) for column, cell in zip(columns, cells, strict=False))


def _only_time(text: str) -> str:
    """The time of day that a cell holds and nothing else; empty for another."""
    times = times_in(text)
    return times[0].time if len(times) == 1 and not title_of(text[: times[0].start] + text[times[0].end :]) else ""


def _is_day(cell: str, context: Context) -> bool:
    """True for a cell that is a day and nothing else."""
    text = plain_line(cell)
    moments = read_moments(text, day_first=context.day_first)
    return len(moments) == 1 and not title_of(text[: moments[0].start] + text[moments[0].end :])


def _named_in(by_kind: Mapping[str, str]) -> list[WorkName]:
    """The works that a row is about, by its cell for them, else by its topic."""
    for kind in ("work", "topic"):
        if cell := by_kind.get(kind):
            works = works_in(plain_line(cell))
            title = title_of(cell)
            return works[:1] or ([WorkName("", title=title)] if title else [])
    return []


def _until(day: Mention, end: Mention) -> Mention:
    if day.moment.is_day_of(end.moment):
        return replace(day, until=day.until or end.moment.time)
    return replace(day, last=end.moment.day)
