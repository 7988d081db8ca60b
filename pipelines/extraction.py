"""The offline rule that writes: answers put together from the sentences of the passages, quoted and cited.

Nothing here is written by a model, and the answers say so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from core.types import Passage, Question, Source, Visibility
from pipelines.citations import find_quote
from pipelines.query import search_query
from pipelines.tasks import Quoted, WriteAnswer, WrittenAnswer
from retrievers.tokens import tokenize

MAX_EXTRACTS = 4
ABSTAIN_BELOW = 0.2
"""Share of the question's term weight that the extracts must cover."""
PAST_THREAD_WEIGHT = 0.6
EXAMPLE_WEIGHT = 0.4
PREFACE = "*Extracted from the course material; not written by a model.*"

_THANKS = re.compile(r"^\W*(thanks?|thank you|thx|ty|got it|never ?mind|nvm|solved|gracias|danke)\b", re.IGNORECASE)
_ASKS = re.compile(r"[?？]|^\W*(?:what|which|who|when|where|why|how|explain|define|describe)\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\b(examples?|exercises?|summary)\b", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(```|~~~)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[A-ZÀ-Þ0-9])|(?<=[。！？])")
_ANSWER = re.compile(r"^(?P<kind>Answer|Reply) \((?P<who>[^)]*)\): ?")
_UNITS = {
    "hw": "homework", "homework": "homework", "proj": "project", "project": "project", "lab": "lab", "ch": "chapter",
    "chapter": "chapter", "question": "question", "q": "question", "problem": "problem", "midterm": "midterm",
}  # fmt: skip
_NUMBERED = re.compile(rf"\b({'|'.join(_UNITS)})[ #.]*(\d+[a-z]?)\b", re.IGNORECASE)
_EVERYDAY = frozenset(
    """
    please pls help hi hello im confused confusing idk hey thanks thank anyone know someone question get got
    want need like just really sure can could would should does doing done also still even way thing something
    is are was were be am if for and or in not as on at of to it its this that the an do did with from by so but than
    then there these those what which who whom whose when where why how
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)


def write_answer(task: WriteAnswer) -> WrittenAnswer:
    """The sentences and table rows of student-visible passages that cover most of the question, quoted and cited."""
    if _asks_nothing(task.question):
        return WrittenAnswer(status="no_response_needed", answer="", citations=(), confidence=0.5)
    extracts = [extract for number, passage in enumerate(task.passages, 1) for extract in _extracts(number, passage)]
    wanted = question_terms(search_query(task.question))
    weights = _weights(wanted, extracts)
    chosen = _choose(extracts, weights)
    covered = sum(weights[term] for term in wanted & set().union(*(extract.terms for extract in chosen)))
    confidence = covered / total if (total := sum(weights.values())) else 0.0
    if not chosen or confidence < ABSTAIN_BELOW:
        status = "needs_clarification" if not chosen and _is_vague(task.question, wanted) else "abstained"
        return WrittenAnswer.model_validate(
            {"status": status, "answer": "", "citations": (), "confidence": round(confidence, 3)}
        )
    return WrittenAnswer(
        status="answered",
        answer="\n\n".join([PREFACE, *_shown(chosen, task.passages)]),
        citations=tuple(Quoted(passage=extract.passage, quote=extract.text) for extract in chosen),
        confidence=round(confidence, 3),
    )


@dataclass(frozen=True, slots=True)
class _Extract:
    """A quotable piece of passage number `passage`; `context` are terms of its headings or of what was asked there."""

    passage: int
    order: int
    text: str
    shown: str
    terms: frozenset[str]
    context: frozenset[str]
    weight: float


def _asks_nothing(question: Question) -> bool:
    """True for a message that only gives thanks."""
    return bool(_THANKS.match(question.body)) and "?" not in question.text and len(question.body.split()) < 15


def _is_vague(question: Question, wanted: frozenset[str]) -> bool:
    """True for a few words that ask nothing in particular ("it doesn't work")."""
    return len(wanted) <= 3 and len(question.text) < 80 and not _ASKS.search(question.text)


def question_terms(text: str) -> frozenset[str]:
    """A text's words that matter in a search; "hw 3" and "homework 3" are one, a number standing alone is none."""
    joined = _NUMBERED.sub(lambda match: f" {_UNITS[match[1].lower()]}{match[2].lower()} ", text)
    return frozenset(term for term in tokenize(joined) if term not in _EVERYDAY and not term.isdigit())


def _extracts(number: int, passage: Passage) -> Iterable[_Extract]:
    if passage.visibility is not Visibility.STUDENT:
        return
    body, asked = _answer_part(passage) if passage.source is Source.QA else (passage.text, "")
    context = question_terms(" ".join((passage.title, *passage.heading_path, asked)))
    weight = _weight(passage)
    pieces = [piece for piece in _pieces(body) if piece[0].strip(" #*_") not in passage.heading_path]
    for order, (text, shown) in enumerate(pieces):
        if len(text.split()) >= 3 and find_quote(text, text):
            # A row of a table is read with its header, which `shown` has and `text` has not.
            yield _Extract(number, order, text, shown, question_terms(shown), context, weight)


def _weight(passage: Passage) -> float:
    """Official pages before past threads, and rules before their examples."""
    weight = PAST_THREAD_WEIGHT if passage.source is Source.QA else 1.0
    return weight * (EXAMPLE_WEIGHT if _EXAMPLES.search(" ".join(passage.heading_path)) else 1.0)


def _answer_part(passage: Passage) -> tuple[str, str]:
    """A thread's answers by staff, or endorsed by them, and what was asked."""
    answers: list[str] = []
    asked: list[str] = []
    current = asked
    for line in passage.text.splitlines():
        if match := _ANSWER.match(line):
            trusted = "student" not in match["who"].lower() or "endorsed" in match["who"].lower()
            current = answers if trusted else []
            line = line[match.end() :]
        current.append(line)
    return "\n".join(answers), "\n".join(asked)


def _pieces(text: str) -> Iterable[tuple[str, str]]:
    """Sentences, list items and table rows: the words, and how to show them (a row under its table's header)."""
    paragraph: list[str] = []
    table: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        is_row = stripped.startswith("|")
        starts = is_row or not stripped or bool(re.match(r"([-*+]|\d+[.)])\s", stripped))
        if starts and paragraph:
            yield from ((sentence, sentence) for sentence in _SENTENCE.split(" ".join(paragraph)) if sentence)
            paragraph = []
        if is_row:
            table.append(stripped)
            if len(table) > 2:
                yield stripped, "\n".join([table[0], table[1], stripped])
            continue
        table = []
        if stripped:
            paragraph.append(re.sub(r"^([-*+]|\d+[.)])\s+", "", stripped))


def _weights(wanted: frozenset[str], extracts: Sequence[_Extract]) -> dict[str, float]:
    """Inverse document frequency of the question's terms among the extracts."""
    counts = Counter(term for extract in extracts for term in wanted & (extract.terms | extract.context))
    return {term: log(1 + (len(extracts) + 1) / (counts[term] + 0.5)) for term in wanted}


def _choose(extracts: Sequence[_Extract], weights: dict[str, float]) -> list[_Extract]:
    """Greedily what covers most of what is not covered yet; earlier passages weigh more. In reading order."""
    left = dict(weights)
    chosen: list[_Extract] = []
    first_gain = 0.0
    while len(chosen) < MAX_EXTRACTS:
        gains = [(_gain(extract, left), extract) for extract in extracts if extract not in chosen]
        gain, best = max(gains, key=lambda pair: pair[0], default=(0.0, None))
        if best is None or gain <= 0 or gain < 0.4 * first_gain:
            break
        first_gain = first_gain or gain
        chosen.append(best)
        for term in (best.terms | best.context) & left.keys():
            left[term] *= 0.25
    return sorted(chosen, key=lambda extract: (extract.passage, extract.order))


def _gain(extract: _Extract, weights: dict[str, float]) -> float:
    own = sum(weights[term] for term in extract.terms & weights.keys())
    if not own:
        return 0.0
    context = sum(weights[term] for term in (extract.context - extract.terms) & weights.keys())
    length = 1 + max(len(extract.text.split()) - 25, 0) / 50
    return extract.weight * (own + 0.5 * context) * (1 + 0.8 / extract.passage) / length


def _shown(chosen: Sequence[_Extract], passages: Sequence[Passage]) -> Iterable[str]:
    """One quotation per passage, introduced by its place."""
    for number in dict.fromkeys(extract.passage for extract in chosen):
        passage = passages[number - 1]
        quotes = _merged([extract.shown for extract in chosen if extract.passage == number])
        # A bracketed number in the material is no reference of ours.
        lines = [re.sub(r"\[(?=\d)", r"\\[", line) for quote in quotes for line in (*quote.split("\n"), "")]
        quoted = "\n".join(f"> {line}".rstrip() for line in lines)
        yield f"From **{passage.place}** [{number}]:\n\n{quoted.rstrip('> ').rstrip()}"


def _merged(quotes: Sequence[str]) -> list[str]:
    """Rows of one table under one header."""
    merged: list[str] = []
    for quote in quotes:
        header = quote.split("\n")[:2]
        if merged and len(header) == 2 and merged[-1].split("\n")[:2] == header:
            merged[-1] += "\n" + quote.split("\n")[2]
        else:
            merged.append(quote)
    return merged
