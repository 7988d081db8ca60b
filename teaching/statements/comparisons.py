"""Sentences that say how two things differ."""

from __future__ import annotations

import re

from teaching.statements.names import NAME, OTHER, WORD, is_name, is_plural, match
from teaching.statements.verbs import subject_of

_UNLIKE = r"(?:unlike|in contrast (?:to|with)|compared (?:to|with)|as opposed to)"
_IS = r"[^,]+? (?:is|are) (?:an?|the|what|those) "
_UNLIKE_FIRST = r"(?:Unlike|In contrast (?:to|with)|Compared (?:to|with)|As opposed to)"
_END = r"(?: in | by | because |\.|,)"


def comparison(sentence: str) -> str | None:
    """ "X differs from Y in ...", "Unlike X, Y is ...", "X is ..., whereas Y is ...", "X is larger than Y"."""
    return _differing(sentence) or _unlike(sentence) or _whereas(sentence) or _than(sentence)


def _differing(sentence: str) -> str | None:
    found = match(rf"{NAME} (?P<verb>differs?) from {OTHER}{_END}", sentence)
    found = found or match(rf"{NAME} (?:is|are) different from {OTHER} (?:in|because|by)\b", sentence)
    if found:
        return _how(found["name"], found["other"])
    both = match(rf"{NAME} (?P<verb>differ) (?:in|by|because)\b", sentence)
    if both and " and " in both["name"]:
        return f"How do {both['name']} differ?"
    between = re.match(
        rf"The (?:main |key )?difference between (?P<name>{WORD}(?: {WORD}){{0,8}}?) (?:is|lies) ", sentence
    )
    return f"What is the difference between {between['name']}?" if between and " and " in between["name"] else None


def _unlike(sentence: str) -> str | None:
    first = match(
        rf"{_UNLIKE_FIRST} (?P<other>[^,]+), "
        rf"{NAME} (?P<be>is|are|has|have|does|do|can|cannot) ",
        sentence,
    )
    if first:
        return _how(first["name"], first["other"])
    inside = match(
        rf"{NAME},? (?:(?:is|are|has|have|can) )?(?P<un>, )?{_UNLIKE} (?P<other>[^,]+), ",
        re.sub(r",(?= (?:unlike|in contrast|compared))", "", sentence),
    )
    return _how(inside["name"], inside["other"]) if inside else None


def _whereas(sentence: str) -> str | None:
    """Two clauses with subjects that are names and the same verb."""
    halves = re.match(
        r"(?P<one>[^;:]+?)(?:, (?:whereas|while) |; )(?:in contrast, |by contrast, )?(?P<two>[^;:]+)\.$", sentence
    )
    first = re.match(r"Whereas (?P<one>[^,;:]+), (?P<two>[^,;:]+)\.$", sentence)
    if first and subject_of(first["one"]) and subject_of(first["two"]):
        halves = first
    if (
        halves
        and halves[0][halves.end("one")] == ";"
        and not all(re.match(_IS, halves[half]) for half in ("one", "two"))
    ):
        return None
    if halves is None or re.match(r"(?:While|Whereas|If|When|Although|Because|As) ", halves["one"]):
        return None
    one, two = _subject(halves["one"], halves["two"])
    if not one or not is_name(one) or not is_name(two) or one.lower() == two.lower():
        return None
    return _how(one, two) if is_plural(one) == is_plural(two) else None


def _subject(one: str, two: str) -> tuple[str, str]:
    """The subjects of two clauses: by verbs that are known, or what stands before a verb that both have."""
    known = subject_of(one), subject_of(two)
    if known[0] and known[1]:
        return known[0], known[1][0].lower() + known[1][1:] if two[0].islower() else known[1]
    first, second = one.split(), two.split()
    for position, word in enumerate(first[1:8], start=1):
        if word in second[1:8] and _may_be_verb(first[:position], word):
            return " ".join(first[:position]), " ".join(second[: second.index(word, 1)])
    return "", ""


def _may_be_verb(name: list[str], word: str) -> bool:
    """Whether a word that is in no list agrees with its subject as a verb does."""
    subject = " ".join(name)
    return is_name(subject) and word.isalpha() and not word.endswith("ly") and word.endswith("s") != is_plural(subject)


def _than(sentence: str) -> str | None:
    found = match(
        rf"{NAME} (?P<be>is|are) (?:much |far |often |usually )?(?:\w+er|(?:more|less) \w+) than {OTHER}(?:\.|"
        rf", but\b|;)",
        sentence,
    )
    if found:
        return f"How {'do' if is_plural(found['name']) else 'does'} {found['name']} compare with {found['other']}?"
    return None


def _how(name: str, other: str) -> str:
    return f"How {'do' if is_plural(name) else 'does'} {name} differ from {other}?"
