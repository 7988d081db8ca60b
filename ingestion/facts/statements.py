"""What single lines of a course's material say: what is due, handed out or held when.

A line is read clause by clause. A date belongs to the word before it that says what happens then, and to the work that
stands nearest to both; where no work stands in the line, to the sheet whose head it is in. What cannot be told is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from core.facts import Moment
from core.text.dates import Mention, read_moments, times_in
from ingestion.facts.cues import CHANGED, DUE, EXAM, HOLIDAY, LATE, NEGATED, NO_EXAM, RELEASED
from retrievers.names import TO_HAND_IN
from retrievers.works import WorkName, plain_line, works_in

MAX_SUBJECT_WORDS = 7
MAX_TITLE_CHARS = 80
MAX_LEAD_WORDS, MAX_LEAD_CHARS = 6, 120
MAX_AHEAD = 40
"""Characters before the first work of a clause that a due date heads."""
_CLAUSE = re.compile(
    r"\s*(?:;|•|·|\u2022|\s\|\s|(?<=[^\d\s.][^\s.][.!?])\s+(?=[A-Z*\[(])|(?<=[\d/]\d\.)\s+(?=[A-Z]))\s*"
)
_LEAD = re.compile(
    r"^[\s\-*+•·>|#(\[_]*(?:\d{1,2}[.)]\s+)?(?:(?:week|wk|woche|semana|l|lecture|class|day)\s*\d{1,2}\s*[:,.|(–-]*\s*)?[\s(*_\[]*$",
    re.I,
)
_AND = re.compile(r"[\s,]*(?:,|and|&|\+|und|y|et|en|和)?[\s,]*")
_FILLER = frozenset(
    """
    this the all both each these a an is are was be will must should please submit hand turn in your you it by on
    at to of for and or parts part assignment assignments homework hw project sheet work completed solutions
    electronically online via canvas gradescope blackboard moodle not later than no before date time final due
    deadline submission submissions that they has have can note reminder important pdf file files also new now
    next last one original diese dieses die der das bis am um alle el la los las hasta le les jusqu au de del
    midnight class start end
    """.split()  # noqa: SIM905
)
_EXAM_FORMS = frozenset(
    [
        "in-class",
        "written",
        "oral",
        "take-home",
        "online",
        "first",
        "second",
        "third",
        "in",
        "class",
        "mid",
        "cumulative",
        "written",
    ]
)
_HELD = re.compile(
    r"[\s\d)(*_]*(?:exam\w*)?[\s,:(–—-]*(?:(?:is|are|on|will be|will take place|takes place|held|scheduled|am|"
    r"findet|ist|es|el|"
    r"será|aura lieu|le|is op|op|for|at|date)\s*){0,4}[\s,:(*_–—-]*",
    re.IGNORECASE,
)
_OF_ANOTHER_DAY = re.compile(r"\b(?:make-?up|retake|results?|instead|was|were|because|for the)\b", re.IGNORECASE)
"""Words by which of several dates in a clause one is not that of the exam beside it."""
_OBJECTS = frozenset(
    """
    answers answer solutions solution write-up writeup report notebook code document files responses response
    problems exercises questions everything copy version problem hard digital physical paper scan scanned latex
    typed written respuestas lösungen réponses antwoorden monday tuesday wednesday thursday friday saturday sunday
    mon tue tues wed thu thur thurs fri sat sun pm am edt est pst pdt et pt utc midnight noon eod beginning
    brightspace d2l gitlab github email
    """.split()  # noqa: SIM905
)
"""What is handed in is mostly called so; it is no other thing than the sheet."""
_CODE = re.compile(r"[=(){}\\\"<>]")
"""In what is no name of a thing to hand in."""
_NO_SUBJECT = re.compile(
    r"(?:since|because|if|when|as|although|while|once|unless|after|note|remember|what|how|wenn|si)\b|.*[!?]", re.I
)
_HANDS_IN = re.compile(r"\b(?:hand|turn|submi|upload|entregar|abzugeben|abgeben|inlever)\w*", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+|(?<!\S)[\w.-]+(?:/[\w.-]+)+(?!\S)")
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:['’-][^\W_]+)*")


class DateRole(StrEnum):
    DUE = "due"
    RELEASED = "released"
    EXAM = "exam"
    HOLIDAY = "holiday"
    LECTURE = "lecture"


@dataclass(frozen=True, slots=True)
class DateStatement:
    """One thing that a line says. `work` is what is due or held; `title` are the words of an event."""

    role: DateRole
    quote: str
    moment: Moment | None = None
    work: WorkName | None = None
    title: str = ""
    until: str = ""
    last_day: int | None = None
    is_change: bool = False
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around a line: the work whose sheet or section it is in the head of, the day of its row or heading,
    and, in a table, what its column says."""

    work: WorkName | None = None
    day: Mention | None = None
    role: DateRole | None = None
    day_first: bool = False
    is_list: bool = False
    may_hold: bool = True
    """Whether an exam or holiday that a line names is on its day; news only begin with theirs."""


