"""How courses number their questions: "Question 1a", "Problem 3:", "2.", "Q4(b)", "(a)", "ii)", "第三题"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from unicodedata import normalize

from core.text.numerals import roman_pattern
from ingestion.vocabulary import POINTS, any_of
from retrievers.names import QUESTION_WORDS


class Depth(IntEnum):
    """How deep a number stands below the document's headings."""

    QUESTION = 0
    PART = 1
    SUBPART = 2


@dataclass(frozen=True, slots=True)
class Number:
    """A number at the start of a line. `question` and `part` are as printed, lower-cased ("3", "a")."""

    depth: Depth
    question: str
    part: str
    named: bool
    """True for a word and a number ("Question 3"), which is a header wherever it stands alone."""
    rest: str
    """What follows the number on its line."""
    style: str = ""
    """How an unnamed number is set: "1.", "1)", "(1)", "(a)", "a)", "a.", "A." or "part"."""

    @property
    def label(self) -> str:
        return self.question + self.part


_KINDS = (
    "bonus|optional|extra[ -]credit|challenge|practice|discussion|homework|written|coding|programming|"
    "lab|theory|theoretical|conceptual|group|free[ -]response|short[ -]answer|warm-?up|review|exam"
)
_PART_WORDS = "part|subpart|sub-?question|sub-?problem|teil|teilaufgabe|partie|parte|deel|часть"
MAX_ROMAN_PART = 15
_ROMAN = roman_pattern(MAX_ROMAN_PART)
_BREAK = r"(?P<rest>$|\s*[.:;,=|/)\]】(\[\-–—*：。、．，（].*|\s+\S.*)"
_TAIL = (
    r"(?P<decimal>(?:\.\d{1,2}(?!\d)){1,11}|-\d{1,2}(?=\s*(?:[.:(\[]|$)))?"
    r"(?:(?P<part>[.\-]?[a-z](?!\w)|\s?\([a-z]\)|\s[a-z]\)|[.\-]?[a-z](?=\())"
    rf"|(?P<roman>\s?\((?:{_ROMAN})\)))?"
    rf"(?P<sub>\s?\((?:{_ROMAN})\)|[.\-](?:{_ROMAN})(?!\w))?\)?"
)
_NAMED = re.compile(
    rf"^[\[【「]?(?:(?:{_KINDS})\s+)?(?:{'|'.join(QUESTION_WORDS)}|(?-i:Q))\.?[\s_\-]?\s*(?:no\.?|nr\.?|n[°º]|№|\#)?\s*"
    rf"(?P<question>\d{{1,3}}){_TAIL}{_BREAK}",
    re.IGNORECASE,
)
_LETTERED = re.compile(
    r"^(?:Question|Problem|Exercise|Task|Aufgabe|Pregunta|Ejercicio|Problema|Exercice|QUESTION|PROBLEM|EXERCISE|TASK)\s+"
    r"(?P<question>[A-Z]|[IVX]{2,5})(?P<rest>$|\s*[.:)].*|\s+[(\[–—-].*)"
)
_ORDINAL = re.compile(
    r"^[\[【「]?第\s*(?P<question>\d{1,3}|[一二三四五六七八九十]{1,3})\s*(?:小|大)?[题題問问]\s*(?P<rest>.*)$"
)
_PART_NAMED = re.compile(
    rf"^(?:{_PART_WORDS})\s*(?:\((?P<inside>[a-z]|\d{{1,2}})\)|(?P<part>(?-i:[A-Z])|[a-z](?=\s*(?:$|[.:)]))|\d{{1,2}}))"
    r"(?P<rest>$|\s*[.:)\]】(\[–—-].*|\s+\S.*)",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    rf"^\s*[,;:.(–—-]?\s*(?:{_PART_WORDS})\s*(?:\((?P<inside>[a-z]|{_ROMAN}|\d{{1,2}})\)|(?P<part>{_ROMAN}|[a-z]|\d{{1,2}}))\)?"
    r"(?P<rest>$|\s*[.:)\]】(\[–—-].*|\s+[A-Z].*)",
    re.IGNORECASE,
)
"""The part behind a question's number: "Question 2d, Part i"."""
_PLAIN = re.compile(
    r"^(?P<question>\d{1,2})(?:[.\-]?(?P<part>[a-z]))?(?P<mark>[.)])"
    r"(?:\s+|(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]))(?P<rest>\S.*)$"
    r"|^(?P<alone>\d{1,2})(?P<end>[.)])$"
    r"|^(?P<both>\d{1,2})\s?\((?P<letter>[a-z])\)[.:]?(?:\s+(?P<after>\S.*))?$"
    rf"|^(?P<pointed>\d{{1,2}})\s+(?P<points>[(\[]\s*\d{{1,3}}\s*(?:{any_of(POINTS, 'en', 'de', 'es')})\b.*)$"
    r"|^(?P<listed>\d{1,2})、\s*(?P<item>\S.*)$"
    r"|^(?P<whole>\d{1,2})(?P<decimal>(?:\.\d{1,2}){1,3})[.)]?\s+(?P<behind>[A-Z\[(].*)$"
)
_INSIDE = re.compile(r"^\((?P<question>\d{1,2})\)\s*(?P<rest>[^\W\d].*)$")
_PART = re.compile(
    r"^(?P<open>\()?(?P<part>[a-z])(?P<mark>[.)])\s+(?P<rest>\S.*)$|^\(?(?P<alone>[a-z])\)$", re.IGNORECASE
)
_SUBPART = re.compile(rf"^(?P<open>\()?(?P<part>{_ROMAN})(?P<mark>[.)])(?:\s+(?P<rest>\S.*))?$")
_HEADING_PREFIX = re.compile(
    r"^(?:hw|homework|lab|assignment|project|worksheet|quiz|midterm|final|discussion|section|week)\s*\#?\d*"
    r"\s*[,:.\-–—]?\s+(?=\w+\s*\d)",
    re.IGNORECASE,
)
_HEADING_NUMBER = re.compile(
    r"^(?P<question>\d{1,2})(?:\s?\(?(?P<part>[a-z])(?:\)|(?!\w))[.:]?|(?P<decimal>(?:\.\d{1,2})+)[.):]?|[.):]?)(?P<rest>$|\s+\S.*)"
)
_EMPHASIS = re.compile(r"^(?:\*{1,3}|_{1,3})(?=[^\s*_])|^(?:\*\*|__)(?=\s)")
_ORNAMENT = re.compile(r"^[^\w\s()\[\]{}#|$\\/%!<>=~^&@+\-*\"'.,:;?«»“”‘’…`•◦‣▪●○■□·⃝√【「（①-⑳⑴-⒇]+\s*")
_RANGE = re.compile(
    r"^\s*(?:[-–—]\s*\d|&)|^\s+\d+\s+\d|^\s+(?:question|problem|exercise|task|q)\.?\s*\d", re.IGNORECASE
)
BARE_NUMBERS = re.compile(r"^[\s:=|/]*+[.,/|\s%-]*+\d[\d.,/|\s%-]*+$")
"""What follows a number in a row of a table of points."""
_GOES_ON = re.compile(
    r"^[\s(\[–—-]*(?:cont(?:inued|'d|’d|d)?|fortsetzung|suite|continuación|続き|续|續)[\s.)\]…]*$", re.IGNORECASE
)
_OF = re.compile(r"^\s*(?:of|von|de|sur|di)\s+\d{1,3}\b\W*", re.IGNORECASE)
_CHINESE = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
MAX_UNMARKED_CHARS = 120
"""A longer text right behind a number, without a colon or the like between them, is a sentence about the question."""


