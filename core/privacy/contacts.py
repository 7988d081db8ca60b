"""E-mail addresses, phone numbers and student ids in a text."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from core.privacy.spans import Kind, Span

PATTERN_SECONDS = 1.0
"""How long the course's own pattern may take for one text."""
_ENDINGS = (
    "com|org|net|edu|gov|mil|int|info|dev|app|cloud|online|school|academy|university|email|name|pro|test|example|local"
    "|[a-z]{2}"
)
_AT = r"(?:@|\s?[\[({]\s?at\s?[\])}]\s?)"
_DOT = r"(?:\.|\s?[\[({]\s?dot\s?[\])}]\s?)"
_EMAIL = regex.compile(
    rf"(?<![\w.+/-])(?!git@)[\p{{L}}\d](?:[\p{{L}}\d._%+'-]*[\p{{L}}\d_+-])?{_AT}[\p{{L}}\d](?:[\p{{L}}\d-]*[\p{{L}}\d])?"
    rf"(?:{_DOT}[\p{{L}}\d-]+)*{_DOT}(?:{_ENDINGS})(?![\w(\[-])(?!\.\w)",
    regex.IGNORECASE,
)
"""With an ending that addresses have: `X@W.shape` and `a@b.T` are products of matrices."""
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


def emails(text: str) -> Iterator[Span]:
    """E-mail addresses, also written as `ada [at] example [dot] edu`."""
    if "@" in text or "at" in text:
        for found in _EMAIL.finditer(text):
            yield Span(*found.span(), Kind.EMAIL, found[0].casefold())


def phones(text: str) -> Iterator[Span]:
    """Phone numbers: with a country's code, in groups as they are written in a country, or after a word that says so.

    A bare row of digits is none: most of those in questions are results, ids and data.
    """
    spans = [found.span() for pattern in (_INTERNATIONAL, _AMERICAN, _NATIONAL) for found in pattern.finditer(text)]
    spans += [found.span("number") for found in _AFTER_CUE.finditer(text)]
    for start, end in spans:
        digits = "".join(filter(str.isdigit, text[start:end]))
        if _MIN_DIGITS <= len(digits) <= _MAX_DIGITS and not _DATE.fullmatch(text[start:end]):
            yield Span(start, end, Kind.PHONE, digits)


def student_ids(text: str, pattern: str | None) -> Iterator[Span]:
    """What matches the course's pattern of student ids."""
    if pattern is None:
        return
    for found in regex.compile(pattern).finditer(text, timeout=PATTERN_SECONDS):
        if found[0]:
            yield Span(*found.span(), Kind.STUDENT_ID, found[0].casefold())
