"""Questions made from English sentences by rules, one per kind of statement; the answer is the sentence itself.

A rule reads a whole sentence and refuses what it does not understand: most sentences give no question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

MIN_WORDS = 5
MAX_WORDS = 45
"""Sentences outside of these are no statements, or hold several."""
MAX_NAME_WORDS = 7
"""Words of what a question asks about."""

_POINTING = frozenset(
    """it its this that these those they their them he his she her him we our us you your i my there here what who which
    whose when where why how one ones some many most several few both each all such other another others none neither
    either more less much any if although though while since because after before during for in on at by with from
    through but and or so yet not no then thus therefore however also instead first second third next finally today now
    to of as only every everything something someone people let see
    two three four five six seven eight nine ten just example examples""".split()  # noqa: SIM905
)
"""A name that begins with one of these points elsewhere, or is none."""
_INNER = frozenset(
    """is are was were be been being has have had do does did can could will would shall should may might must cannot
    it this these they we you he she i that which who whom whose because when where while if but although so than
    not there such also often always usually sometimes never typically generally frequently commonly probably""".split()  # noqa: SIM905
)
"""A name that holds one of these is a clause."""
_NO_HEAD = re.compile(r"(?:others?|following|latter|former|most|\w+est|\w+ally|\w+[nsv][td]?ly)$")
"""A name that ends with one of these lacks its noun, as in "the smallest", or has an adverb behind it."""
_IN_A_ROW = frozenset("first second third last next only same other".split())  # noqa: SIM905
"""A name that holds one of these is one of several that stand elsewhere."""
_BE_AS = r"(?P<be>is|are)"
_WORD = r"[A-Za-z][\w'’-]*"
_NAME = rf"(?P<name>{_WORD}(?:\s{_WORD}){{0,{MAX_NAME_WORDS - 1}}}?)"
_CARDINAL = r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3}(?:,\d{3})*)"
_COUNTED = rf"(?P<of>(?:{_WORD} ){{0,2}}?{_WORD}s(?: of {_WORD}(?: {_WORD})?)?)(?=[:,.;]| in | that | which | and | \()"
_MODAL = r"(?:(?P<modal>can|may) )?"
_LIST = r"[^.;:]+,\s[^.;:]+\b(?:and|or)\s[^.;:]+"


class QuestionKind(StrEnum):
    """What a question asks for."""

    DEFINITION = "definition"
    ENUMERATION = "enumeration"
    NUMBER = "number"
    CAUSE = "cause"
    COMPARISON = "comparison"


_OPEN = frozenset("to the a an in and or of included with by".split())  # noqa: SIM905
"""A name does not end with these: the verb behind was a noun or another verb's."""

Rule = Callable[[str], "str | None"]
"""The question that a sentence answers, None if the rule sees none. Names begin as the sentence does."""


def is_statement(sentence: str) -> bool:
    """Whether the sentence is whole, of a usable length, and about the subject rather than about a figure or page."""
    words = sentence.split()
    return (
        MIN_WORDS <= len(words) <= MAX_WORDS
        and sentence[0].isupper()
        and sentence.endswith(".")
        and sentence.count("(") == sentence.count(")")
        and re.search(r": [A-Z][a-z]", sentence) is None  # A title with its subtitle.
        and re.search(r"\b(?:[Ff]igure|[Ff]ig\.|[Tt]able|[Cc]hapter|[Ss]ection|http)", sentence) is None
    )


def definition(sentence: str) -> str | None:
    """ "X is a Y that ...", "X refers to Y", "Y is called X"."""
    called = _match(rf"{_NAME} {_BE_AS} (?:often |usually |(?P<also>also ))?(?:called|known as|termed) ", sentence)
    if called:
        return f"What {'else ' if called['also'] else ''}{called['be']} {called['name']} called?"
    meant = _match(rf"{_NAME} (?P<verb>refers to|means|is defined as|is a term for) ", sentence)
    if meant:
        return f"What is meant by {meant['name']}?"
    one = _match(rf"{_NAME} (?P<be>is) (?:a|an|the)\s(?!(?:result|reason|good|great|lot|same|case|matter)\b)", sentence)
    if one and not re.match(r"An? .+ is the ", sentence):
        return _asking_for_being(one["name"], sentence)
    many = _match(rf"{_NAME} (?P<be>are) (?:the |those )?(?!\w+ed )(?:{_WORD} ){{1,3}}(?:that|which|who|of) ", sentence)
    return f"What are {many['name']}?" if many and many["name"].endswith("s") else None


