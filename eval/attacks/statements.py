"""Changes the meaning of statements: negates them, and replaces their numbers and terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from core.text.number_words import words_up_to
from core.text.sentences import rough_sentences
from retrievers.tokens import STOP_WORDS

_NOT = re.compile(
    r"\b(can)(?:not|['’]t)\b|\b(\w+) not\b(?! only)|"
    r"\b(is|are|was|were|do|does|did|have|has|had|should|would|could)n['’]t\b",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|may|might|has to|have to|does|do|did)\b(?!n['’]t)(?! not\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")
_NUMBER_WORDS = words_up_to(10)
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset(
    """about above across after again against along also although always among another around because before being
    below best better between both cannot case cases causes come comes contain contains could does done down during
    each either else even every example find first following from give gives given goes have having here however
    include includes inside into just kind know last less like made make makes many more most much must need needs
    never next often once only other others over part place possible really same second seen several should show
    since some something still such take takes than that their them then there these they thing things this those
    through time times together under unless until upon used uses using usually very want well were what when where
    whether which while will with within without would your""".split()  # noqa: SIM905
)


def negated(text: str) -> str:
    """Each sentence with the opposite meaning."""
    return " ".join(_opposite(one) for one in rough_sentences(text) if one.strip())


def _opposite(sentence: str) -> str:
    if found := _NOT.search(sentence):
        return f"{sentence[: found.start()]}{next(filter(None, found.groups()))}{sentence[found.end() :]}"
    if found := _AUXILIARY.search(sentence):
        return f"{sentence[: found.end()]} not{sentence[found.end() :]}"
    return f"It is not true that {sentence[:1].lower()}{sentence[1:]}"


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, in digits and in words, in lower case."""
    return frozenset(found.lower() for pattern in (_NUMBER, _NUMBER_WORD) for found in pattern.findall(text))


def other_numbers(text: str, known: frozenset[str], random: Random) -> str | None:
    """The text with another number in place of each of the known ones; None if it has none of them."""

    def changed(match: re.Match[str], other: Callable[[str, Random], str]) -> str:
        return other(match[0], random) if match[0].lower() in known else match[0]

    found = _NUMBER.sub(lambda match: changed(match, _other_number), text)
    found = _NUMBER_WORD.sub(lambda match: changed(match, _other_word), found)
    return found if found != text else None


def _other_number(number: str, random: Random) -> str:
    if "." in number:
        return f"{float(number) * random.choice((0.5, 2, 3)) + 1:.{len(number.partition('.')[2])}f}"
    return str(int(number) + random.randint(2, 9))


def _other_word(word: str, random: Random) -> str:
    other = random.choice([one for one in _NUMBER_WORDS if one != word.lower()])
    return other.capitalize() if word[0].isupper() else other


def terms(text: str) -> list[str]:
    """The distinct content words of a text, in order and in lower case."""
    words = (match[0].lower() for match in _WORD.finditer(text))
    return [word for word in dict.fromkeys(words) if word not in _COMMON and word not in STOP_WORDS]


def with_other_term(text: str, candidates: list[str], replacements: list[str], random: Random) -> str | None:
    """The text with one of the candidates replaced wherever it occurs; None if there is nothing to choose from."""
    if not candidates or not replacements:
        return None
    old, new = random.choice(candidates), random.choice(replacements)
    return re.sub(rf"\b{re.escape(old)}\b", new, text, flags=re.IGNORECASE)
