"""Numbers in words."""

from __future__ import annotations

import re

from core.text.numerals import roman_value

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty""".split(),  # noqa: SIM905
        2,
    )
}
"""Digits by word. "One" is left out: it is a pronoun more often."""


def words_up_to(number: int) -> tuple[str, ...]:
    """The words from "two" on."""
    return tuple(NUMBER_WORDS)[: number - 1]


_ORDINALS = {
    word: number
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
        "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
        "primer segund tercer cuart quint sext séptim octav noven décim",
        "premi deuxième troisième quatrième cinquième sixième septième huitième",
        "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
        "一 二 三 四 五 六 七 八 九",
    )
    for number, word in enumerate(words.split(), 1)
}
"""Stems of ordinal numbers, by language."""
_NAMES = (
    "homework|hw|assignment|problem set|pset|exercise sheet|worksheet|project|lab|lecture|discussion|midterm|quiz|exam|"
    "week|test|essay|paper|hausaufgabe|übungsblatt|blatt|klausur|vorlesung|woche|tarea|entrega|práctica|parcial|examen|"
    "semana|devoir|partiel|semaine|huiswerk|opdracht|tentamen|作业|周"
)
_SMALL = {"one": "1"} | {word: digits for word, digits in NUMBER_WORDS.items() if int(digits) <= 12}
_ORDINAL = re.compile(
    rf"(?<![^\W\d_])(?:(?P<word>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})(?:e?[rsn]|[oa]|ère|er)?"
    r"|(?P<digits>\d{1,2})(?:st|nd|rd|th|ª|º|ème|(?<=\w\s\d)\.)|第(?P<cjk>\d{1,2}|[一二三四五六七八九])(?:次|个|個)?)"
    rf"(?P<gap>\s*)(?:(?:weekly|graded|written|programming|coding)\s+)?(?P<name>{_NAMES})(?![^\W\d_]|\s*#?\d)",
    re.IGNORECASE,
)
_SPELLED = re.compile(rf"(?<![^\W\d_])(?P<name>{_NAMES})\s+(?P<word>{'|'.join(_SMALL)})(?![^\W_])", re.IGNORECASE)
_ROMAN = re.compile(
    rf"(?<![^\W\d_])(?P<name>{_NAMES}|part|teil)\s+(?P<roman>VIII|VII|III|II|IV|VI|IX|V|X|I(?=\s*(?:$|[:,.;|?)–-]|"
    rf"due\b|deadline\b|is due\b|and\b|on\b)))(?![^\W_])",
    re.IGNORECASE,
)
_PART_FIRST = re.compile(
    r"(?<![^\W\d_])(?:(?P<word>first|second|third|fourth)\s+part|part\s+(?P<digits>\d))\s+(?:of|for|from)\s+(?:the\s+)?"
    r"(?P<work>[^\W\d_]{1,12}(?:\s+set)?[ #-]?\d{1,2})(?![^\W_])",
    re.IGNORECASE,
)


def with_digits(text: str) -> str:
    """The text with works that are counted in words named by number: "third homework" is "homework 3".

    A part of a work stands behind it: "second part of hw1" is "hw1 part 2".
    """
    text = _ORDINAL.sub(_by_number, text)
    text = _ROMAN.sub(_by_roman, text)
    text = _SPELLED.sub(lambda match: f"{match['name']} {_SMALL[match['word'].casefold()]}", text)
    return _PART_FIRST.sub(
        lambda match: f"{match['work']} part {match['digits'] or _ORDINALS[match['word'].casefold()]}", text
    )


def _by_roman(match: re.Match[str]) -> str:
    """Numerals are written in capitals; "i" and "x" in small letters are words."""
    numeral = match["roman"]
    if not numeral.isupper():
        return match.group()
    return f"{match['name']} {roman_value(numeral.lower(), 10)}"


def _by_number(match: re.Match[str]) -> str:
    counted = match["word"] or match["cjk"]
    number = match["digits"] or (counted if counted.isdigit() else _ORDINALS[counted.casefold()])
    return f"{match['name']} {number}"
