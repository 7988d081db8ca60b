"""Questions that ask for a date or a time, and texts that have one."""

from __future__ import annotations

import re

from core.text.dates import read_moments, times_in, weekdays_in
from retrievers.terms import question_terms

DATE = "a date"
"""Stands among the terms of a text with a date or a time, and of a question that asks for one."""
MAX_TITLE_WORDS = 7
"""Of a title that asks by naming what it is about: "hw 3 deadline"."""
_DUE = (
    r"due|deadlines?|due date|hand(?:ed)? in|turn(?:ed)? in|submi(?:t|ssion)|abgabe\w*|abgeben|abzugeben|fällig|"
    r"frist|entrega\w*|plazo|"
    r"fecha límite|rendre|date limite|inlever\w*"
)
_ASKING_WHEN = (
    r"(?:(?:know|sure|wonder|wondering|ask|tell me|remember) when|when(?!\s+(?:i|we|you|they|it|he|she|there|this|that|"
    r"these|those|the|my|our|your|a|an|one|two|three|both|all|some|any|no)\b))"
)
"""Not that of a condition, which its subject follows: "what is kept when two overlap", "when I run it"."""
_WHEN = re.compile(
    r"\b(?:when|due|deadlines?|until|(?:what|which) (?:day|date|time)s?|what(?: day)?/time|dates?|last day|"
    r"wann|frist|bis wann|abgabetermin|fällig|cuándo|cuando|plazo|fecha|quand|date limite|wanneer|deadline)\b|"
    r"什么时候|几号|截止|"
    r"office hours?",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"\b(?:{_ASKING_WHEN}|"
    r"(?:what|which) (?:exact )?(?:day|date|time|week)s?|what(?: day)?/time|"
    r"what(?:['’]?s| is| are)? the (?:exact )?(?:due ?dates?|deadlines?|dates?)|(?:the )?due dates?|last day|"
    r"(?:bis )?wann|welche[mnrs]? (?:tag|datum)|hasta cuándo|cuándo|qué (?:día|fecha)|quand|quel jour|wanneer|"
    r"welke dag)\b|"
    rf"\b(?:is|are|was|ist|sind|es|est)\b[^.!?]{{0,80}}\b(?:{_DUE})\b|"
    rf"\b(?:what|anything|something|which|was|qué|quoi|wat)\b[^.!?]{{0,40}}\b(?:{_DUE})\b|"
    rf"\b(?:{_DUE})\b[^.!?]{{0,30}}[?？]|什么时候|几号|哪天|截止",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:it['’]?s|its|i|that['’]?s|already)\b[^.!?]{0,30}\b(?:due|deadline)\b|\bdeadline (?:passed|was)\b", re.I
)
_SENTENCE = re.compile(r"(?<=[.!?？。！])\s+|\n+")
_ENDED = re.compile(r"[^.!?\n]+[.!?]*")
_AND = re.compile(
    r"\s(?:and|also|plus)\s+(?=(?:how|what|where|which|who|why|can|could|is|are|do|does|should|may|will)\b)",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\W*(?:(?:and|also|plus)\s+)?(?:do|does|can|could|may|should|is|are|how|what|which|who|why)\b", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:how|why|who|whom|can|could|may|should|(?:do|does) (?:i|we|you|it)|what happens|allowed|warum|wie|"
    r"wer|darf|kann|"
    r"cómo|por qué|quién|puedo|podemos|comment|pourquoi|peut|hoe|waarom|mag)\b|怎么|为什么|可以|能",
    re.IGNORECASE,
)
"""What else a sentence asks that asks for a date."""
_NAMES_DUE = re.compile(rf"\b(?:{_DUE}|dates?|office hours?|sprechstunden?)\b|截止", re.IGNORECASE)


def asks_when(text: str) -> bool:
    """True for a text with words for when something is."""
    return bool(_WHEN.search(text))


def names_due(text: str) -> bool:
    """True for a text with a word for when something is to be handed in, or office hours."""
    return bool(_NAMES_DUE.search(text))


def date_question(text: str, title: str = "") -> str:
    """The title and the sentences of a text that ask when something is, empty if none does; a short title asks by
    naming a deadline.

    "It is due tonight" in a question about something else does not ask.
    """
    asking = [title] if len(title.split()) <= MAX_TITLE_WORDS and names_due(title) and not _TELLS.search(title) else []
    start = 0
    for end in [*(match.end() for match in _SENTENCE.finditer(text)), len(text)]:
        sentence = text[start:end]
        start = end
        if _ASKS.search(sentence) and not _TELLS.search(sentence):
            asking.append(sentence)
    return "\n".join(asking)


def asks_for_date(text: str, title: str = "") -> bool:
    """True for a text in which a sentence, or the title, asks when something is."""
    return bool(date_question(text, title))


def asks_only_for_date(text: str) -> bool:
    """True for a text whose sentences that ask all ask when something is, and nothing else."""
    sentences = [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]
    asking = [sentence for sentence in sentences if _ASKS.search(sentence)]
    halves = [half for sentence in _ENDED.findall(text) for half in _AND.split(sentence)]
    others = [one for one in halves if ("?" in one or _BEGINS.match(one)) and not _ASKS.search(one)]
    return bool(asking) and not others and not any(_OTHERWISE.search(sentence) for sentence in asking)


def has_date(text: str) -> bool:
    """True for a text with a day, a weekday or a time of day."""
    return bool(read_moments(text) or times_in(text) or weekdays_in(text))


def dated_terms(text: str) -> frozenset[str]:
    """The terms of a text, `DATE` among them where it has one."""
    terms = question_terms(text)
    return terms | {DATE} if has_date(text) else terms