def read_line(line: str, context: Context) -> Iterator[DateStatement]:
    """What a line says; `quote` is the line as it is written."""
    text = plain_line(line)
    quote = line.strip()
    moments = _moments(text, context)
    lead = moments[0] if moments and _LEAD.match(text[: moments[0].start]) else None
    if lead and len(moments) > 1 and not _cues(text):
        lead = None  # "March 3: Midterm 1, April 7: Midterm 2": each date leads to what stands behind it.
    rest = text[lead.end :] if lead else text
    is_heading = lead is not None and not rest.strip(" .:–-|")
    day = lead if lead and not is_heading else context.day
    inner = replace(context, day=day, may_hold=lead is None or context.is_list)
    clauses = _clauses(rest if lead and not is_heading else text)
    if len(clauses) > 1 and (headed := _headed(clauses, quote, inner)):
        yield headed
        clauses = clauses[2:]
        inner = replace(inner, work=None)
    said = [statement for clause in clauses for statement in _read_clause(clause, quote, inner)]
    yield from said
    if lead and not is_heading and context.is_list and not said:
        yield from _read_event(rest, quote, lead)


def read_lead(line: str, context: Context) -> Context | None:
    """What a line says of the list below it ("Due:", "Lab 6 is due"); None where it leads to none, or to what is handed
    in ("Turn in:")."""
    if len(line) > MAX_LEAD_CHARS or len(_WORD.findall(line)) > MAX_LEAD_WORDS or _HANDS_IN.search(line):
        return None
    text = plain_line(line).strip(" :-*+•")
    cues, works = _cues(text), works_in(text)
    if len(cues) != 1 or cues[0].role is None or len(works) > 1 or _moments(text, context):
        return None
    if not works and set(_content(text)) - _OBJECTS:
        return None
    return replace(context, role=cues[0].role, work=works[0] if works else context.work)


def is_day_alone(line: str, context: Context) -> bool:
    """Whether an item of a list is a day, with nothing but a remark in brackets behind it."""
    text = plain_line(line).strip(" -*+•.,;")
    moments = _moments(text, context)
    rest = text[: moments[0].start] + text[moments[0].end :] if len(moments) == 1 else text
    return len(moments) == 1 and bool(re.fullmatch(r"[\s,;:]*(?:\([^()]*\))?[\s.]*", rest))


def _headed(clauses: Sequence[str], quote: str, context: Context) -> DateStatement | None:
    """Of a line that begins with a due date alone ("Due 1/24 in class. Homework 1 on ..."): what is due then, which is
    the first thing that the next clause names."""
    first, following = clauses[0], clauses[1]
    moments, cues = _moments(first, context), _cues(first)
    if len(moments) != 1 or len(cues) != 1 or cues[0].role is not DateRole.DUE or works_in(first):
        return None
    if _WORD.search(first[: cues[0].start]) or _content(first[: moments[0].start]):
        return None
    if set(_content(first[moments[0].end :])) - _OBJECTS:
        return None
    works = [work for work in works_in(following) if work.start <= MAX_AHEAD]
    if not works and (RELEASED.search(following) or DUE.search(following)):
        return None
    if not works and len(_WORD.findall(following)) > MAX_SUBJECT_WORDS:
        return None
    work = works[0] if works else WorkName("", title=title_of(following))
    return _statement(DateRole.DUE, quote, moments[0], work, False, context) if works or work.title else None


