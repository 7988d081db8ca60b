"""E-mail addresses, phone numbers and student ids in a text, in linear time but for the course's own pattern."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from core.privacy.spans import Kind, Span

PATTERN_SECONDS = 0.5
"""How long the course's own pattern may take for all texts of a question."""
_COUNTRY = re.compile(r"[a-z]{2}")
_ENDINGS = {
    *("com", "org", "net", "edu", "gov", "mil", "int", "info", "dev", "app", "cloud", "online", "school", "academy"),
    *("university", "email", "name", "pro", "test", "example", "local"),
}
_AT = re.compile(
    r"(?P<bracketed>\s?[\[({<]\s?(?:at|@)\s?[\])}>]\s?)|(?P<sign>\s?@\s?)|(?P<word>\s{1,3}at\s{1,3}|_at_)",
    re.IGNORECASE,
)
_DOT = r"(?:\.|\s?[\[({<]\s?(?:dot|\.)\s?[\])}>]\s?|(?P<word>\s{1,3}dot\s{1,3}|_dot_))"
_DOMAIN = regex.compile(rf"(?P<label>[\p{{L}}\d-]++)(?:{_DOT}(?P<label>[\p{{L}}\d-]++))++", regex.IGNORECASE)
_IN_LOCAL = frozenset("._%+'-")
_SENTENCE_BEGINS = re.compile(r"[A-Z][a-z]+")
_NO_ENDS = frozenset("_([")
_INTERNATIONAL = regex.compile(
    r"(?<![\w+.=*/^])(?:\+|00(?=[1-9]\d[ \-]))[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}(?![\d.]\d|\w)"
)
_AMERICAN = regex.compile(r"(?<![\w+.\-/=*(])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w]|[.-]\d)")
_NATIONAL = regex.compile(r"(?<![\w+.\-/=*,])0[1-9]\d{0,4}(?:[ \-/]\d{2,8}){1,5}(?![\w]|[.,\-/]\d)")
_AFTER_CUE = regex.compile(
    r"(?:phone|cell|mobile|tel|telephone|call|ring|text|sms|whatsapp|signal|handy|telefon|tel[ée]fono|móvil|reach me"
    r"|my number)\b"
    r"[^\d\n+]{0,24}?(?<![\w.])(?P<number>\(?\d{2,5}\)?(?:[ .\-/]?\d{2,5}){1,4}|\d{7,12})(?![\w]|[.,]\d)",
    regex.IGNORECASE,
)
_DATE = regex.compile(r"(?:\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]\d{1,2}[-/. ]\d{4})")
_MIN_DIGITS, _MAX_DIGITS = 7, 15
_MAYBE_ID = re.compile(r"[^\W_]*\d[^\W_]*")
MIN_ID_DIGITS = 4
"""A word with fewer digits is no student id where the course's pattern cannot be asked."""


def emails(text: str) -> Iterator[Span]:
    """E-mail addresses, also written as `ada [at] example [dot] edu` or `ada AT example DOT edu`.

    They end as addresses do: `X@W.shape` and `a@b.T` are products of matrices.
    """
    for mark in _AT.finditer(text):
        start = _start_of_local(text, mark.start())
        domain = _DOMAIN.match(text, mark.end()) if start < mark.start() else None
        if domain is None or text[mark.start() - 1] in ".%'" or text.startswith("//", max(start - 2, 0)):
            continue
        labels, end = _labels(domain)
        local = text[start : mark.start()]
        if local.casefold() == "git" or not labels or not _is_meant(mark, local, domain, labels[-1]):
            continue
        if text[end : end + 1] not in _NO_ENDS:
            yield Span(start, end, Kind.EMAIL, f"{local}@{'.'.join(labels)}".casefold())


def _start_of_local(text: str, end: int) -> int:
    """Where the part before `@` begins. No two of them overlap, so that all together take linear time."""
    start = end
    while start and (text[start - 1].isalnum() or text[start - 1] in _IN_LOCAL):
        start -= 1
    while start < end and not text[start].isalnum():
        start += 1
    return start


def _labels(domain: regex.Match[str]) -> tuple[list[str], int]:
    """The labels up to one that ends addresses, and where it ends; no labels if none does.

    A label behind it is the first word of a sentence without a space before it.
    """
    labels, ends = domain.captures("label"), domain.ends("label")
    while len(labels) > 1 and not _ends_addresses(labels[-1]) and _SENTENCE_BEGINS.fullmatch(labels[-1]):
        labels, ends = labels[:-1], ends[:-1]
        if not _ends_addresses(labels[-1], country=False):
            return [], 0
    return (labels, ends[-1]) if len(labels) > 1 and _ends_addresses(labels[-1]) else ([], 0)


def _ends_addresses(label: str, *, country: bool = True) -> bool:
    small = label.casefold()
    return small in _ENDINGS or (country and _COUNTRY.fullmatch(small) is not None)


def _is_meant(mark: re.Match[str], local: str, domain: regex.Match[str], ending: str) -> bool:
    """Whether what may be an operator or a word is the sign of an address."""
    if mark["word"]:
        is_loud = "AT" in mark[0] and not local.isupper()
        return bool(domain["word"]) or (is_loud and _ends_addresses(ending, country=False))
    if mark["sign"] and mark["sign"] != "@":
        return _ends_addresses(ending, country=False)
    return True


def phones(text: str) -> Iterator[Span]:
    """Phone numbers: with a country's code, in groups as they are written in a country, or after a word that says so.

    A bare row of digits is none: most of those in questions are results, ids and data.
    """
    spans = [match.span() for pattern in (_INTERNATIONAL, _AMERICAN, _NATIONAL) for match in pattern.finditer(text)]
    spans += [match.span("number") for match in _AFTER_CUE.finditer(text)]
    for start, end in spans:
        digits = "".join(filter(str.isdigit, text[start:end]))
        if _MIN_DIGITS <= len(digits) <= _MAX_DIGITS and not _DATE.fullmatch(text[start:end]):
            yield Span(start, end, Kind.PHONE, digits)


@dataclass
class IdSearch:
    """Looks for the course's pattern in the texts of one question, with `seconds` left for it.

    Once they are over, every word with enough digits counts as an id: an id must not reach a model because a pattern
    is slow.
    """

    pattern: str | None
    seconds: float = PATTERN_SECONDS

    @property
    def is_too_slow(self) -> bool:
        return self.seconds <= 0

    def find(self, text: str) -> list[Span]:
        """What matches the pattern, or may be an id."""
        if self.pattern is None:
            return []
        if not self.is_too_slow:
            begun = time.perf_counter()
            try:
                matches = regex.compile(self.pattern).finditer(text, timeout=self.seconds, concurrent=True)
                return [Span(*match.span(), Kind.STUDENT_ID, match[0].casefold()) for match in matches if match[0]]
            except TimeoutError:
                self.seconds = 0.0
            finally:
                self.seconds -= time.perf_counter() - begun
        words = (match for match in _MAYBE_ID.finditer(text) if sum(map(str.isdigit, match[0])) >= MIN_ID_DIGITS)
        return [Span(*match.span(), Kind.STUDENT_ID, match[0].casefold()) for match in words]
