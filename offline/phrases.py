"""The fixed sentences around passages in offline answers, by language; passages stay as they are written.

To add a language, add its sentences to `PHRASES` and to `core.course.sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.course.sentences import base_language
from core.facts import FactKind
from core.text.language import language_of
from core.types import Question, Source
from student_code.catalogue import ENGLISH
from student_code.inspector import CodeReport


@dataclass(frozen=True)
class Phrases:
    """`place` stands for a passage's location with its number, in `place` itself for a room."""

    preface: str
    found: str
    step: str
    helps: Mapping[Source, str]
    see_also: str
    locale: str
    """Of dates, as Babel names it."""
    day: str
    time: str
    place: str
    facts: Mapping[FactKind, str]
    """What the calendar says; `source` stands for the number of the passage that says it."""
    other: str
    """Behind a date, where another page gives another one."""
    disputed: str
    undated: str
    """Where staff said that a work has no due date."""
    end: str = "."


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
        locale="en_GB",
        day="{weekday}, {day}",
        time="{day}, {time}",
        place=", {place}",
        facts={
            FactKind.DUE: "{name} is due {when} {source}",
            FactKind.RELEASED: "{name} is handed out {when} {source}",
            FactKind.EXAM: "{name} is on {when} {source}",
            FactKind.LECTURE: "{when}: {name} {source}",
            FactKind.HOLIDAY: "{name}: {when} {source}",
            FactKind.HOURS: "Office hours ({name}): {details} {source}",
        },
        other="; another page says {when} {source}",
        disputed=" Ask staff which of them holds.",
        undated="{name} has no due date {source}",
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
        locale="nl",
        day="{weekday} {day}",
        time="{day}, {time}",
        place=", {place}",
        facts={
            FactKind.DUE: "{name} moet binnen zijn op {when} {source}",
            FactKind.RELEASED: "{name} komt uit op {when} {source}",
            FactKind.EXAM: "{name} is op {when} {source}",
            FactKind.LECTURE: "{when}: {name} {source}",
            FactKind.HOLIDAY: "{name}: {when} {source}",
            FactKind.HOURS: "Spreekuur ({name}): {details} {source}",
        },
        other="; een andere pagina zegt {when} {source}",
        disputed=" Vraag de begeleiding welke datum geldt.",
        undated="{name} heeft geen inleverdatum {source}",
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
        locale="de",
        day="{weekday}, {day}",
        time="{day}, {time} Uhr",
        place=", {place}",
        facts={
            FactKind.DUE: "{name} ist abzugeben bis {when} {source}",
            FactKind.RELEASED: "{name} wird ausgegeben am {when} {source}",
            FactKind.EXAM: "{name} findet statt am {when} {source}",
            FactKind.LECTURE: "{when}: {name} {source}",
            FactKind.HOLIDAY: "{name}: {when} {source}",
            FactKind.HOURS: "Sprechstunde ({name}): {details} {source}",
        },
        other="; eine andere Seite nennt {when} {source}",
        disputed=" Frag die Lehrenden, welches Datum gilt.",
        undated="{name} hat keinen Abgabetermin {source}",
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
        locale="es",
        day="{weekday}, {day}",
        time="{day}, {time}",
        place=", {place}",
        facts={
            FactKind.DUE: "{name} se entrega el {when} {source}",
            FactKind.RELEASED: "{name} se publica el {when} {source}",
            FactKind.EXAM: "{name} es el {when} {source}",
            FactKind.LECTURE: "{when}: {name} {source}",
            FactKind.HOLIDAY: "{name}: {when} {source}",
            FactKind.HOURS: "Horario de atención ({name}): {details} {source}",
        },
        other="; otra página dice {when} {source}",
        disputed=" Pregunta al profesorado qué fecha vale.",
        undated="{name} no tiene fecha de entrega {source}",
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
        locale="fr",
        day="{weekday} {day}",
        time="{day}, {time}",
        place=", {place}",
        facts={
            FactKind.DUE: "{name} est à rendre pour le {when} {source}",
            FactKind.RELEASED: "{name} est publié le {when} {source}",
            FactKind.EXAM: "{name} a lieu le {when} {source}",
            FactKind.LECTURE: "{when} : {name} {source}",
            FactKind.HOLIDAY: "{name} : {when} {source}",
            FactKind.HOURS: "Permanence ({name}) : {details} {source}",
        },
        other=" ; une autre page dit {when} {source}",
        disputed=" Demande à l'équipe enseignante quelle date est la bonne.",
        undated="{name} n'a pas de date limite {source}",
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
        locale="zh",
        day="{day}{weekday}",
        time="{day} {time}",
        place="，{place}",
        facts={
            FactKind.DUE: "{name} 的截止时间是{when} {source}",
            FactKind.RELEASED: "{name} 的发布时间是{when} {source}",
            FactKind.EXAM: "{name} 在{when} {source}",
            FactKind.LECTURE: "{when}：{name} {source}",
            FactKind.HOLIDAY: "{name}：{when} {source}",
            FactKind.HOURS: "答疑时间 ({name})：{details} {source}",
        },
        other="；另一页写的是{when} {source}",
        disputed="请向教学人员确认。",
        undated="{name} 没有截止时间{source}",
        end="。",
    ),
}


def phrases_for(question: Question, report: CodeReport | None) -> Phrases:
    """Those of the language that is asked for, or that the question is written in; English is the rest."""
    language = base_language(question.language or "") or (report.language if report else language_of(question.text))
    return PHRASES.get(language or ENGLISH, PHRASES[ENGLISH])
