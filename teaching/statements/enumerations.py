"""Sentences that name the parts or kinds of something, or how many there are."""

from __future__ import annotations

import re

from teaching.statements.names import CARDINAL, NAME, WORD, is_name, is_plural, match, points_elsewhere
from teaching.statements.verbs import asked, subject_of

_MODAL = r"(?:(?P<modal>can|may|might|must) )?"
_LIST = r"[^.;:]+,\s[^.;:]+\b(?:and|or)\s[^.;:]+"
_PAIR = r"[^.;:]+?\b(?:and|or)\s[^.;:]+"
_GROUPS = (
    r"(?:types|kinds|parts|elements|stages|steps|functions|causes|symptoms|factors|components|forms|categories|reasons|"
    r"goals|effects|advantages|disadvantages|properties|layers|phases|sources|methods|branches|groups|classes|levels|"
    r"characteristics|features|examples|principles|dimensions|areas|divisions|approaches|traits|aspects|"
    r"organs|products)"
)
_HAVING = (
    r"(?P<verb>has|have|requires?|needs?|contains?|involves?|includes?|uses?|serves?|identif(?:y|ies)|"
    r"distinguish(?:es)?)"
)
_SORTED = {"divided": "divide", "classified": "classify", "sorted": "sort", "grouped": "group", "split": "split"}
_COUNTED = (
    rf"(?P<of>(?:{WORD} ){{0,2}}?{WORD}s(?: of {WORD}(?: {WORD})?)?)(?P<in> in (?:the |a |an )?{WORD}(?: "
    rf"{WORD})?)?(?=[:,.;]| that | which | and | \()"
)


def enumeration(sentence: str) -> str | None:
    """ "X includes A, B, and C", "X requires two Ys: A and B", "The Xs are A, B, and C"."""
    return _numbered(sentence) or _listed(sentence) or _sorted(sentence) or _named(sentence)


def _listed(sentence: str) -> str | None:
    found = match(rf"{NAME} {_MODAL}(?P<verb>includes?|contains?|comprises?|involves?)\s{_LIST}", sentence)
    found = found or match(
        rf"{NAME} {_MODAL}(?P<verb>consists? of)\s(?:{_PAIR}|[^.;:]+: [^.;]+|a \w+ of [^.;]+)", sentence
    )
    if found:
        return asking_for_object(found)
    parted = match(
        rf"{NAME} (?P<be>is|are) (?P<how>made up of|composed of|divided into|made of)\s(?:{_PAIR}|[^.;:]+: [^.;]+)",
        sentence,
    )
    return f"What {parted['be']} {parted['name']} {parted['how']}?" if parted else None


def _numbered(sentence: str) -> str | None:
    """What stands before a colon names a number of things, and they follow behind it."""
    before, _, behind = sentence.partition(": ")
    is_list = re.search(r",| and ", behind) and not re.search(r"\bothers?\.$", behind)
    if not is_list or points_elsewhere(before.removeprefix("There")):
        return None
    there = re.match(rf"There are (?:(?P<number>{CARDINAL})|several|many|various|different) (?P<of>[^,;]+)$", before)
    if there:
        return f"What are {'the ' + there['number'] if there['number'] else 'some'} {there['of']}?"
    first = re.match(rf"(?P<number>{CARDINAL}|Several|Various) (?P<rest>{WORD} [^,;]+)$", before, re.I)
    if first and before[0].isupper() and subject_of(first["rest"]):
        is_exact = re.fullmatch(CARDINAL, first["number"], re.I) is not None
        return f"Which {first['number'].lower() + ' ' if is_exact else ''}{first['rest']}?"
    found = match(rf"{NAME} {_HAVING} (?P<number>{CARDINAL}) (?P<of>[^,;:]+)$", before)
    if found:
        verb = _base(found["verb"])
        return (
            f"What {found['number']} {found['of']} {'do' if verb == found['verb'] else 'does'} {found['name']} {verb}?"
        )
    among = re.match(rf"(?P<clause>[^,;:]+) (?P<of>{CARDINAL} [^,;:]+)$", before)
    question = (
        asked(among["clause"])
        if among and not re.search(r"\b(?:and|or|to|between|one of|than)$|\d| to ", among["clause"])
        else None
    )
    return f"What {among['of']} {question}?" if among and question else None


