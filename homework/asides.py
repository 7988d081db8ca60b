"""What a line only remarks: words in parentheses, and the check of a result. It states no answer."""

from __future__ import annotations

import math
import re

from homework.mathematics.tokens import FUNCTIONS, GREEK, MAX_LINE_CHARS
from homework.mathematics.tolerances import MEASURED
from homework.mathematics.units import unit_of_text, unit_of_word

CHECK = re.compile(
    r"^\W*(?:(?:to|as a|quick|let'?s|now|i|we) )*"
    r"(?:check|test|verif\w+|sanity|proof|probe|double[- ]check|plug\w* (?:it )?back)\b",
    re.IGNORECASE,
)
"""How a check of a result begins."""
REMARK = re.compile(
    r"\b(?:sensible|makes sense|reasonable|plausible|realistic|closer to|would (?:be|have)|for comparison|as expected"
    r"|(?:is|are) (?:\w+ )?(?:smaller|larger|bigger|greater|less|more|higher|lower) than|this formula|by the way"
    r"|also correct|which fits|fits (?:well|with|the)|not needed|just for fun"
    r"|crossed out|(?:scratch|forget) (?:that|this|it)(?![^\n]*\d))\b",
    re.IGNORECASE,
)
"""Words of a line that looks back at a result, or takes one back."""
_SENTENCE = re.compile(r"(?<=[.!;✓])\s+(?=[A-Z$\\(])")
_AGAIN = re.compile(r"\s*\$?\s*(?:[=≈~]|\\approx\b)")
"""How a parenthesis says the result before it again."""
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
_TEXT = re.compile(r"\\(?:text|mathrm|textrm)\s*\{\s*([^{}]*)\}")
_QUANTITY = re.compile(
    r"\d(?:[eE][+-]?\d{1,3})?\s*(?:\\[,;: ]|~)?\s*(?:\\(?:text|mathrm)\s*\{\s*)?"
    r"((?:[A-Za-zΩµ°€]|\\?%)[\w/·²³^°Ω ]*)\}?\s*\$?\s*$"
)
"""The number and unit at the end of a text."""
_NUMBER = re.compile(r"(?<![\w.])(\d{1,15}\.\d{1,15})\s*\$?\s*$")
_PLAIN = re.compile(r"\d{1,15}\.\d{1,15}")
_COMPUTED = re.compile(r"^[\d\s.,()]*\d\s*[-+−*·×/]\s*\d")
MAX_BEFORE = 60
"""Characters in which the number before a parenthesis ends."""
_EQUALS = re.compile(r"[=≈]")
_MATHEMATICAL = {*FUNCTIONS, *GREEK, "sqrt", "frac", "or", "and"}


def split_asides(line: str) -> tuple[str, list[str]]:
    """The line without its remarks, and those. Where nothing would be left, the line is all that it states."""
    if len(line) > MAX_LINE_CHARS:
        return line, []
    asides: list[str] = []
    stated = _without_parentheses(line, asides)
    sentences = _SENTENCE.split(stated)
    if len(sentences) > 1:
        checks = [sentence for sentence in sentences[1:] if CHECK.match(sentence)]
        stated = " ".join(sentence for sentence in sentences if sentence not in checks)
        asides += checks
    return (stated, asides) if any(char.isalnum() for char in stated) else (line, [])


def _without_parentheses(line: str, asides: list[str]) -> str:
    """The line without the parentheses that hold words, which are added to `asides`."""
    ends = _ends_of_parentheses(line)
    kept: list[str] = []
    position = 0
    while position < len(line):
        end = ends.get(position)
        inner = line[position + 1 : end] if end else ""
        is_remark = end and kept and _stands_alone(line, position, end)
        before = "".join(kept)
        is_aside = is_remark and (_has_words(inner) or _AGAIN.match(inner) or _says_again(before, inner))
        if end and (is_aside or (is_remark and _explains(before, inner))):
            asides.append(inner)
            position = end + 1
        else:
            kept.append(line[position])
            position += 1
    return "".join(kept)


def _says_again(before: str, inner: str) -> bool:
    """Whether a quantity follows on another one, `16875 Pa (16.9 kPa)`, or a share, `(95 %)`, or more digits."""
    before = before[-MAX_BEFORE:]
    number = _NUMBER.search(before)
    if number and _PLAIN.fullmatch(inner) and math.isclose(float(number[1]), float(inner), rel_tol=MEASURED):
        return True
    quantity, again = _QUANTITY.search(before), _QUANTITY.search(inner)
    return bool(quantity and again and all(unit_of_text(found[1]) or found[1] == "%" for found in (quantity, again)))


def _explains(before: str, inner: str) -> bool:
    """Whether a computation follows on what it comes to: `a = 3.2 m/s^2 (9.81*0.5 - 1.7)`, `twelve (3*4 = 12)`."""
    if not _COMPUTED.search(inner):
        return False
    quantity = _QUANTITY.search(before[-MAX_BEFORE:])
    is_result = quantity is not None and unit_of_text(quantity[1]) is not None and bool(_EQUALS.search(before))
    return is_result or bool(_EQUALS.search(inner))


def _ends_of_parentheses(line: str) -> dict[int, int]:
    """Where each parenthesis that is closed ends, by where it begins."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for position, character in enumerate(line):
        if character == "(":
            opened.append(position)
        elif character == ")" and opened:
            ends[opened.pop()] = position
    return ends


def _stands_alone(line: str, start: int, end: int) -> bool:
    """Whether a parenthesis is set apart, and no operand: `(number of hits)/(number of throws)`."""
    before, after = line[:start].rstrip()[-1:], line[end + 1 :].lstrip()[:1]
    return line[start - 1] in " $\t" and before not in tuple("=+-−/*·×^") and after not in tuple("/*·×^")


def _has_words(text: str) -> bool:
    """Whether there is a word that is neither a function nor a unit."""
    plain = _TEXT.sub(r" \1 ", text)
    return any(word.lower() not in _MATHEMATICAL and unit_of_word(word) is None for word in _WORD.findall(plain))