def _moments(text: str, context: Context) -> list[Mention]:
    """The days in a text; the number of a work is none: "homework 9 April 28"."""
    for work in works_in(text):
        text = f"{text[: work.start]}{'_' * (work.end - work.start)}{text[work.end :]}"
    return read_moments(text, day_first=context.day_first)


def _clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(text) if clause.strip()]


def _read_clause(clause: str, quote: str, context: Context) -> Iterator[DateStatement]:
    moments = _moments(clause, context)
    cues = _cues(clause)
    works = works_in(clause)
    is_change = bool(CHANGED.search(clause))
    said = False
    previous_end, previous_role = 0, context.role
    for n, mention in enumerate(moments):
        role = _role_of(mention, cues, previous_end, previous_role)
        if role is None and len(moments) == 1 and all(cue.start >= mention.end for cue in cues):
            role = _cue_behind(clause, mention)
        if role:
            for work in _owners(clause, works, moments, n, cues, context):
                said = True
                yield _statement(role, quote, mention, work, is_change, context)
        previous_end, previous_role = mention.end, role or previous_role
    if not moments:
        for statement in _without_date(clause, quote, cues, works, context):
            said = True
            yield statement
    if not said and not any(cue.role for cue in cues):
        yield from _held(clause, quote, moments, works, context)


@dataclass(frozen=True, slots=True)
class _Cue:
    start: int
    end: int
    role: DateRole | None
    """None for dates that are neither due nor release: those of late work."""


def _cues(clause: str) -> list[_Cue]:
    cues = [_Cue(*match.span(), None) for match in LATE.finditer(clause)]
    for pattern, role in ((DUE, DateRole.DUE), (CHANGED, DateRole.DUE), (RELEASED, DateRole.RELEASED)):
        for match in pattern.finditer(clause):
            if not NEGATED.search(clause[: match.start()]):
                cues.append(_Cue(*match.span(), role))  # noqa: PERF401
    cues.sort(key=lambda cue: cue.start)
    return [
        cue for n, cue in enumerate(cues) if not (n and cues[n - 1].role is None and cue.start - cues[n - 1].end < 12)
    ]


def _role_of(mention: Mention, cues: Sequence[_Cue], previous_end: int, previous: DateRole | None) -> DateRole | None:
    """By the last cue before the date; without one since the last date, as the last date."""
    before = [cue for cue in cues if previous_end <= cue.start < mention.start]
    if before:
        return before[-1].role
    return previous


def _cue_behind(clause: str, mention: Mention) -> DateRole | None:
    match = DUE.search(clause[mention.end : mention.end + 16])
    return DateRole.DUE if match else None


def _owners(
    clause: str,
    works: Sequence[WorkName],
    moments: Sequence[Mention],
    n: int,
    cues: Sequence[_Cue],
    context: Context,
) -> list[WorkName]:
    """The works that a date belongs to: those between it and the date before, else those behind it, else earlier ones,
    else that of the sheet."""
    mention = moments[n]
    low = moments[n - 1].end if n else 0
    high = moments[n + 1].start if n + 1 < len(moments) else len(clause)
    before = [work for work in works if low <= work.start and work.end <= mention.start]
    if before:
        return _joined(clause, before)
    subject = _subject(clause[: mention.start], cues)
    behind = [work for work in works if mention.end <= work.start and work.end <= high]
    if (
        subject == ""
        and behind
        and (n + 1 == len(moments) or not _joins_next(clause, behind[-1], moments[n + 1], cues))
    ):
        return _joined(clause, behind, from_first=True)
    if earlier := [work for work in works if work.end <= low]:
        return earlier[-1:]
    if subject is None:
        return []
    if subject:
        return [WorkName("", title=subject)]
    if context.work is None and n == 0 and (title := _behind(clause[mention.end : high])):
        return [WorkName("", title=title)]
    return [context.work] if context.work else []


