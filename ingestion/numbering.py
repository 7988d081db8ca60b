"""How courses number their questions: "Question 1a", "Problem 3:", "2.", "(a)", "ii)"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum


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

    @property
    def label(self) -> str:
        return self.question + self.part


_WORDS = r"question|problem|exercise|task|q|aufgabe|frage|pregunta|ejercicio|problema|exercice"
_NAMED = re.compile(
    rf"^(?:{_WORDS})\s*\#?(?P<question>\d{{1,3}})(?:[.\-]?(?P<part>[a-z])(?!\w)|(?P<decimal>\.\d{{1,2}})(?!\d))?\)?"
    r"(?P<rest>$|\s*[.:;,)(\-–—*].*|\s+\S.*)",
    re.IGNORECASE,
)
_CJK = re.compile(
    r"^(?:第\s*(?P<question>\d{1,3})\s*[题題問问]|(?:问题|問題|[问問題题])\s*(?P<other>\d{1,3}))\s*(?P<rest>.*)$"
)
_PLAIN = re.compile(r"^(?P<question>\d{1,2})(?P<part>[a-z])?[.)]\s+(?P<rest>\S.*)$|^(?P<alone>\d{1,2})[.)]$")
_PART = re.compile(r"^\(?(?P<part>[a-z])[.)]\s+(?P<rest>\S.*)$|^\((?P<alone>[a-z])\)$", re.IGNORECASE)
_SUBPART = re.compile(r"^\(?(?P<part>i{1,3}|iv|v|vi{1,3}|ix|x)[.)]\s+(?P<rest>\S.*)$")


def read_number(text: str) -> Number | None:
    """The number that a line starts with, or none."""
    text = text.strip().strip("*_").strip()
    return _named(text) or _plain(text) or _part(text)


def _named(text: str) -> Number | None:
    if match := _NAMED.match(text):
        part = (match["part"] or match["decimal"] or "").lower()
        rest = match["rest"].strip(" :.–—-*#)")
        if _is_prose(match["rest"]):
            return None
        return Number(Depth.PART if part else Depth.QUESTION, str(int(match["question"])), part, True, rest)
    if match := _CJK.match(text):
        return Number(Depth.QUESTION, match["question"] or match["other"], "", True, match["rest"].strip())
    return None


def _is_prose(rest: str) -> bool:
    """True where the line goes on as a sentence ("Question 3 asks you to ...") or as a row of a table."""
    stripped = rest.lstrip()
    return stripped[:1].islower() or stripped[:1] in (",", ";") or "|" in stripped or len(rest) > 120


def _plain(text: str) -> Number | None:
    match = _PLAIN.match(text)
    if not match:
        return None
    question, part = match["question"] or match["alone"], match["part"] or ""
    return Number(Depth.PART if part else Depth.QUESTION, str(int(question)), part, False, match["rest"] or "")


def _part(text: str) -> Number | None:
    if match := _PART.match(text):
        part = (match["part"] or match["alone"]).lower()
        return Number(Depth.PART, "", part, False, match["rest"] or "")
    if match := _SUBPART.match(text):
        return Number(Depth.SUBPART, "", match["part"], False, match["rest"])
    return None