def enumeration(sentence: str) -> str | None:
    """ "X includes A, B, and C", "X consist of A, B, and C"."""
    found = _match(
        rf"{_NAME} {_MODAL}(?P<verb>includes?|consists? of|contains?|comprises?|involves?)\s{_LIST}", sentence
    )
    if found:
        return _asking_for_object(found)
    parted = _match(rf"{_NAME} {_BE_AS} (?P<how>made up of|composed of|divided into)\s{_LIST}", sentence)
    return f"What {parted['be']} {parted['name']} {parted['how']}?" if parted else None


def number(sentence: str) -> str | None:
    """ "There are three types of X", "X has four Ys"."""
    kinds = re.match(rf"There are (?:about |over )?{_CARDINAL} {_COUNTED}", sentence)
    if kinds and _is_name(kinds["of"]) and " " in kinds["of"]:
        return f"How many {kinds['of']} are there?"
    owned = _match(rf"{_NAME} (?P<verb>has|have|contains?) (?:about |over )?{_CARDINAL} {_COUNTED}", sentence)
    if owned and _is_name(owned["of"]):
        does = "does" if owned["verb"] in ("has", "contains") else "do"
        verb = "have" if owned["verb"].startswith("ha") else "contain"
        return f"How many {owned['of']} {does} {owned['name']} {verb}?"
    return None


def cause(sentence: str) -> str | None:
    """ "X causes Y", "X leads to Y", "X because Y"."""
    found = _match(rf"{_NAME} {_MODAL}(?P<verb>causes?|leads? to|results? in|produces?)\s(?!of\b)\w+", sentence)
    if found:
        return _asking_for_object(found)
    reason = _match(rf"{_NAME} (?P<be>is|are|was|were|can|cannot) (?P<rest>[^,;:()]+?),? because (?!of\b)", sentence)
    if reason and not _INNER & set(reason["rest"].lower().split()) and not re.match(r"The \w+$", reason["name"]):
        negation = " not" if reason["be"] == "cannot" else ""
        return f"Why {reason['be'].removesuffix('not')} {reason['name']}{negation} {reason['rest']}?"
    return None


def comparison(sentence: str) -> str | None:
    """ "X differs from Y in ...", "Unlike X, Y is ..."."""
    found = _match(
        rf"{_NAME} (?P<verb>differs?) from (?P<other>{_WORD}(?: {_WORD}){{0,5}}?)(?: in | by | because |\.|,)", sentence
    )
    if found and _is_name(found["other"]):
        return f"How {'does' if found['verb'] == 'differs' else 'do'} {found['name']} differ from {found['other']}?"
    unlike = re.match(
        rf"(?:Unlike|In contrast to|Compared (?:to|with)) (?P<other>[^,]+), {_NAME} (?P<be>is|are|has|have|does|do) ",
        sentence,
    )
    if unlike and _is_name(unlike["other"]) and _is_name(unlike["name"]):
        does = "does" if unlike["be"] in ("is", "has", "does") else "do"
        return f"How {does} {unlike['name']} differ from {unlike['other']}?"
    return None


RULES: dict[QuestionKind, Rule] = {
    QuestionKind.COMPARISON: comparison,
    QuestionKind.CAUSE: cause,
    QuestionKind.NUMBER: number,
    QuestionKind.ENUMERATION: enumeration,
    QuestionKind.DEFINITION: definition,
}
"""The first that sees a question in a sentence makes it."""


def _match(pattern: str, sentence: str) -> re.Match[str] | None:
    found = re.match(pattern, sentence)
    return found if found and _is_name(found["name"]) else None


def _asking_for_being(name: str, sentence: str) -> str | None:
    """ "Who is" a person with a full name, "What is" anything else; None for a full name of unknown kind."""
    if not re.match(r"[A-Z]\w+ [A-Z]\w+$", name):
        return f"What is {name}?"
    return f"Who is {name}?" if re.search(r"\bis an? [^,.]*\bwho\b", sentence) else None


def _asking_for_object(found: re.Match[str]) -> str:
    """ "What does X lead to?" for "X leads to Y"."""
    verb, *preposition = found["verb"].split()
    does = found["modal"] or ("does" if verb.endswith("s") else "do")
    return f"What {does} {found['name']} {' '.join([verb.removesuffix('s'), *preposition])}?"


def _is_name(text: str) -> bool:
    words = text.lower().split()
    whole = (
        words[0] not in _POINTING
        and words[-1] not in _OPEN
        and not _NO_HEAD.match(words[-1])
        and not _IN_A_ROW & set(words)
    )
    longer = [word for word in words if len(word) > 3]
    return len(set(longer)) == len(longer) and len(words) <= MAX_NAME_WORDS and whole and not _INNER & set(words)
