"""The natural language in which a student is answered."""

from __future__ import annotations

from core.text.language import language_of
from student_code.catalogue import ENGLISH, LANGUAGES

MIN_CHARS = 12
"""In shorter texts, the language is not told apart."""


def answer_language(wanted: str | None, text: str) -> str:
    """One of `LANGUAGES`: the one that is wanted (as a BCP 47 tag), or else that of the text. English is the rest."""
    if wanted:
        plain = wanted.casefold().split("-")[0].split("_")[0]
        return plain if plain in LANGUAGES else ENGLISH
    return (language_of(text, LANGUAGES, sure=0.5) if len(text.strip()) >= MIN_CHARS else None) or ENGLISH
