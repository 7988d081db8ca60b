"""Dates and times written in a text, in the languages that courses are written in.

Names of months and weekdays are those of the Unicode CLDR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from core.facts import Moment, day_of

LANGUAGES = ("en", "de", "es", "fr", "nl", "it", "pt")
"""Those with names of months; Chinese and Japanese write numbers."""
_WORDS = frozenset(
    """
    out set ago mag lug gen fin do so sa di mi ma me mo fr vr wo za zo lu ju je ve vi we th mar mer dom sun sat ven sab
    gio dim don
    """.split()  # noqa: SIM905
)
"""Short names that are words, or months and weekdays at once; behind a full stop or beside a number they still "
"count."""
_USUAL = {"sept": 9, "tues": 1, "thur": 3, "thurs": 3, "weds": 2}
MAX_GAP = 16
"""Characters between a date and its weekday or time."""
_NEAR_WORDS = (
    r"(?:[\s,;:(@–—-]|T|\b(?:at|by|on|before|until|to|the|end|of|a|las|à|um|bis|vor|op|om|voor|antes|del?|le|am|"
    r"el|den)\b)*"
)
_BEFORE_TIME = _NEAR_WORDS.replace("[", "[)", 1).replace("(?:at|", "(?:in|class|at|", 1)
"""Between a day and a time behind it: "(10/3) in class at 9pm"."""
_CJK_WEEKDAYS = {sign: n for n, sign in enumerate("一二三四五六日")} | {"天": 6}


@cache
def _names() -> tuple[dict[str, int], dict[str, int]]:
    """Months (from 1) and weekdays (from 0) by their names in small letters, without full stops."""
    from babel import Locale

    months: dict[str, int] = {}
    days: dict[str, int] = {}
    for language in LANGUAGES:
        locale = Locale(language)
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                _add(months, locale.months[context][width].items())
                _add(days, locale.days[context][width].items())
    for name, number in _USUAL.items():
        (months if number == 9 else days)[name] = number
    for word in ("mar", "mrz", "mär"):
        months[word] = 3
    days |= {"sun": 6, "sat": 5}
    days.pop("mar", None)
    return months, days


def _add(names: dict[str, int], entries: Iterable[tuple[int, str]]) -> None:
    for number, written in entries:
        name = written.casefold().rstrip(".")
        if name[:1].isalpha() and len(name) >= 3 and name not in _WORDS:
            names.setdefault(name, number)


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """For days, weekdays and times of day."""
    months, days = _names()
    month = rf"(?:{_alternatives(months)})"
    year = r"(?:,?\s*(?:de\s+|del\s+)?(?P<{0}>(?:19|20)\d\d)(?!\d))?"
    last = r"(?:\s*[-–—]\s*(?P<{0}>\d{{1,2}})(?![\d:/]|\s*[ap]\.?m))?"
    day = (
        rf"(?<![^\W\d_])(?P<m1>{month})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:\d){last.format('l1')}"
        + year.format("y1")
        + r"|(?<![\d.:/])(?P<d2>\d{1,2})(?:st|nd|rd|th|\.|er|º)?(?:\s+|-)(?:of\s+|de\s+)?"
        + rf"(?P<m2>{month})(?![^\W\d_])\.?"
        + year.format("y2")
        + r"|(?<!\d)(?P<y3>(?:19|20)\d\d)(?P<s3>[-/])(?P<m3>\d{1,2})(?P=s3)(?P<d3>\d{1,2})(?!\d)"
        r"|(?<![\d/.])(?P<a4>\d{1,2})/(?P<b4>\d{1,2})(?:/(?P<y4>\d{4}|\d{2}))?(?![\d/])"
        r"|(?<![\d.])(?P<d5>\d{1,2})\.\s?(?P<m5>\d{1,2})\.(?!\d(?:\.|\b))(?:\s?(?P<y5>(?:19|20)\d\d|\d\d(?!\d|:)))?"
        r"|(?:(?P<y6>(?:19|20)\d\d)年)?(?P<m6>\d{1,2})月(?P<d6>\d{1,2})[日号]"
    )
    weekday = (
        rf"(?<![^\W\d_])(?P<name>{_alternatives(days)})(?![^\W\d_])\.?|(?:周|星期|礼拜)(?P<sign>[一二三四五六日天])"
    )
    time = (
        r"(?<![\d:.])(?P<h>\d{1,2})(?:[:.]?(?P<min>[0-5]\d))?\s*(?P<half>[ap])\.?\s?m(?:\b|(?=[ecmp][sd]?t\b))\.?"
        r"|(?<![\d:.])(?P<h24>[01]?\d|2[0-4]):(?P<min24>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s*(?P<half24>[ap])\.?m(?:\b|(?=[ecmp][sd]?t\b))\.?)?"
        r"|(?<![\d:.])(?P<uhr>[01]?\d|2[0-4])(?:[:.](?P<uhrmin>[0-5]\d))?\s*(?:uhr|h)\b"
        r"|\b(?P<word>midnight|noon|mitternacht|mittag|medianoche|mediodía|minuit|midi|middernacht|e\.?o\.?d|"
        r"end of (?:the )?day)\b"
    )
    flags = re.IGNORECASE
    return re.compile(day, flags), re.compile(weekday, flags), re.compile(time, flags)


