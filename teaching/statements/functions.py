"""Sentences that say what something does, how, on what it depends, or what is one of its kinds."""

from __future__ import annotations

import re

from teaching.statements.names import CARDINAL, NAME, WORD, is_name, is_plural, match, points_elsewhere, words
from teaching.statements.verbs import asked, base_of, is_verb

_ADVERBS = r"(?:(?:often|usually|generally|typically|primarily|mainly|largely|commonly|strongly|closely|partly) )?"
_ACTS = (
    r"(?:controls?|regulates?|studies|study|examines?|focus(?:es)? on|deals? with|depends? on|relies on|rely on|"
    r"emphasizes?|specializes? in|protects?|affects?|influences?|determines?|stores?|releases?|transmits?|explains?|"
    r"addresses|address|assess(?:es)?|measures?|represents?|detects?|governs?|coordinates?|promotes?|involves?|"
    r"requires?|monitors?|processes|stimulates?|inhibits?|investigates?|consists? in|contributes? to|"
    r"secretes?|serves? as|acts? as(?! if)|functions? as|mimics?|enhances?|provides?|resembles?)"
)
_NOUNS_TOO = words(
    "study studies measure measures influence influences concerns processes stores address describe reflects"
)
_BEHIND_NOUNS = words(
    """of in on at for from with by to over that which and or have were reveal suggest show showed showing found
    however"""
)
_ACTORS = words(
    "researchers doctors psychologists scientists students people children participants therapists experts we"
)
_BY = (
    r"(?:characterized|influenced|affected|determined|controlled|regulated|marked|driven|accompanied|"
    r"surrounded|protected|"
    r"governed|triggered|followed|shaped|defined|supported) by"
)
_WITH = (
    r"(?:associated with|related to|based on|linked to|correlated with|concerned with|involved in|"
    r"designed to measure|comprised of|derived from)"
)
_ONE = (
    r"(?:type|form|example|kind|cause|symptom|method|approach|explanation|function|way|advantage|disadvantage|benefit|"
    r"component|source|characteristic|feature|criticism|limitation|treatment|technique|measure|risk factor|branch|"
    r"consequence|effect|property|part|element|stage|strategy|factor)"
)
_THERE = r"(?!a (?:wide |large )?(?:number|variety) of\b|this\b|that\b|these\b|those\b|it\b|them\b)"


def function(sentence: str) -> str | None:
    """ "X regulates Y", "X does Y by doing Z", "X is characterized by Y", "One type of X is Y"."""
    return _one_of(sentence) or _by(sentence) or _how(sentence) or _acting(sentence)


def _acting(sentence: str) -> str | None:
    acts = match(rf"{NAME} (?P<verb>{_ACTS}) {_THERE}{WORD}", sentence)
    if acts is None or len(sentence.split()) - len(acts["name"].split()) < 5:
        return None
    verb, *more = acts["verb"].split()
    behind = sentence[acts.end("verb") :].split()[0].strip(",")
    if acts["name"].lower().split()[-1] in _ACTORS or re.search(r"\b(?:such(?! as)|this|these|those)\b", sentence):
        return None
    if verb == "studies" and not re.search(r"(?:ology|ics|science|discipline|branch|field)\b", acts["name"]):
        return None
    if verb in _NOUNS_TOO and re.search(r"(?:al|ous|ic|ive|nt)$", acts["name"]):
        return None
    if verb in _NOUNS_TOO and (behind in _BEHIND_NOUNS or is_verb(behind)):
        return None
    does, base = base_of(verb, is_plural(acts["name"])) or ("", "")
    return f"What {does} {acts['name']} {' '.join([base, *more])}?" if does else None


def _by(sentence: str) -> str | None:
    by = match(rf"{NAME} (?P<be>is|are) {_ADVERBS}(?P<how>{_BY}|{_WITH}) {_THERE}", sentence)
    if by:
        return f"What {by['be']} {by['name']} {by['how']}?"
    place = match(
        rf"{NAME} (?P<be>is|are) (?P<how>located|found) (?:in|on|at|near|behind|between|above|below|along) ", sentence
    )
    if place:
        return f"Where {place['be']} {place['name']} {place['how']}?"
    linked = match(
        rf"{NAME} (?P<have>has|have) {_ADVERBS}been (?P<how>linked|related|tied) (?P<to>to|with) {_THERE}", sentence
    )
    if linked:
        return f"What {linked['have']} {linked['name']} been {linked['how']} {linked['to']}?"
    role = match(rf"{NAME} plays? an? (?:{WORD} )?role in {_THERE}", sentence)
    if role:
        return f"What {'do' if is_plural(role['name']) else 'does'} {role['name']} play a role in?"
    use = match(rf"{NAME} can be used (?:to|for|in|as) {_THERE}", sentence)
    return f"What can {use['name']} be used for?" if use else None


def _how(sentence: str) -> str | None:
    how = re.match(r"(?P<clause>[^,;:]+?)(?<! is)(?<! are),? by (?:\w+ly )?\w+ing\b", sentence)
    if how is None or points_elsewhere(how["clause"]) or re.search(r"\b(?:you|he|she|his|her)\b", sentence, re.I):
        return None
    words = how["clause"].split()
    question = asked(how["clause"]) if 3 <= len(words) <= 16 else None
    is_present = question is not None and question.split()[0] in ("do", "does", "can", "is", "are")
    return (
        f"How {question}?"
        if is_present and not re.search(r"\b(?:not|that|begin|start|and|better|to be)\b", question or "")
        else None
    )


def _one_of(sentence: str) -> str | None:
    one = re.match(
        rf"One (?P<of>(?:{WORD} ){{0,2}}?{_ONE} (?:of|for|in|to) (?P<name>{WORD}(?: {WORD}){{0,5}}?)) (?:is|"
        rf"was|involves) {_THERE}",
        sentence,
    )
    if one and is_name(one["name"]) and not points_elsewhere(one["of"]):
        return f"What is one {one['of']}?"
    some = re.match(
        rf"(?:(?:(?P<number>{CARDINAL})|Some|The|Several) )?(?P<of>(?:{WORD} ){{0,2}}?{_ONE}s (?:of|for|in) "
        rf"(?P<name>{WORD}(?: {WORD}){{0,5}}?)) (?:are(?! \w+ed )|include) {_THERE}[^;:]+,? (?:and|or) ",
        sentence,
        re.I,
    )
    if some and is_name(some["name"]) and not points_elsewhere(some["of"]):
        which = "the" if sentence.startswith("The ") else (some["number"] or "some").lower()
        return f"What are {which} {some['of'][0].lower()}{some['of'][1:]}?"
    best = re.match(
        rf"The (?P<of>(?:most \w+|largest|smallest|highest|lowest) {WORD} (?:of|in|for) (?P<name>{WORD}(?: "
        rf"{WORD}){{0,4}}?)) is {_THERE}",
        sentence,
    )
    return f"What is the {best['of']}?" if best and is_name(best["name"]) and not points_elsewhere(best["of"]) else None
