"""The natural language that a text is written in."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

ENGLISH = "en"
LANGUAGES = ("ar", "zh", "nl", "en", "fr", "de", "it", "ja", "ko", "pl", "pt", "ru", "es", "th", "tr")
"""ISO 639-1 codes of the languages that are told apart."""
MIN_CHARS = 6
"""Of a shorter text the language is not told."""
SURE = 0.9
"""Probability from which a language counts."""


@lru_cache(1_000)
def language_of(text: str, among: tuple[str, ...] = LANGUAGES, *, sure: float = SURE) -> str | None:
    """One of the languages, as its code; None where the text is too short or could be in another one."""
    if len(text.strip()) < MIN_CHARS:
        return None
    language, probability = _identifier(among).classify(text)
    return str(language) if probability >= sure else None


@cache
def _identifier(among: tuple[str, ...]) -> Any:
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier  # Takes most of a second to load.

    identifier = LanguageIdentifier.from_modelpath(MODEL_DIR / MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(among))
    return identifier