def _behind(text: str) -> str:
    """What a clause says is due behind the date: "Due 2/3 Class 6 Quiz"."""
    title = title_of(text)
    words = _WORD.findall(title)
    return title if len(words) <= MAX_SUBJECT_WORDS and set(_content(title)) - _OBJECTS else ""


def _joins_next(clause: str, work: WorkName, following: Mention, cues: Sequence[_Cue]) -> bool:
    """Whether a work behind a date belongs to the next date ("hw1 is due 2/1, hw2 2/8")."""
    return bool(clause[work.end : following.start].strip() != "" or cues) and following.start - work.end < 40


def _joined(clause: str, works: Sequence[WorkName], *, from_first: bool = False) -> list[WorkName]:
    """The last of these works with those joined to it by "and", or the first with those joined behind it."""
    ordered = list(works) if from_first else list(reversed(works))
    kept = [ordered[0]]
    for work in ordered[1:]:
        low, high = sorted((kept[-1], work), key=lambda one: one.start)
        if not _AND.fullmatch(clause[low.end : high.start]):
            break
        kept.append(work)
    return kept


def _subject(text: str, cues: Sequence[_Cue]) -> str | None:
    """What a clause without a known work says is due: its words up to the first cue; None where they are no name."""
    first = next((cue for cue in cues if cue.role is DateRole.DUE and cue.start <= len(text)), None)
    if first is None:
        return ""
    words = text[: first.start].partition(",")[0].strip(" \t:-–—*>|.(")
    found = _WORD.findall(words)
    if not _content(words):
        # What is handed in stands behind the verb: "submit the form by Friday" is about no sheet.
        return None if set(_content(text[first.end :])) - _OBJECTS else ""
    if len(found) > MAX_SUBJECT_WORDS or _NO_SUBJECT.match(words) or _CODE.search(words):
        return None
    return re.sub(r"^(?:the|your|a|an)\s+|\s+(?:is|are|will be|must be)$", "", words, flags=re.IGNORECASE)[
        :MAX_TITLE_CHARS
    ]


