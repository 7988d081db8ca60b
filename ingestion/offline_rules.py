"""The offline rules for ingestion's tasks."""

from __future__ import annotations

import re
from collections import Counter
from math import log

from core.text.sentences import rough_sentences
from ingestion.document import Line, LoadedDocument
from ingestion.tasks import DetectedHeader, DetectedHeaders, DetectHeaders, Summarize, Summary

MAX_SUMMARY_WORDS = 60
_WORD = re.compile(r"[^\W\d_]{3,}")
_STOP = frozenset(
    """
    the and for are was were that this with from have has had not but you your can will its their they them
    then than which what when where how who why one two all any each into over under also such may more most
    other some only use used using there here these those been being does did doing about between question
    solution answer
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)


def extract_summary(task: Summarize) -> Summary:
    """Titles of the children, the terms that recur among them, and the sentence nearest to those terms."""
    titles = [text.split("\n", 1)[0] for text in task.texts]
    terms = _key_terms(task.texts)
    sentence = _central_sentence(task.texts, terms)
    parts = ["; ".join(dict.fromkeys(titles)), ", ".join(terms[:8]), sentence]
    return Summary(summary=_shorten(". ".join(part for part in parts if part)))


def detect_headers(task: DetectHeaders) -> DetectedHeaders:
    """The structural rule on one chunk of numbered lines."""
    from ingestion.questions.headers import (  # the rest of this module is needed without it
        QUESTION_RANK,
        detect_by_rule,
    )

    numbers, lines = zip(*map(_read_line, task.lines.split("\n")), strict=True)
    headers = detect_by_rule(LoadedDocument(task.document, tuple(lines)), questions=True)
    kinds = {QUESTION_RANK: "question", QUESTION_RANK + 1: "part", QUESTION_RANK + 2: "subpart"}
    return DetectedHeaders(
        headers=tuple(
            DetectedHeader.model_validate(
                {
                    "line": numbers[header.line],
                    "kind": kinds.get(header.rank, "section"),
                    "level": min(header.rank, QUESTION_RANK - 1),
                    "title": header.title,
                }
            )
            for header in headers
        )
    )


def _read_line(shown: str) -> tuple[int, Line]:
    number, _, rest = shown.partition("|")
    mark, _, text = rest.partition(" ")
    return int(number), Line(text, level=mark.count("#"), size=14.0 if "+" in mark else 10.0, bold="*" in mark)


def _key_terms(texts: tuple[str, ...]) -> list[str]:
    counts: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for text in texts:
        words = [word.casefold() for word in _WORD.findall(text)]
        counts.update(words)
        spread.update(set(words))
    weights = {word: count * (1 + log(spread[word])) for word, count in counts.items() if word not in _STOP}
    return sorted(weights, key=lambda word: (-weights[word], word))[:20]


def _central_sentence(texts: tuple[str, ...], terms: list[str]) -> str:
    wanted = set(terms)
    best, best_score = "", 0.0
    for text in texts:
        for sentence in rough_sentences(text.partition("\n")[2]):
            words = [word.casefold() for word in _WORD.findall(sentence)]
            if 5 <= len(words) <= 40:
                score = len(wanted.intersection(words)) / len(words) ** 0.5
                if score > best_score:
                    best, best_score = sentence.strip(), score
    return best


def _shorten(text: str) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= MAX_SUMMARY_WORDS else " ".join(words[:MAX_SUMMARY_WORDS]) + " …"
