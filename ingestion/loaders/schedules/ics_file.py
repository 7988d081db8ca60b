"""iCalendar files, with the dates of what is repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.errors import DataDocument
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import decode
from ingestion.loaders.schedules.tables import cell_text, schedule, table_lines

MAX_REPEATS = 60
MAX_EVENTS = 600


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument`, `EmptyDocument`, and `DataDocument` for what is no calendar."""
    from icalendar import Calendar

    decoded = decode(name, data)
    try:
        calendar = Calendar.from_ical(decoded.text)
        zone = _zone(str(calendar.get("X-WR-TIMEZONE", "")))
        records = [record for event in islice(calendar.walk("VEVENT"), MAX_EVENTS) for record in _records(event, zone)]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise DataDocument(f"{name}: no calendar that can be read ({error}).") from error
    records.sort(key=lambda record: record["Date"])
    title = str(calendar.get("X-WR-CALNAME", "")) or None
    return schedule(name, title, [Line(text) for text in table_lines(records)])


def _records(event: Any, zone: ZoneInfo | None) -> Iterator[Mapping[str, str]]:
    if "DTSTART" not in event or str(event.get("STATUS", "")) == "CANCELLED":
        return
    start = _local(event["DTSTART"].dt, zone)
    end = _local(event["DTEND"].dt, zone) if "DTEND" in event else start
    length = end - start if isinstance(start, datetime) == isinstance(end, datetime) else timedelta(0)
    for begin in _repeated(event, start):
        yield {
            "Date": _text(begin),
            "End": _text(_last(begin, length)) if length else "",
            "Event": cell_text(str(event.get("SUMMARY", ""))),
            "Place": cell_text(str(event.get("LOCATION", ""))),
            "Description": cell_text(str(event.get("DESCRIPTION", "")))[:300],
        }


def _last(begin: date, length: timedelta) -> date:
    """An event of whole days ends before the day that the file names."""
    return begin + length if isinstance(begin, datetime) else begin + length - timedelta(days=1)


def _repeated(event: Any, start: date) -> Iterator[date]:
    """The beginnings of an event; times are of its place, so that it stays at its hour."""
    if "RRULE" not in event:
        yield start
        return
    from dateutil.rrule import rrulestr

    is_day = not isinstance(start, datetime)
    first = datetime.combine(start, datetime.min.time()) if is_day else start
    rule = event["RRULE"]
    if "UNTIL" in rule:
        last = _local(rule["UNTIL"][0], None)
        end = datetime.combine(last, datetime.max.time()) if not isinstance(last, datetime) else last
        rule = {**rule, "UNTIL": [end]}
        text = ";".join(f"{key}={','.join(map(str, _listed(value)))}" for key, value in rule.items() if key != "UNTIL")
        days = rrulestr(text, dtstart=first).xafter(first, inc=True)
        moments = [day for day in islice(days, MAX_REPEATS) if day <= end]
    else:
        moments = list(islice(rrulestr(rule.to_ical().decode(), dtstart=first), MAX_REPEATS))
    for moment in moments:
        yield moment.date() if is_day else moment


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _local(moment: Any, zone: ZoneInfo | None) -> Any:
    """The time on the clocks of the place, without its zone."""
    if not isinstance(moment, datetime):
        return moment
    if zone is not None and moment.tzinfo is not None and moment.utcoffset() == timedelta(0):
        moment = moment.astimezone(zone)
    return moment.replace(tzinfo=None)


def _text(moment: date) -> str:
    return moment.strftime("%Y-%m-%d %H:%M") if isinstance(moment, datetime) else moment.isoformat()


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
