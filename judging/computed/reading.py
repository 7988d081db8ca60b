"""How the computed judges read a text: without marks and invisible characters, in statements and content words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from core.text.sentences import rough_sentences
from retrievers.tokens import STOP_WORDS, tokenize
from safeguards.invisible import without_invisible

FUNCTION_WORDS = STOP_WORDS | frozenset(
    """the and or if for not no nor only same own as at from in on out over under up down with without within between
    because sinc while until dure befor after abov below again further onc here both each few more most other ani all
    s t also use get make made one way may might must shall cannot thing etc eg ie like let just too lot whole everi
    mani when whenev so but onli""".split()  # noqa: SIM905
)
"""Words that carry no content, as `tokenize` reduces them."""
_MARKS = re.compile(r"(?m)^\s*(?:[-*+•]|\d+[.)]|#{1,6})\s+|\*\*|__|`+|^>\s?")
_CITED = re.compile(r"\s?\[\d+\]")
_CLAUSE = re.compile(r";\s*|,\s+(?=(?:and|but|while|whereas|or)\b)")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|without|hardly|scarcely|barely|rarely|seldom|"
    r"fail(?:s|ed|ing)?|lack(?:s|ed|ing)?|unable|impossible|false|untrue|incorrect|wrong|mistaken|myth)\b|n['’]t\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+(?:[.,'’_-]\w+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty""".split(),  # noqa: SIM905
        2,
    )
}
CACHED = 20_000
"""Maximum number of readings kept; texts such as references recur."""


@dataclass(frozen=True)
class WordReading:
    """A text as words and statements. `text` is plain, with white space unified."""

    text: str

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(tokenize(self.text))

    @cached_property
    def words(self) -> tuple[tuple[str, str], ...]:
        """Each word that is not too common as it is written, without marks and in lower case, with its stem."""
        words = (match.casefold() for match in _WORD.findall(self.text))
        return tuple((word, stem) for word in words if (stem := " ".join(tokenize(word))))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Distinct stems of content words, in order."""
        return tuple(dict.fromkeys(token for token in self.tokens if token not in FUNCTION_WORDS))

    @cached_property
    def sentences(self) -> tuple[WordReading, ...]:
        """At least one, the whole text if it has no other."""
        found = [one.strip() for one in rough_sentences(self.text)]
        return tuple(WordReading(one) for one in found if len(one) > 2) or (self,)

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Sentences and their clauses."""
        found = (clause.strip() for one in self.sentences for clause in _CLAUSE.split(one.text))
        return tuple(clause for clause in found if len(clause) > 2) or (self.text,)

    @cached_property
    def negations(self) -> int:
        return len(_NEGATION.findall(self.text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        words = {NUMBER_WORDS[token] for token in self.text.lower().split() if token in NUMBER_WORDS}
        return frozenset(_NUMBER.findall(self.text)) | words


@lru_cache(CACHED)
def read(text: str) -> WordReading:
    """The text without formatting, citation numbers and invisible characters."""
    lines = _MARKS.sub("", _CITED.sub("", without_invisible(text))).splitlines()
    sentences = (line if line[-1] in ".!?:;," else f"{line}." for one in lines if (line := " ".join(one.split())))
    joined = " ".join(sentences)
    return WordReading(joined if len(lines) > 1 else " ".join(" ".join(lines).split()))
