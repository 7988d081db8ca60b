"""Which lines begin a solution."""

from __future__ import annotations

import re
from dataclasses import replace

from ingestion.document import Line, LineKind, LoadedDocument

_WORDS = (
    "solutions?|answers?|sols?|ans|(?:solution|answer|marking) key|musterlösung(?:en)?|lösung(?:en)?|antwort(?:en)?"
    "|lösungsvorschlag|soluci(?:ón|ones)|correcci(?:ón|ones)|respuestas?|réponses?|corrigés?|soluzion[ei]"
    "|rispost[ae]|soluç(?:ão|ões)|respostas?|gabarito|решени[ея]|ответы?|відповіді?|antwoord(?:en)?|uitwerking(?:en)?|svar|løsning(?:er)?"
    "|lösning(?:ar)?|vastaus|ratkaisu|rozwiązani[ea]|odpowied(?:ź|zi)|řešení|megoldás|çözüm|cevap"
    "|参考答案|答案|解答例?|模範解答|解析|解|答|풀이|정답|الحل|الإجابة"
)
_KINDS = "staff|instructor|my|our|sample|model|suggested|official|worked|example|reference|correct|short|full|brief"
_SHEETS = (
    "homework|hw|assignments?|problem sets?|problems?|questions?|exercises?|parts?|ps|labs?|quiz|exam|midterm|final"
    "|worksheet|discussion|project|sheet|aufgaben?|übung(?:en|sblatt)?|blatt|ejercicios?|problemas?|tareas?|exercices?"
    "|exercícios?|esercizi?o?|задач[аеиу]|q"
)
_OF_A_SHEET = (
    r"(?:to|for|of|zu|zur|zum|der|de|del|de la|de l['’]|à|à l['’]|al|к)\s*(?:(?:the|all|selected|odd|even)\s+)?"
    rf"(?:{_SHEETS})\W*[\w.\-()]{{0,8}}"
)
_MARK = re.compile(
    # "**Solution 2b (5 points):** ...", "Suggested solution", "### Solutions to Homework 3"
    rf"^[\W_]*(?:text(?:bf|it)?\W+)?(?:(?:{_KINDS})\s+)?(?:{_WORDS})(?:\s+(?:sketch|outline|guide))?\s*"
    r"(?P<number>\(?\d*[a-z]?\)?)\s*(?:[(\[][^()\[\]]{0,30}[)\]]\s*)?"
    rf"(?:[:：.*_\]】}}]|$|[–—-]+(?=\s|$)|(?:to|for|of)\b[^.]{{0,40}}:|{_OF_A_SHEET}(?:[\W_]*$|\s*[:：]))"
    # "Homework 3 Solutions", "Appendix: Solutions"
    rf"|^[\W_]*(?:{_SHEETS}|appendix|anhang)\s*\#?\d*[a-z]?\W+(?:solutions?|answers?|answer key)[\W_]*$"
    # "Click for the solution", ":::{solution}", "\\begin{solution}"
    r"|^[\W_]*(?:click|show|reveal|see|view)\s[\w\s]{0,20}(?:solutions?|answers?)[\W_]*$"
    r"|^\W*(?:begin|success|admonition|dropdown|toggle)\W+(?:solutions?|answers?)\W*$"
    # What otter leaves out of the notebook that students get.
    r"|^[\W_]*BEGIN SOLUTION\b|^(?-i:[\W_]*SOLUTION\b)|\#+\s*(?-i:SOLUTION)(?: NO PROMPT)?\s*$",
    re.IGNORECASE,
)
_INLINE = re.compile(
    r"(?<=[.?!:)\]*_。？])[ \t](?=(?:\*\*|__|\*|_)?(?:Staff |Sample )?(?:Solution|Answer|SOLUTION|ANSWER|Lösung|Antwort"
    r"|Solución|Respuesta|Réponse|Soluzione|Risposta|Solução|Resposta|Решение|Ответ)\s*(?:\*\*|__|\*|_)?[:：])"
)


def is_solution_marker(text: str) -> bool:
    """True for a line that begins a solution ("**Solution.** ...", "Answer:", "### Solutions to Homework 3")."""
    return bool(_MARK.search(text.strip()))


def after_solution_marker(text: str) -> str:
    """What follows on a line that begins a solution, without marks; another line as it is."""
    match = _MARK.match(text.strip())
    return text.strip()[match.end() :].lstrip(" .:：*_").rstrip() if match else text


def solution_number(text: str) -> str:
    """The number of a line that begins the solution of a numbered question ("Solution 2b:"), or nothing."""
    match = _MARK.match(text.strip())
    return (match["number"] or "").strip("()").casefold() if match else ""


def solutions_apart(document: LoadedDocument) -> LoadedDocument:
    """The document with solutions on lines of their own ("Which city? **Answer:** Paris"). Its text stays as long."""
    if not any(line.kind is LineKind.PROSE and _INLINE.search(line.text) for line in document.lines):
        return document
    lines = (
        replace(line, text=text, level=line.level if n == 0 else 0)
        for line in document.lines
        for n, text in enumerate(_INLINE.split(line.text) if line.kind is LineKind.PROSE else [line.text])
    )
    return replace(document, lines=tuple(lines))


def begins_solution(line: Line) -> bool:
    """True for a line with which, or within which, a solution begins."""
    return line.solution or is_solution_marker(line.text)