_JOINED = re.compile(r"\s*(?:-|–|—|to|bis|until|till|a|à)\s*", re.IGNORECASE)
_BARE_BEGIN = re.compile(r"(?<![\d:.])(\d{1,2})(?:[:.]([0-5]\d))?\s*(?:-|–|—|to|bis|until|till|a|à)\s*$", re.IGNORECASE)
_NOON = ("noon", "mittag", "mediodía", "midi")


@dataclass(frozen=True, slots=True)
class Mention:
    """A moment in a text at `start` to `end`; `last` is the last day of a stretch of days, and `until` the time when it
    ends."""

    moment: Moment
    start: int
    end: int
    last: int | None = None
    until: str = ""


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day in a text, as `23:59`, and the end of the stretch that it begins, if any."""

    time: str
    start: int
    end: int
    until: str = ""


def read_moments(text: str, *, day_first: bool = False) -> list[Mention]:
    """The days written in a text, in order, each with the weekday, year and time beside it.

    `day_first` reads 3/4 as the third of April. Days that no year has are left out. Time is linear in the text.
    """
    pattern, _, _ = _patterns()
    matches = [(match, moment) for match in pattern.finditer(text) if (moment := _day(match, day_first))]
    mentions: list[Mention] = []
    for n, (match, moment) in enumerate(matches):
        before = matches[n - 1][0].end() if n else 0
        after = matches[n + 1][0].start() if n + 1 < len(matches) else len(text)
        mentions.append(_mention(text, match, moment, before, after))
    return _with_ranges(text, mentions)


def _with_ranges(text: str, mentions: list[Mention]) -> list[Mention]:
    """ "January 30 - February 3" as one stretch of days."""
    joined: list[Mention] = []
    for mention in mentions:
        if joined and joined[-1].last is None and _JOINED.fullmatch(text[joined[-1].end : mention.start]):
            first = joined[-1]
            if first.moment.is_day_of(mention.moment):
                joined[-1] = replace(first, end=mention.end, until=mention.moment.time)
            else:
                joined[-1] = replace(first, end=mention.end, last=mention.moment.day)
        else:
            joined.append(mention)
    return joined


def weekdays_in(text: str) -> list[int]:
    """The weekdays that a text names, in order (0 is Monday)."""
    return [_weekday(match) for match in _patterns()[1].finditer(text)]


def times_in(text: str) -> list[TimeOfDay]:
    """The times of day in a text, in order; of a stretch the first, with its end."""
    found = [(match, _time(match)) for match in _patterns()[2].finditer(text)]
    times: list[TimeOfDay] = []
    for match, time in found:
        if not time:
            continue
        if times and not times[-1].until and _JOINED.fullmatch(text[times[-1].end : match.start()]):
            begun = times[-1]
            has_half = "m" in text[begun.start : begun.end].casefold() or not (match["half"] or match["half24"])
            begin_time = begun.time if has_half else _begin(int(begun.time[:2]), int(begun.time[3:]), time)
            times[-1] = TimeOfDay(begin_time, begun.start, match.end(), time)
        elif begin := _BARE_BEGIN.search(text, max(0, match.start() - 12), match.start()):
            first = _begin(int(begin[1]), int(begin[2] or 0), time)
            times.append(TimeOfDay(first, begin.start(), match.end(), time))
        else:
            times.append(TimeOfDay(time, match.start(), match.end()))
    return times


def _begin(hour: int, minute: int, end: str) -> str:
    """The beginning of "4:10-7:00 pm": in the same half of the day, unless that would be behind its end."""
    last = int(end[:2]) * 60 + int(end[3:])
    if hour < 12 and (hour + 12) * 60 + minute < last:
        hour += 12
    return f"{hour:02d}:{minute:02d}"


def is_possible(moment: Moment) -> bool:
    """Whether some year has the day."""
    return day_of(moment, moment.year or 2000) is not None


def is_day_first(text: str) -> bool | None:
    """How 3/4 is meant in a text, by dates in it that can be read in one way; None where there are none."""
    pairs = [(int(a), int(b)) for a, b in re.findall(r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?:/\d{2,4})?(?![\d/])", text)]
    day_first = sum(12 < a <= 31 and 1 <= b <= 12 for a, b in pairs)
    month_first = sum(12 < b <= 31 and 1 <= a <= 12 for a, b in pairs)
    return None if day_first == month_first else day_first > month_first


def _day(match: re.Match[str], day_first: bool) -> Moment | None:
    months, _ = _names()
    groups = match.groupdict()
    if groups["m1"]:
        month, day, year = months[groups["m1"].casefold()], groups["d1"], groups["y1"]
    elif groups["m2"]:
        month, day, year = months[groups["m2"].casefold()], groups["d2"], groups["y2"]
    elif groups["a4"]:
        is_swapped = int(groups["a4"]) > 12 or (day_first and int(groups["b4"]) <= 12)
        first, second = (groups["b4"], groups["a4"]) if is_swapped else (groups["a4"], groups["b4"])
        month, day, year = int(first), second, groups["y4"]
    else:
        n = next(n for n in "356" if groups[f"d{n}"])
        month, day, year = int(groups[f"m{n}"]), groups[f"d{n}"], groups[f"y{n}"]
    if not (1 <= month <= 12 and 1 <= int(day) <= 31):
        return None
    full = int(year) + (2000 if len(year) == 2 else 0) if year else None
    moment = Moment(month=month, day=int(day), year=full)
    return moment if is_possible(moment) else None


def _mention(text: str, match: re.Match[str], moment: Moment, before: int, after: int) -> Mention:
    """The moment with the weekday and time beside it; what lies between two dates belongs to the one it touches."""
    start, end = match.span()
    last = match.groupdict()["l1"]
    weekday: int | None = None
    time, until = "", ""
    for _ in range(2):
        if weekday is None and (found := _beside(text, start, end, before, after, 1)):
            weekday, start, end = _weekday(found), min(start, found.start()), max(end, found.end())
        if not time and (stretch := _time_beside(text, start, end, before, after)):
            time, until = stretch.time, stretch.until
            start, end = min(start, stretch.start), max(end, stretch.end)
    return Mention(
        moment.model_copy(update={"weekday": weekday, "time": time}), start, end, int(last) if last else None, until
    )


def _beside(text: str, start: int, end: int, before: int, after: int, which: int) -> re.Match[str] | None:
    pattern = _patterns()[which]
    behind = pattern.search(text, end, min(after, end + 2 * MAX_GAP))
    if behind and re.fullmatch(_NEAR_WORDS, text[end : behind.start()], re.IGNORECASE):
        ahead_is_nearer = False
    else:
        behind, ahead_is_nearer = None, True
    ahead = list(pattern.finditer(text, max(before, start - 2 * MAX_GAP), start))
    if ahead and re.fullmatch(_NEAR_WORDS, text[ahead[-1].end() : start], re.IGNORECASE):
        return ahead[-1]
    return None if ahead_is_nearer else behind


def _time_beside(text: str, start: int, end: int, before: int, after: int) -> TimeOfDay | None:
    low, high = max(before, start - 2 * MAX_GAP), min(after, end + 3 * MAX_GAP)
    window = text[low:high]
    near = [
        TimeOfDay(time.time, time.start + low, time.end + low, time.until)
        for time in times_in(window)
    ]  # fmt: skip
    for time in near:
        if time.start >= end and re.fullmatch(_BEFORE_TIME, text[end : time.start], re.IGNORECASE):
            return time
    for time in reversed(near):
        if time.end <= start and re.fullmatch(_NEAR_WORDS, text[time.end : start], re.IGNORECASE):
            return time
    return None


def _weekday(match: re.Match[str]) -> int:
    if match["sign"]:
        return _CJK_WEEKDAYS[match["sign"]]
    return _names()[1][match["name"].casefold()]


def _time(match: re.Match[str]) -> str:
    """`23:59`; empty for what is no time of a day."""
    groups = match.groupdict()
    if word := groups["word"]:
        return "12:00" if word.casefold() in _NOON else "23:59"
    if groups["h"]:
        hour, minute, half = int(groups["h"]), int(groups["min"] or 0), groups["half"]
    elif groups["h24"]:
        hour, minute, half = int(groups["h24"]), int(groups["min24"]), groups["half24"]
    else:
        hour, minute, half = int(groups["uhr"]), int(groups["uhrmin"] or 0), None
    if half:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + 12 * (half.casefold() == "p")
    return f"{hour:02d}:{minute:02d}" if hour < 24 else "23:59"
