"""The list numbers that Word counts, which stand in no text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from core.text.numerals import MAX_ROMAN, roman
from ingestion.loaders.office.xml import attribute, local, value

MAX_INDENT = 8
_PLACEHOLDER = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How a list level is numbered: number format, and the text around it ("%1.")."""

    kind: str
    text: str
    start: int


@dataclass
class Numbering:
    """Counts the paragraphs of a document's lists, in order."""

    levels: dict[tuple[str, int], ListLevel] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, element: Any) -> Numbering:
        """The rules of a numbering part."""
        numbering = cls()
        for rule in element:
            if local(rule) == "abstractNum":
                for level in (below for below in rule if local(below) == "lvl"):
                    key = attribute(rule, "abstractNumId") or "", int(attribute(level, "ilvl") or 0)
                    numbering.levels[key] = ListLevel(value(level, "numFmt"), value(level, "lvlText"), _start(level))
            elif local(rule) == "num":
                numbering.lists[attribute(rule, "numId") or ""] = value(rule, "abstractNumId")
        return numbering

    def label(self, list_id: str, depth: int) -> str:
        """The next paragraph's label with a space; empty without a list."""
        rules = self.lists.get(list_id)
        level = self.levels.get((rules, depth)) if rules is not None else None
        if rules is None or level is None or level.kind == "none":
            return ""
        if level.kind == "bullet":
            return "  " * min(depth, MAX_INDENT) + "- "
        counts = self._counts.setdefault(rules, [])
        while len(counts) <= depth:
            above = self.levels.get((rules, len(counts)))
            # A deeper level that comes first stands below the first of the levels above it.
            counts.append((above.start if above else 1) - (len(counts) == depth))
        counts[depth] += 1
        del counts[depth + 1 :]
        return _PLACEHOLDER.sub(lambda match: self._number(rules, counts, int(match[1]) - 1), level.text).strip() + " "

    def _number(self, rules: str, counts: list[int], depth: int) -> str:
        level = self.levels.get((rules, depth))
        return _format(counts[depth], level.kind) if level and depth < len(counts) else ""


def _start(level: Any) -> int:
    text = value(level, "start")
    return int(text) if text.isdecimal() else 1


def _format(number: int, kind: str) -> str:
    match kind:
        case "lowerLetter" | "upperLetter" if number > 0:
            letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 % 10 + 1)
            return letters.upper() if kind == "upperLetter" else letters
        case "lowerRoman" | "upperRoman" if 0 < number <= MAX_ROMAN:
            return roman(number).upper() if kind == "upperRoman" else roman(number)
    return str(number)
