"""The fixed sentences around passages in offline answers, by language; passages stay as they are written.

To add a language, add its sentences to `PHRASES` and to `core.course.sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.course.sentences import base_language
from core.text.language import language_of
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
    "de": Phrases(
        preface="*Aus dem Kursmaterial übernommen; nicht von einem Modell geschrieben.*",
        found="Aus {place}:",
        step="Der Schritt, den du noch einmal lesen solltest, in {place}:",
        helps={
            Source.QA: "Eine frühere Frage, aus {place}:",
            Source.TEXTBOOK: "Die Idee dahinter, aus {place}:",
        },
        see_also="Siehe auch: {places}",
    ),
    "es": Phrases(
        preface="*Extraído del material del curso; no escrito por un modelo.*",
        found="De {place}:",
        step="El paso que conviene releer, en {place}:",
        helps={
            Source.QA: "Una pregunta anterior, de {place}:",
            Source.TEXTBOOK: "La idea en que se basa, de {place}:",
        },
        see_also="Véase también: {places}",
    ),
    "fr": Phrases(
        preface="*Extrait des documents du cours ; pas écrit par un modèle.*",
        found="De {place} :",
        step="L'étape à relire, dans {place} :",
        helps={
            Source.QA: "Une question précédente, de {place} :",
            Source.TEXTBOOK: "L'idée derrière, de {place} :",
        },
        see_also="Voir aussi : {places}",
    ),
    "zh": Phrases(
        preface="*摘自课程资料，并非由模型撰写。*",
        found="来自 {place}：",
        step="请再读这一步，见 {place}：",
        helps={
            Source.QA: "以前的问答，来自 {place}：",
            Source.TEXTBOOK: "背后的概念，来自 {place}：",
        },
        see_also="另见：{places}",
    ),
}


def phrases_for(question: Question, report: CodeReport | None) -> Phrases:
    """Those of the language that is asked for, or that the question is written in; English is the rest."""
    language = base_language(question.language or "") or (report.language if report else language_of(question.text))
    return PHRASES.get(language or ENGLISH, PHRASES[ENGLISH])
