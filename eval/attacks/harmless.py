"""Changes of an answer that leave what it says as it is."""

from __future__ import annotations

import re

from core.text.sentences import rough_sentences
from eval.attacks.additions import with_invisible
from eval.attacks.base import AttackMaterial

PARAPHRASES = {
    "do not": "don't", "does not": "doesn't", "is not": "isn't", "are not": "aren't", "cannot": "can't",
    "don't": "do not", "doesn't": "does not", "isn't": "is not", "aren't": "are not", "can't": "cannot",
    "it's": "it is", "because": "since", "for example": "for instance", "such as": "like", "in order to": "to",
    "allows": "lets", "allow": "let", "uses": "makes use of", "begin": "start", "begins": "starts", "start": "begin",
    "starts": "begins", "big": "large", "large": "big", "also": "too", "many": "lots of", "when": "whenever",
    "needs to": "has to", "need to": "have to", "must": "has to", "shows": "indicates", "show": "indicate",
    "helps": "makes it easier", "usually": "as a rule", "often": "frequently", "only": "just", "whole": "entire",
    "entire": "whole", "until": "till", "therefore": "so", "however": "but", "through": "by way of", "every": "each",
    "each": "every", "called": "named", "gives": "provides", "provides": "gives", "change": "alter", "check": "verify",
}  # fmt: skip
"""Everyday words, and others of the same meaning."""
SPELLINGS = {
    "behavior": "behaviour", "behaviors": "behaviours", "color": "colour", "colors": "colours", "center": "centre",
    "optimize": "optimise", "optimized": "optimised", "initialize": "initialise", "initialized": "initialised",
    "initializes": "initialises", "generalize": "generalise", "generalizes": "generalises", "organize": "organise",
    "organized": "organised", "recognize": "recognise", "recognized": "recognised", "analyze": "analyse",
    "analyzes": "analyses", "summarize": "summarise", "summarizes": "summarises", "minimize": "minimise",
    "minimizes": "minimises", "maximize": "maximise", "maximizes": "maximises", "standardize": "standardise",
    "standardized": "standardised", "normalize": "normalise", "normalized": "normalised", "labeled": "labelled",
    "modeling": "modelling", "modeled": "modelled", "favor": "favour", "neighbor": "neighbour",
    "neighbors": "neighbours", "visualize": "visualise", "visualizes": "visualises", "visualization": "visualisation",
    "regularization": "regularisation", "optimization": "optimisation", "initialization": "initialisation",
    "generalization": "generalisation", "organization": "organisation", "fulfill": "fulfil", "program's": "programme's",
    "emphasize": "emphasise", "specialized": "specialised", "utilize": "utilise", "utilizes": "utilises",
    "utilized": "utilised", "penalize": "penalise", "penalizes": "penalises", "randomized": "randomised",
    "customize": "customise", "finalize": "finalise", "finalized": "finalised", "realize": "realise",
    "parenthesized": "parenthesised", "memorize": "memorise", "rasterized": "rasterised", "catalog": "catalogue",
    "capitalized": "capitalised", "materialize": "materialise", "synchronized": "synchronised", "honor": "honour",
}  # fmt: skip
"""American spellings, and British ones."""
MAX_BOLD = 2
_ANAPHORA = re.compile(
    r"\s*(?:it|this|that|these|those|they|he|she|then|so|also|however|but|and|second|finally|otherwise)\b", re.I
)


def paraphrase(material: AttackMaterial) -> str | None:
    """Everyday words replaced by others of the same meaning."""
    return _replaced(material.item.answer, PARAPHRASES)


def spelling(material: AttackMaterial) -> str | None:
    """British for American spelling."""
    return _replaced(material.item.answer, SPELLINGS)


def order_of_points(material: AttackMaterial) -> str | None:
    """The sentences in the opposite order; not if one refers to another."""
    sentences = [one.strip() for one in rough_sentences(material.item.answer) if one.strip()]
    if len(sentences) < 2 or any(_ANAPHORA.match(one) for one in sentences):
        return None
    return " ".join(one if one[-1] in ".!?" else f"{one}." for one in reversed(sentences))


def formatting(material: AttackMaterial) -> str:
    """Each sentence as a point of a list, with long words in bold."""
    sentences = [one.strip() for one in rough_sentences(material.item.answer) if one.strip()]
    points = (re.sub(r"\b([A-Za-z]{7,})\b", r"**\1**", one, count=MAX_BOLD) for one in sentences)
    return "\n".join(f"- {point}" for point in points)


def invisible(material: AttackMaterial) -> str:
    """Invisible characters in a right answer."""
    return with_invisible(material.item.answer, material)


def _replaced(text: str, words: dict[str, str]) -> str | None:
    """None if no word of the text can be replaced."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})\b", re.IGNORECASE)
    changed = pattern.sub(lambda match: _cased(words[match[0].lower()], match[0]), text)
    return changed if changed != text else None


def _cased(new: str, old: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