def read_number(text: str) -> Number | None:
    """The number that a line starts with, or none."""
    text = _tidy(text)
    return _read_named(text) or _plain(text) or _part(text)


def read_heading_number(text: str) -> Number | None:
    """The number of a heading, where "3 Sampling" and "hw1 Question 2" count too."""
    text = _HEADING_PREFIX.sub("", _tidy(text))
    if number := _read_named(text, in_heading=True) or _plain(text) or _part(text):
        return number
    if match := _HEADING_NUMBER.match(text):
        part = match["part"] or match["decimal"] or ""
        return Number(_depth(part), str(int(match["question"])), part, False, match["rest"].strip(), "1")
    return None


def _tidy(text: str) -> str:
    text = text.strip().lstrip("> ")
    if not text[:12].isascii():
        text = _ORNAMENT.sub("", normalize("NFKC", text) if _has_wide(text[:12]) else text)
    if mark := _EMPHASIS.match(text):
        text = text.removeprefix(mark[0]).replace(mark[0], "", 1)
    return text.strip().rstrip("*_").rstrip()


def _has_wide(text: str) -> bool:
    return any("\uff00" <= character <= "\uffef" for character in text)


def _depth(part: str) -> Depth:
    return Depth.PART if part else Depth.QUESTION


def _read_named(text: str, in_heading: bool = False) -> Number | None:
    if match := _NAMED.match(text):
        marks = (match["decimal"], *(re.sub(r"\W", "", match[name] or "") for name in ("part", "roman", "sub")))
        part = "".join(mark or "" for mark in marks).lower()
        head = text[: match.start("rest")]
        in_heading = in_heading or (head.endswith(")") and "(" not in head)
        rest = match["rest"]
        if behind := _PART_BEHIND.match(rest):
            part, rest = part + _part_label((behind["inside"] or behind["part"]).lower()), behind["rest"]
        return _header(str(int(match["question"])), part, rest, in_heading)
    if match := _ORDINAL.match(text):
        return _header(_ordinal(match["question"]), "", match["rest"], in_heading=True)
    if match := _LETTERED.match(text):
        return _header(match["question"].lower(), "", match["rest"], in_heading)
    if match := _PART_NAMED.match(text):
        part = (match["inside"] or match["part"]).lower()
        if not _is_prose(match["rest"], in_heading):
            return Number(Depth.PART, "", _part_label(part), False, _words(match["rest"]), "part")
    return None