def _content(text: str) -> list[str]:
    """The words that name something; "it's" names as little as "it"."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return [word for word in words if re.split("['’]", word)[0] not in _FILLER]


def _statement(
    role: DateRole, quote: str, mention: Mention, work: WorkName, is_change: bool, context: Context
) -> DateStatement:
    return DateStatement(
        role, quote, mention.moment, work, until=mention.until, is_change=is_change and role is DateRole.DUE,
        is_own=context.work is not None and work.key == context.work.key,
    )  # fmt: skip


def _without_date(
    clause: str, quote: str, cues: Sequence[_Cue], works: Sequence[WorkName], context: Context
) -> Iterator[DateStatement]:
    """What a clause says of the day of its row or heading: "Deadline third homework" under a date."""
    if context.day is None or context.day.last is not None:
        return
    times = times_in(clause)
    day = context.day
    if times and not day.moment.time:
        day = replace(day, moment=day.moment.model_copy(update={"time": times[0].time}))
    if not cues and context.role in (DateRole.DUE, DateRole.RELEASED) and not DUE.search(clause):
        for work in works or _due_on_day(clause, context):
            yield _statement(context.role, quote, day, work, False, context)
        return
    low = 0
    for n, cue in enumerate(cues):
        high = cues[n + 1].start if n + 1 < len(cues) else len(clause)
        before = [work for work in works if low <= work.start and work.end <= cue.start]
        behind = [work for work in works if cue.end <= work.start and work.end <= high]
        owners = _joined(clause, before) if before else _joined(clause, behind, from_first=True) if behind else []
        if cue.role and owners:
            for work in owners:
                yield _statement(cue.role, quote, day, work, False, context)
        low = cue.end


def _due_on_day(clause: str, context: Context) -> list[WorkName]:
    """What the words beside a day name; for whom the day is ("(Tuesday labs)") is no name of a thing."""
    if context.work and clause.strip().startswith("("):
        return [context.work]
    return [WorkName("", title=title)] if (title := title_of(clause)) else []


def _held(
    clause: str, quote: str, moments: Sequence[Mention], works: Sequence[WorkName], context: Context
) -> Iterator[DateStatement]:
    """An exam or holiday on the clause's own date, or that of its row; of several, each on its own date."""
    if len(moments) > 1:
        parts = list(_by_date(clause, moments))
        is_told = _OF_ANOTHER_DAY.search(clause) or not all(EXAM.search(part) or HOLIDAY.search(part) for part in parts)
        for part in () if is_told else parts:
            if len(own := _moments(part, context)) == 1:
                yield from _held(part, quote, own, works_in(part), context)
        return
    day = moments[0] if moments else context.day if context.may_hold else None
    if day is None:
        return
    match = EXAM.search(clause)
    if match and not NO_EXAM.search(clause) and day.last is None and _is_held(clause, match, moments):
        if day is context.day and (times := times_in(clause)) and not day.moment.time:
            moment = day.moment.model_copy(update={"time": times[0].time})
            day = replace(day, moment=moment, until=times[0].until)
        named = next((work for work in works if work.kind not in TO_HAND_IN), None)
        title = (
            clause[named.start : named.end] if named else clause[_start_of_name(clause, match.start()) : match.end()]
        )
        yield DateStatement(DateRole.EXAM, quote, day.moment, named, title=title.strip(), until=day.until)
    elif (match := HOLIDAY.search(clause)) and _is_held(clause, match, moments):
        yield DateStatement(
            DateRole.HOLIDAY, quote, day.moment, title=title_of(clause) or match.group(), last_day=day.last
        )  # fmt: skip


def _by_date(clause: str, moments: Sequence[Mention]) -> Iterator[str]:
    """The clause in parts of one date each: with the words before it or, where it begins with a date, behind it."""
    if _content(clause[: moments[0].start]):
        borders = [0, *(mention.end for mention in moments[:-1]), len(clause)]
    else:
        borders = [0, *(mention.start for mention in moments[1:]), len(clause)]
    yield from (clause[start:end] for start, end in pairwise(borders))


def _start_of_name(clause: str, position: int) -> int:
    """Where a name begins that ends in a word at `position`: "class 6 quiz", "unit test"."""
    match = re.search(r"(?:[^\W_]+[ ]){1,3}$", clause[max(0, position - 30) : position])
    return position - len(match.group()) if match and not read_moments(match.group()) else position


def _is_held(clause: str, exam: re.Match[str], moments: Sequence[Mention]) -> bool:
    """Whether a clause is about an exam taking place: it begins with it, or goes from it to a date."""
    before = [word for word in _WORD.findall(clause[: exam.start()]) if word.casefold() not in _FILLER | _EXAM_FORMS]
    if moments and moments[0].end <= exam.start():
        before = [
            word
            for word in _WORD.findall(clause[moments[0].end : exam.start()])
            if word.casefold() not in _FILLER | _EXAM_FORMS
        ]
    if not before:
        return True
    is_ahead = bool(moments) and exam.end() <= moments[0].start
    return is_ahead and bool(_HELD.fullmatch(clause[exam.end() : moments[0].start]))


def _read_event(rest: str, quote: str, lead: Mention) -> Iterator[DateStatement]:
    if (title := title_of(rest)) and lead.last is None:
        yield DateStatement(DateRole.LECTURE, quote, lead.moment, title=title, until=lead.until)


def title_of(text: str) -> str:
    """The words of a cell or line, as a title."""
    words = re.sub(r"\s+", " ", _ADDRESS.sub(" ", plain_line(text))).strip(" :–—-|.,;()")
    return words[:MAX_TITLE_CHARS].rstrip() if len(_WORD.findall(words)) else ""
