"""The natural language in which a student is answered."""

from __future__ import annotations

from functools import cache
from typing import Any

from student_code.catalogue import ENGLISH, LANGUAGES

MIN_CHARS = 12
"""In shorter texts, the language is not told apart."""


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier  # Takes a while to load.

    found = LanguageIdentifier.from_modelpath(MODEL_DIR / MODEL_FILE)
    found.set_languages(list(LANGUAGES))
    return found


def answer_language(wanted: str | None, text: str) -> str:
    """One of `LANGUAGES`: the one that is wanted (as a BCP 47 tag), or else that of the text. English is the rest."""
    if wanted:
        plain = wanted.casefold().split("-")[0].split("_")[0]
        return plain if plain in LANGUAGES else ENGLISH
    return str(_identifier().classify(text)[0]) if len(text.strip()) >= MIN_CHARS else ENGLISH
