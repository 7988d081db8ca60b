"""Verbs of textbooks and their base forms, as questions with "do" need them."""

from __future__ import annotations

import re

from core.types import Value
from teaching.statements.names import is_name, is_plural, words

_REGULAR = words(
    """absorb accept achieve act activate adapt add adopt affect agree allow appear apply argue arrive attach
    attract avoid behave belong believe bend bind boil breathe burn call carry cause change charge circulate
    combine compete connect consume contract contribute control convert cool cooperate cost crash create cross
    decay decline decrease defend demand depend describe destroy develop die differ digest disappear discover
    dissolve dissociate distribute divide dominate drop emerge emit employ enable encourage end enter erupt
    evaporate evolve exist expand expect experience explain explode express face fail favor favour fear ferment
    fire flow follow force form function gain generate happen harden heat help identify ignore improve include
    increase influence inhibit interact interpret invest involve join kill lack last learn limit live load look
    lower maintain mark matter measure melt migrate mix move multiply need negotiate obey observe occur offer
    open operate oppose orbit organize own pass pay perceive perform persist pick play pluck point possess
    predict prefer prepare present preserve prevent process produce promote protect prove provide pull push
    raise reach react receive recognize recover reduce refer reflect refuse regulate reject relate relax release
    rely remain remember remove repeat replace report represent reproduce require resemble resist respond result
    return reveal rotate sail save seem select separate serve shape share shift shine show shrink sink slope slow
    solve sound split spread stay stop store strike strengthen struggle suffer suggest support surround survive switch
    taste tend thrive tilt transfer transmit travel trigger turn use vary wait want warm wash weaken weigh work
    worry yield examine monitor govern secrete mimic enhance emphasize stimulate inhibit coordinate assess
    address detect investigate regulate state"""
)
_IRREGULAR = """
    become became become, begin began begun, break broke broken, bring brought brought, build built built, buy
    bought bought, catch caught caught, choose chose chosen, come came come, cut cut cut, do did done, draw drew
    drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feel felt felt, fight fought
    fought, find found found, fly flew flown, freeze froze frozen, get got gotten, give gave given, go went gone,
    grow grew grown, have had had, hear heard heard, hold held held, keep kept kept, know knew known, lead led
    led, learn learnt learnt, leave left left, lie lay lain, lose lost lost, make made made, mean meant meant,
    meet met met, rise rose risen, run ran run, see saw seen, sell sold sold, send sent sent, set set set, sink
    sank sunk, sleep slept slept, speak spoke spoken, spend spent spent, stand stood stood, swim swam swum, take
    took taken, tell told told, think thought thought, wear wore worn, win won won, write wrote written"""
_MODALS = words("is are was were can could may must should will would do does did has have cannot")
ADVERB = r"(?:always|often|usually|generally|typically|sometimes|rarely|never|still|only|also|frequently|\w+ly)"


def _third(base: str) -> str:
    if base in ("have", "do", "go"):
        return {"have": "has", "do": "does", "go": "goes"}[base]
    if re.search(r"(?:[sxz]|ch|sh)$", base):
        return f"{base}es"
    return re.sub(r"(?<![aeiou])y$", "ie", base) + "s"


_PARTS = [one.split() for one in _IRREGULAR.split(",")]
_BASES = frozenset([*_REGULAR, *(base for base, _, _ in _PARTS)])
_THIRDS = {_third(base): base for base in _BASES}
_PASTS = {past: base for base, past, _ in _PARTS if past != base}
"""Regular ones are left out: they may be participles of the name, as in "children raised by wolves"."""


class _Clause(Value):
    """A clause in parts: "wages", "did", "", "rise", "after the plague"."""

    name: str
    auxiliary: str
    adverb: str
    rest: str


def asked(clause: str) -> str | None:
    """ "did wages rise after the plague" for "Wages rose after the plague"; None if the verb is not certain."""
    found = _parsed(clause)
    return (
        None
        if found is None
        else " ".join(part for part in (found.auxiliary, found.name, found.adverb, found.rest) if part)
    )


def subject_of(clause: str) -> str | None:
    """What stands before the verb, None if the verb is not certain."""
    found = _parsed(clause)
    return None if found is None else found.name


def is_verb(word: str) -> bool:
    """Whether the word is a form that the questions know."""
    return word in _MODALS or word in _THIRDS or word in _PASTS or word in _BASES


def _parsed(clause: str) -> _Clause | None:
    words = clause.split()
    for position in range(1, len(words)):
        before, verb, rest = " ".join(words[:position]), words[position], " ".join(words[position + 1 :])
        adverb = re.fullmatch(rf"(?P<name>.+) (?P<adverb>{ADVERB})", before)
        name = adverb["name"] if adverb else before
        auxiliary = _auxiliary(name, verb, rest)
        if (
            auxiliary
            and is_name(name)
            and not (verb not in _MODALS and _MODALS & set(words[position + 1 : position + 2]))
        ):
            does, base = auxiliary
            return _Clause(
                name=name, auxiliary=does, adverb=adverb["adverb"] if adverb else "", rest=f"{base} {rest}".strip()
            )
        if verb in _MODALS:
            return None
    return None


def _auxiliary(name: str, verb: str, rest: str) -> tuple[str, str] | None:
    """What stands before the name in a question, and what is left of the verb behind it."""
    if verb == "cannot":
        return "can", "not"
    if verb in ("has", "have", "do", "does", "did") and not re.match(r"(?:not|been|become)\b|\w{3,}ed\b", rest):
        return ({"has": "does", "did": "did"}.get(verb, "do"), "have") if verb.startswith("ha") else None
    if verb in _MODALS:
        return verb, ""
    if verb in _THIRDS and not is_plural(name):
        return "does", _THIRDS[verb]
    if verb in _BASES and is_plural(name):
        return "do", verb
    return ("did", _PASTS[verb]) if verb in _PASTS else None


def base_of(verb: str, plural: bool) -> tuple[str, str] | None:
    """ "does" and "study" for "studies", "do" and "study" for "study"; None if verb and subject do not agree."""
    if plural:
        return None if verb.endswith("s") and not verb.endswith(("ss", "us")) else ("do", verb)
    if not verb.endswith("s") or verb.endswith("ss"):
        return None
    ends = {"ies": "y", "sses": "ss", "cuses": "cus"}
    for end, base in ends.items():
        if verb.endswith(end):
            return "does", verb.removesuffix(end) + base
    return "does", verb.removesuffix("s")
