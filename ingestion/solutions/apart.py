"""Sets solutions and other texts for staff apart from what students see."""

from __future__ import annotations

import re
from dataclasses import replace

from ingestion.document import LineKind, LoadedDocument
from ingestion.solutions.staff_text import with_staff_text

_INLINE = re.compile(
    r"(?<=[.?!:)\]*_。？])[ \t](?=(?:\*\*|__|\*|_)?(?:Staff |Sample )?(?:Solution|Answer|SOLUTION|ANSWER|Lösung|Antwort"
    r"|Solución|Respuesta|Réponse|Corrigé|Soluzione|Risposta|Solução|Resposta|Решение|Ответ)\s*(?:\*\*|__|\*|_)?[:：]"
    r"|(?:\*\*|__|\*|_)(?:Proof|Beweis|Preuve|Démonstration|Demostración|Dimostrazione)[.:]?(?:\*|_)"
    r"|\\begin\{(?:solution|answer)\w*\})"
)


def solutions_apart(document: LoadedDocument) -> LoadedDocument:
    """The document with solutions on own lines and staff text marked; its length stays."""
    return with_staff_text(_split(document))


def _split(document: LoadedDocument) -> LoadedDocument:
    if not any(line.kind is LineKind.PROSE and _INLINE.search(line.text) for line in document.lines):
        return document
    lines = (
        replace(line, text=text, level=line.level if n == 0 else 0)
        for line in document.lines
        for n, text in enumerate(_INLINE.split(line.text) if line.kind is LineKind.PROSE else [line.text])
    )
    return replace(document, lines=tuple(lines))
