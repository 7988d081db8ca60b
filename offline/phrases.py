"""The fixed sentences around passages in offline answers, by language; passages stay as they are written.

To add a language, add its sentences to `PHRASES` and its name to `LANGUAGES` of the catalogue of mistakes in code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.types import Question, Source
from student_code.catalogue import ENGLISH
from student_code.inspector import CodeReport


@dataclass(frozen=True)
class Phrases:
    """`place` stands for a passage's location with its number."""

    preface: str
    found: str
    step: str
    helps: Mapping[Source, str]
    see_also: str


PHRASES = {
    ENGLISH: Phrases(
        preface="*Extracted from the course material; not written by a model.*",
        found="From {place}:",
        step="The step to read again, in {place}:",
        helps={
            Source.QA: "An earlier thread, from {place}:",
            Source.TEXTBOOK: "The idea behind it, from {place}:",
        },
        see_also="See also: {places}",
    ),
    "nl": Phrases(
        preface="*Overgenomen uit het cursusmateriaal; niet door een model geschreven.*",
        found="Uit {place}:",
        step="De stap om opnieuw te lezen, in {place}:",
        helps={
            Source.QA: "Een eerdere vraag, uit {place}:",
            Source.TEXTBOOK: "Het idee erachter, uit {place}:",
        },
        see_also="Zie ook: {places}",
    ),
}


def phrases_for(question: Question, report: CodeReport | None) -> Phrases:
    """Those of the language that is asked for, or that a question about code is written in; English is the rest."""
    wanted = (question.language or "").casefold().split("-")[0].split("_")[0]
    return PHRASES.get(wanted or (report.language if report else ENGLISH), PHRASES[ENGLISH])
