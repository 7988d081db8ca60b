"""Whether a text says what an official answer in words says: "fail to reject the null hypothesis"."""

from __future__ import annotations

import re

from core.text.sentences import rough_sentences

_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|can't|don't|doesn't|isn't|fail(?:s|ed)? to|insufficient|un(?=equal)|neither|none)\b",
    re.IGNORECASE,
)
_OPPOSITE = re.compile(
    r"\b(?:in|non-?|un|dis)(?=(?:dependent|significant|linear|biased|equal|correct|continuous|valid|stable)\b)",
    re.IGNORECASE,
)
_NULL = re.compile(r"\$?\bH_?\{?[0₀o]\}?\$?|\bnull\s+hypothesis\b", re.IGNORECASE)
_DECISION = re.compile(
    r"\b(?:yes|no|significan\w*|reject\w*|accept\w*|evidence|conclu\w*|decid\w*|true|false|because|therefore|so)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-zA-Z]{2,}|\d+(?:\.\d+)?")
_STATEMENT = re.compile(r"(?<=;)\s+|,\s+(?=so|hence|thus|therefore)")
_SMALL_WORDS = """the a an of to is are was it that this and or in on at for with we there be as by from its our do does
did not no fail so"""
_SMALL = set(_SMALL_WORDS.split())
_CLAUSE = re.compile(r"[,:]\s+|\s+(?:because|since|as|which|i\.e\.|and)\s+|\s[-–—]+>?\s|→|⇒", re.IGNORECASE)
_STEM = 5


def says(text: str, answer: str) -> bool | None:
    """Whether the text has the answer's words in one sentence, with the same polarity; None if it does not have them.

    A clause that has them all with the other polarity contradicts the answer; of a longer sentence that is not sure.
    """
    wanted = words_of(answer)
    if not wanted:
        return None
    negative = _is_negative(answer)
    statements = [statement for sentence in rough_sentences(text) for statement in _STATEMENT.split(sentence)]
    sentences = [statement for statement in statements if wanted <= words_of(statement)]
    clauses = [clause for sentence in sentences for clause in _CLAUSE.split(sentence) if wanted <= words_of(clause)]
    agreeing = [_is_negative(part) == negative for part in clauses or sentences]
    if len(clauses) > 1 and len(set(agreeing)) > 1:
        return None  # It says both.
    if any(agreeing):
        return True
    return False if clauses else None


def speaks_of(text: str, answer: str) -> bool:
    """Whether the text has any of the answer's words, or of those with which a decision is told."""
    return bool(words_of(answer) & words_of(text)) or bool(_DECISION.search(text))


def words_of(text: str) -> set[str]:
    """The stems of the words that carry the meaning of a text, without negations."""
    text = _NULL.sub(" nullhypothesis ", text)
    plain = _OPPOSITE.sub("", _NEGATION.sub(" ", text))
    return {word.lower()[:_STEM] for word in _WORD.findall(plain) if word.lower() not in _SMALL}


def _is_negative(text: str) -> bool:
    return (len(_NEGATION.findall(text)) + len(_OPPOSITE.findall(text))) % 2 == 1
