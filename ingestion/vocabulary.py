"""Words of exams and problem sheets by language (ISO 639-1), as regular expressions; longer forms first."""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, str]
"""Language -> alternatives, lower case, separated by "|"."""

SOLUTIONS: Words = {
    "en": "solutions?|answers?|sols?|ans|(?:solution|answer|marking) key",
    "de": "musterlösung(?:en)?|lösung(?:en)?|antwort(?:en)?|lösungs(?:vorschlag|vorschläge|skizzen?|weg)"
    "|muster(?:antwort(?:en)?|lösg)",
    "es": "soluci(?:ón|on|ones)|correcci(?:ón|ones)|respuestas?|resoluci(?:ón|ones)",
    "fr": "réponses?|(?:proposition de |éléments de )?corrigés?(?: type| détaillé)?",
    "it": "soluzion[ei]|svolgiment[oi]|rispost[ae]",
    "pt": "resoluç(?:ão|ões)|soluç(?:ão|ões)|respostas?|gabarito",
    "ru": "решени[ея]|ответы?",
    "uk": "відповіді?",
    "nl": "antwoord(?:en)?|uitwerking(?:en)?",
    "da": "svar|løsning(?:er)?",
    "sv": "lösning(?:ar)?",
    "fi": "vastaus|ratkaisu",
    "pl": "rozwiązani[ea]|odpowied(?:ź|zi)",
    "cs": "řešení",
    "hu": "megoldás",
    "tr": "çözüm|cevap",
    "zh": "参考答案|答案",
    "ja": "解答例?|模範解答|解析|解|答",
    "ko": "풀이|정답",
    "ar": "الحل|الإجابة",
}
"""With which the solution of a question begins."""

SHEETS: Words = {
    "en": "homework|hw|assignments?|problem sets?|problems?|questions?|exercises?|parts?|ps|labs?|quiz|exam|midterm"
    "|final|worksheet|discussion|project|sheet|q",
    "de": "aufgaben?|übung(?:en|sblatt)?|blatt",
    "es": "ejercicios?|problemas?|tareas?",
    "fr": "exercices?",
    "pt": "exercícios?",
    "it": "esercizi?o?",
    "ru": "задач[аеиу]",
}
"""What solutions are said to be of ("Solutions to Homework 3")."""

PROOFS: Words = {
    "en": "proof",
    "de": "beweis",
    "fr": "preuve|démonstration",
    "es": "demostración",
    "it": "dimostrazione",
    "pt": "demonstração",
    "ru": "доказательство",
    "uk": "доведення",
    "nl": "bewijs",
    "sv": "bevis",
    "fi": "todistus",
    "pl": "dowód",
    "cs": "důkaz",
    "hu": "bizonyítás",
    "tr": "kanıt|ispat",
    "ja": "証明",
    "ko": "증명",
}

MARKING_SCHEMES: Words = {
    "en": "(?:grading |marking |scoring |assessment |evaluation )?rubrics?"
    "|(?:marking|mark|grading|scoring) (?:schemes?|guides?|guidelines|notes?|key|criteria)",
    "de": "bewertungs(?:schema|schlüssel|raster|kriterien|bogen)|punkteschlüssel|erwartungshorizont",
    "fr": "barème(?: de (?:notation|correction))?|grille (?:de correction|d['’]évaluation)",
    "es": "rúbrica|criterios? de (?:corrección|calificación|evaluación)|pauta de (?:corrección|evaluación)",
    "it": "(?:criteri|griglia) di (?:valutazione|correzione)",
    "pt": "critérios de (?:correção|avaliação)",
    "ru": "критерии (?:оценки|оценивания|проверки)|схема оценивания",
    "nl": "beoordelingsmodel|correctievoorschrift",
    "sv": "rättningsmall|bedömningsmall",
    "zh": "评分标准|評分標準",
    "ja": "採点基準",
    "ko": "채점 ?기준",
}
"""What tells graders how many points an answer gets."""

POINTS: Words = {
    "en": "points?|pts?|marks?",
    "de": "punkte",
    "es": "puntos",
    "zh": "分",
    "ru": "баллов",
}
"""Units behind the number that a question is worth."""


def any_of(words: Words, *languages: str) -> str:
    """The alternatives of these languages, of all if none is given, for use inside a group."""
    return "|".join(words[language] for language in languages or words)