def _sorted(sentence: str) -> str | None:
    """ "X are sorted by Y into three Zs", "A divided X into Y and Z"."""
    put = match(
        rf"{NAME} (?P<be>is|are|can be) (?P<how>(?:\w+ed|split|broken)(?: by [^,:;.]+?)?) into "
        rf"(?P<of>{CARDINAL}(?: {WORD}){{1,4}})(?=[:.,]| \()",
        sentence,
    )
    if put and not re.match(r"one of\b", put["of"]):
        be, _, more = put["be"].partition(" ")
        return f"What {put['of']} {be} {put['name']} {more + ' ' if more else ''}{put['how']} into?"
    who = match(rf"{NAME} (?P<how>{'|'.join(_SORTED)}) (?P<what>[^,:;.]+?) into (?:{_PAIR}|{CARDINAL} )", sentence)
    if who and not points_elsewhere(who["what"]):
        return f"What did {who['name']} {_SORTED[who['how']]} {who['what']} into?"
    return None


def _named(sentence: str) -> str | None:
    """ "The Xs are A, B, and C": names, or Xs that are said to be kinds or parts of something."""
    found = re.match(
        rf"(?P<name>The (?:(?P<number>{CARDINAL}) )?{WORD}(?: {WORD}){{0,5}}?) (?P<be>are|were) (?P<list>{_LIST})\.$",
        sentence,
    )
    if found is None or points_elsewhere(found["name"]) or not is_plural(found["name"]):
        return None
    items = re.split(r",\s(?:and\s|or\s)?", found["list"])
    names = sum(bool(re.match(r"(?:and )?[A-Z]", item)) for item in items)
    is_group = found["number"] or re.search(rf"\b{_GROUPS}\b", found["name"])
    is_list = len(items) > 2 and all(len(item.split()) <= 7 for item in items)
    is_long = len(items) >= 5 and all(len(item.split()) == 1 for item in items[:-1])
    whole = is_name(found["name"].replace(f"{found['number']} ", "", 1)) and len(found["name"].split()) > (
        3 if found["number"] else 2
    )
    return (
        f"What {found['be']} {found['name']}?"
        if is_list and whole and (is_group or names == len(items) or is_long)
        else None
    )


def number(sentence: str) -> str | None:
    """ "There are three types of X", "X has four Ys"."""
    kinds = re.match(rf"There are (?:about |over )?{CARDINAL} {_COUNTED}", sentence)
    where = kinds["in"] or "" if kinds else ""
    if kinds and is_name(kinds["of"]) and (" " in kinds["of"] or where) and not points_elsewhere(where):
        return f"How many {kinds['of']} are there{where}?"
    owned = match(rf"{NAME} (?P<verb>has|have|contains?) (?:about |over )?{CARDINAL} {_COUNTED}", sentence)
    if owned and is_name(owned["of"]) and not owned["in"]:
        does = "does" if owned["verb"] in ("has", "contains") else "do"
        verb = "have" if owned["verb"].startswith("ha") else "contain"
        return f"How many {owned['of']} {does} {owned['name']} {verb}?"
    return None


def asking_for_object(found: re.Match[str]) -> str:
    """ "What does X lead to?" for "X leads to Y"."""
    verb, *preposition = found["verb"].split()
    does = found["modal"] or ("does" if verb.endswith("s") else "do")
    return f"What {does} {found['name']} {' '.join([verb.removesuffix('s'), *preposition])}?"


def _base(verb: str) -> str:
    if verb in ("has", "identifies", "distinguishes"):
        return {"has": "have", "identifies": "identify"}.get(verb, "distinguish")
    return verb.removesuffix("s")