def _header(question: str, part: str, rest: str, in_heading: bool) -> Number | None:
    rest = _OF.sub("", rest)
    return None if _is_prose(rest, in_heading) else Number(_depth(part), question, part, True, _words(rest))


def _words(rest: str) -> str:
    return rest.lstrip(" :.–—-*#)]】：。").rstrip(" :.–—-*#")


def _part_label(part: str) -> str:
    return f".{int(part)}" if part.isdigit() else part


def _ordinal(text: str) -> str:
    """第十二题 is question 12."""
    if text.isdigit():
        return str(int(text))
    tens, ten, ones = text.rpartition("十")
    return str((_CHINESE.get(tens, 1) * 10 if ten else 0) + _CHINESE.get(ones, 0))


def _is_prose(rest: str, in_heading: bool) -> bool:
    """True where the line goes on as a sentence ("Question 3 asks you to ...") or as a row of a table."""
    stripped = rest.lstrip()
    if _RANGE.match(rest) or _GOES_ON.match(rest) or (stripped and BARE_NUMBERS.match(rest)):
        return True
    if in_heading:
        return False
    if stripped[:1].islower() or stripped[:1] in (",", ";", "=", "|", "/") or re.search(r"\|\s*\d*\s*\|?$", rest):
        return True
    return len(rest) > MAX_UNMARKED_CHARS and stripped[:1] not in tuple(".:)]([–—-*：。（")


def _plain(text: str) -> Number | None:
    if match := _INSIDE.match(text):
        return Number(Depth.QUESTION, str(int(match["question"])), "", False, match["rest"], "(1)")
    match = _PLAIN.match(text)
    if not match:
        return None
    question = (
        match["question"] or match["alone"] or match["both"] or match["listed"] or match["whole"] or match["pointed"]
    )
    part = match["part"] or match["letter"] or match["decimal"] or ""
    mark = (
        match["mark"]
        or match["end"]
        or ("、" if match["listed"] else "()" if match["both"] else "" if match["pointed"] else ".1")
    )
    rest = match["rest"] or match["after"] or match["item"] or match["behind"] or match["points"] or ""
    return Number(_depth(part), str(int(question)), part, False, rest, f"1{mark}")


def _part(text: str) -> Number | None:
    if match := _PART.match(text):
        part = match["part"] or match["alone"]
        mark = ")" if match["alone"] else match["mark"]
        style = ("(" if match["open"] or match["alone"] else "") + ("a" if part.islower() else "A") + mark
        return Number(Depth.PART, "", part.lower(), False, match["rest"] or "", style)
    if match := _SUBPART.match(text):
        style = ("(" if match["open"] else "") + "a" + match["mark"]
        return Number(Depth.SUBPART, "", match["part"], False, match["rest"] or "", style)
    return None
