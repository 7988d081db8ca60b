"""What a document says about works, events and staff, block by block.

Only the text of blocks is read, which holds no solutions: a fact is for whoever may read its block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from core.facts import FactKind, Moment
from core.store.facts import CourseFacts
from core.store.tables import DocumentRow, EventRow, NodeRow, StaffRow, WorkRow
from core.text.dates import is_day_first, read_moments
from core.types import Source
from ingestion.facts.cues import DUE, LATE_RULE
from ingestion.facts.people import StaffPerson, people_in, person_in_row
from ingestion.facts.statements import Context, DateRole, DateStatement, is_day_alone, read_lead, read_line
from ingestion.facts.tables import FactRow, FactTable, cells_of, is_rule, read_row
from retrievers.names import works_named_by
from retrievers.works import MAX_LINE_CHARS, WorkName, plain_line, works_in

HEAD_LINES = 25
"""Lines at the beginning of a sheet in which a date without a work is its own."""
SECTION_LINES = 8
"""The same below a heading that names a work."""
MAX_QUOTE = 400
MAX_STATEMENTS = 400
"""Of one document; a longer list is no schedule."""
_PLAN = re.compile(
    r"schedule|calendar|\bplan|week|agenda|outline|timeline|topics|semester|syllabus|zeitplan|termine|woche|ablauf|calendario|"
    r"cronograma|semana|calendrier|semaine|rooster|planning|日程|课程安排|周",
    re.IGNORECASE,
)
"""Headings below which a line that begins with a day is a class on that day."""
_POINTS = re.compile(r"\(?\b(\d{1,4}(?:\.\d+)?)\s*(?:points?|pts?\b|punkte|puntos)", re.IGNORECASE)
_LATE_HEADING = re.compile(r"\blate\b|\bgrace\b|slip days?|verspätet|retard|tard[eí]|te laat|迟交", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=[A-Z¿¡\u4e00-\u9fff])")
MAX_LATE_RULES, MIN_RULE_WORDS = 3, 5
MAX_RULE_CHARS = 1_500
"""Of a sentence that is looked at for a rule."""
_ITEM = re.compile(r"\s*[-*+•]\s")
_WEEK = re.compile(r"\b(?:week|woche|semana|semaine)\s*#?(\d{1,2})\b", re.IGNORECASE)


def read_facts(document: DocumentRow, nodes: Sequence[NodeRow]) -> CourseFacts:
    """What the blocks among the nodes say. Never fails; time is linear in their text."""
    blocks = [node for node in nodes if node.kind == "block"]
    return _Reader(document, blocks).read()


def work_of_document(name: str, title: str) -> WorkName | None:
    """The work whose sheet a file is, by its name and title; None where they name none or several."""
    path = PurePosixPath(name)
    for text in (title, path.stem, *reversed(path.parts[1:-1])):
        plain = plain_line(re.sub(r"[_-]+", " ", text.removesuffix(path.suffix)))
        works = {work.key: work for work in works_in(plain)}
        if not works:
            works = {work.key: work for work in map(_work, works_named_by(plain.casefold())) if work}
        if len(works) == 1:
            return next(iter(works.values()))
        if works:
            return None
    return None


def _work(name: str) -> WorkName | None:
    kind, _, number = name.rpartition(" ")
    return WorkName(kind, number) if kind and kind not in ("section", "chapter", "week", "lecture") else None


@dataclass
class _Reader:
    document: DocumentRow
    blocks: Sequence[NodeRow]
    works: list[WorkRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    staff: list[StaffRow] = field(default_factory=list)
    _table: FactTable | None = None
    _week: int | None = None
    _lines: int = 0
    _late_rules: int = 0
    _headings: set[str] = field(default_factory=set)

    def read(self) -> CourseFacts:
        sheet = self.document.source == Source.ASSIGNMENT
        self._own = work_of_document(self.document.name, self.document.title) if sheet else None
        texts = [block.text for block in self.blocks]
        self._day_first = bool(is_day_first("\n".join(islice(texts, 200))))
        for block in self.blocks:
            if len(self.works) + len(self.events) > MAX_STATEMENTS:
                break
            self._read_block(block)
        return CourseFacts(self._without_own_disagreement(), self.events, self.staff)

    def _read_block(self, block: NodeRow) -> None:
        headings = list(dict.fromkeys((self.document.title, *block.heading_path)))
        context = self._context(headings)
        if _WEEK.search(headings[-1]):
            self._week = int(_WEEK.search(headings[-1])[1])  # type: ignore[index]
        for heading in headings:
            if heading not in self._headings:
                self._headings.add(heading)
                self._put(block, read_line(heading, replace(context, day=None)), heading)
        lines = block.text.split("\n")
        led: Context | None = None
        for number, line in enumerate(lines):
            if not line.strip():
                continue
            self._lines += 1
            is_item = bool(_ITEM.match(line))
            own = led if led and is_item and is_day_alone(line, context) else context
            following = lines[number + 1] if number + 1 < len(lines) else ""
            self._read_line(block, line, following, number, own)
            if not is_item:
                led = read_lead(line, context)
        self._read_people(block, lines, headings)
        self._read_late_rules(block, headings)

    def _context(self, headings: Sequence[str]) -> Context:
        """The day is that of the lowest heading with a single one; the work that of the lowest which names one."""
        work = next((work for heading in reversed(headings) if (work := _only(works_in(plain_line(heading))))), None)
        days = (read_moments(plain_line(heading), day_first=self._day_first) for heading in reversed(headings[1:]))
        day = next((moments[0] for moments in days if len(moments) == 1 and moments[0].last is None), None)
        is_plan = self.document.source == Source.LOGISTICS and any(
            map(_PLAN.search, (*headings, PurePosixPath(self.document.name).stem))
        )
        return Context(work or self._own, day, day_first=self._day_first, is_list=is_plan)

    def _read_line(self, block: NodeRow, line: str, following: str, number: int, context: Context) -> None:
        if is_rule(line):
            return
        cells = cells_of(line)
        if cells:
            table = FactTable.with_head(cells) if (self._table is None or is_rule(following)) else None
            if table or is_rule(following):
                self._table = table
                return
            if self._table:
                row = self._table.read(cells, line.strip(), replace(context, work=None), self._week)
                self._week = row.week or self._week
                self._put_row(block, row, line)
                return
            if said := list(read_row(cells, line.strip(), context)):
                self._put(block, said, line)
                return
        elif line.strip():
            self._table = None
        if not self._may_say(line, context):
            return
        is_head = self._lines <= HEAD_LINES or (context.work is not self._own and number < SECTION_LINES)
        is_head = is_head or context.role is not None
        is_list = context.is_list and (bool(cells) or line.lstrip()[:1] in "-*+•" or self._is_dated(line))
        inner = replace(context, work=context.work if is_head else None, is_list=is_list)
        self._put(block, read_line(line, inner), line)

    def _may_say(self, line: str, context: Context) -> bool:
        """A quick look: without a digit there is no date, and books say most things with numbers in them."""
        if self.document.source in (Source.TEXTBOOK, Source.QA):
            return bool(DUE.search(line))
        return context.day is not None or any(map(str.isdigit, line[:MAX_LINE_CHARS]))

    @staticmethod
    def _is_dated(line: str) -> bool:
        return bool(moments := read_moments(line[:40])) and moments[0].start < 12

    def _put_row(self, block: NodeRow, row: FactRow, line: str) -> None:
        if row.person is not None:
            if person := person_in_row(row.person, line.strip()):
                self._put_person(block, person)
            return
        self._put(block, row.statements, line, row.place, row.points)

    def _put(
        self,
        block: NodeRow,
        statements: Iterable[DateStatement],
        line: str,
        place: str = "",
        points: float | None = None,
    ) -> None:
        for statement in statements:
            quote = statement.quote if len(statement.quote) <= MAX_QUOTE else statement.quote[:MAX_QUOTE]
            if statement.role in (DateRole.DUE, DateRole.RELEASED) and statement.work and statement.moment:
                self._put_work(block, statement, quote, points)
            elif (
                statement.role not in (DateRole.DUE, DateRole.RELEASED) and statement.moment and self._may_hold_events()
            ):
                self._put_event(block, statement, quote, place or _place(line))

    def _may_hold_events(self) -> bool:
        """Books, and the tasks below the head of a sheet, are about other exams and holidays."""
        is_head = self.document.source == Source.ASSIGNMENT and self._lines <= HEAD_LINES
        return self.document.source == Source.LOGISTICS or is_head

    def _put_work(self, block: NodeRow, statement: DateStatement, quote: str, points: float | None) -> None:
        work, moment = statement.work, _stored(statement.moment)
        if work is None:
            return
        found = _POINTS.search(quote)
        own = self._own is not None and work.key == self._own.key
        row = WorkRow(
            node_id=block.id,
            ordinal=len(self.works),
            course_id=block.course_id,
            kind=work.kind,
            number=work.number,
            title=work.title,
            is_own=own,
            is_change=statement.is_change,
            due=moment if statement.role is DateRole.DUE else None,
            released=moment if statement.role is DateRole.RELEASED else None,
            points=points if points is not None else float(found[1]) if found else None,
            quote=quote,
        )
        self.works.append(row)

    def _put_event(self, block: NodeRow, statement: DateStatement, quote: str, place: str) -> None:
        self.events.append(
            EventRow(
                node_id=block.id,
                ordinal=len(self.events),
                course_id=block.course_id,
                kind=FactKind(statement.role.value),
                title=statement.title,
                at=_stored(statement.moment),
                last_day=statement.last_day,
                until=statement.until,
                week=self._week,
                place=place,
                quote=quote,
            )
        )

    def _read_people(self, block: NodeRow, lines: Sequence[str], headings: Sequence[str]) -> None:
        if self.document.source != Source.LOGISTICS:
            return
        for person in people_in([line for line in lines if not cells_of(line)], headings[-1]):
            self._put_person(block, person)

    def _put_person(self, block: NodeRow, person: StaffPerson) -> None:
        self.staff.append(
            StaffRow(
                node_id=block.id,
                ordinal=len(self.staff),
                course_id=block.course_id,
                name=person.name,
                role=person.role,
                hours=person.hours,
                place=person.place,
                quote=person.quote[:MAX_QUOTE],
            )
        )

    def _read_late_rules(self, block: NodeRow, headings: Sequence[str]) -> None:
        if self.document.source not in (Source.LOGISTICS, Source.ASSIGNMENT):
            return
        is_rule_section = any(_LATE_HEADING.search(heading) for heading in headings[-1:])
        for sentence in _sentences(block.text):
            if cells_of(sentence) or len(sentence.split()) < MIN_RULE_WORDS:
                continue
            if self._late_rules >= MAX_LATE_RULES:
                return
            if LATE_RULE.search(sentence[:MAX_RULE_CHARS]) and (is_rule_section or _LATE_HEADING.search(sentence)):
                self._late_rules += 1
                own = self._own or WorkName("")
                self.works.append(
                    WorkRow(
                        node_id=block.id,
                        ordinal=len(self.works),
                        course_id=block.course_id,
                        kind=own.kind,
                        number=own.number,
                        title=own.title,
                        late_rule=sentence,
                        quote=sentence,
                        is_own=bool(own.kind),
                    )
                )

    def _without_own_disagreement(self) -> list[WorkRow]:
        """Without the days that lines of a sheet give without naming a work, where they are several: parts of it."""
        unnamed = [row for row in self.works if row.is_own and row.due and not works_in(plain_line(row.quote))]
        days = {Moment.model_validate(row.due).text[:10] for row in unnamed}
        dropped = {id(row) for row in unnamed} if len(days) > 1 else set()
        return [row for row in self.works if id(row) not in dropped]


def _only(works: Sequence[WorkName]) -> WorkName | None:
    return works[0] if len({work.key for work in works}) == 1 else None


def _sentences(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        for sentence in _SENTENCE.split(line.strip()):
            if sentence and len(sentence) <= MAX_QUOTE:
                yield sentence


_PLACE = re.compile(
    r"\b(?:in|at|room|raum|aula|salle|zaal|hörsaal)\s+((?:room\s+|raum\s+|hörsaal\s+)?[A-ZÀ-Þ][\w.'-]*(?:\s+[A-ZÀ-Þ][\w.'-]*){0,2}"
    r"\s+[A-Z]?\d[\w.-]*|(?:room\s+|raum\s+)?[A-Z]?\d{2,4}[A-Z]?(?:\s+[A-ZÀ-Þ]\w+(?:\s+[A-ZÀ-Þ]\w+)?)?)",
    re.IGNORECASE,
)


def _place(line: str) -> str:
    match = _PLACE.search(plain_line(line))
    return match[1] if match and not read_moments(match[1]) else ""


def _stored(moment: Moment | None) -> dict[str, Any] | None:
    return moment.model_dump(exclude_defaults=True) if moment else None
