"""The offline rule that writes answers: extracts sentences of the passages, quoted and cited.

No model writes any of it, and the answers say so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from core.text.spans import split_at_verbatim
from core.types import Passage, Source, Visibility
from pipelines.offline.intents import wants_nothing
from pipelines.offline.pieces import answer_part, in_row, pieces
from pipelines.query import asked_text, last_words, search_query
from pipelines.safeguards.citations import find_quote
from pipelines.tasks import MAX_ANSWER_CHARS, Quoted, WriteAnswer, WrittenAnswer
from retrievers.names import TO_HAND_IN, names_around, read_names
from retrievers.tokens import tokenize

MAX_EXTRACTS = 4
MAX_EXTRACT_CHARS = MAX_ANSWER_CHARS // (MAX_EXTRACTS + 1)
ABSTAIN_BELOW = 0.2
"""Share of the question's term weight that the extracts must cover."""
MAX_CONFIDENCE = 0.9
"""Below 1, since extracts with all of a question's words may still be about something else."""
PAST_THREAD_WEIGHT = 0.6
EXAMPLE_WEIGHT = 0.4
DEFINITION_WEIGHT = 1.5
FEW_WORDS, FEW_WORDS_WEIGHT = 6, 0.7
"""A sentence of few words ("Section 13.6 explains why.") rarely contains an answer."""
REPEATED_TERM_WEIGHT, REPEATED_NAME_WEIGHT = 0.25, 0.7
"""Factor of a term's weight once an extract covers it; higher for a term that names the section or question asked for,
since one sentence of that section does not cover it."""
PREFACE = "*Extracted from the course material; not written by a model.*"

_ASKS = re.compile(r"[?？]|^\W*(?:what|which|who|when|where|why|how|explain|define|describe)\b", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_EXAMPLES = re.compile(r"\b(examples?|exercises?|summary)\b", re.IGNORECASE)
_EVERYDAY = frozenset(
    """
    please pls help hi hello im confused confusing idk hey thanks thank anyone know someone question get got
    want need like just really sure can could would should does doing done also still even way thing something
    is are was were be am if for and or in not as on at of to it its this that the an do did with from by so but than
    explain describ tell work
    then there these those what which who whom whose when where why how
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)


def write_answer(task: WriteAnswer) -> WrittenAnswer:
    """The sentences and table rows of student-visible passages that cover most of the question, quoted and cited."""
    if wants_nothing(*last_words(task.question)):
        return WrittenAnswer(status="no_response_needed", answer="", citations=(), confidence=0.5)
    query = search_query(task.question)
    wanted, works = question_terms(query), frozenset(map(_work_term, read_names(query).known_works))
    extracts = [
        extract
        for number, passage in enumerate(task.passages, 1)
        for extract in _extracts(number, passage, wanted, works)
    ]
    weights = _weights(wanted, extracts)
    chosen = _choose(extracts, weights)
    covered = sum(weights[term] for term in wanted & set().union(*(extract.terms for extract in chosen)))
    coverage = covered / total if (total := sum(weights.values())) else 0.0
    confidence = round(min(coverage, MAX_CONFIDENCE), 3)
    if not chosen or coverage < ABSTAIN_BELOW:
        status = "needs_clarification" if not chosen and _is_vague(asked_text(task.question), wanted) else "abstained"
        return WrittenAnswer.model_validate({"status": status, "answer": "", "citations": (), "confidence": confidence})
    return WrittenAnswer(
        status="answered",
        answer="\n\n".join([PREFACE, *_shown(chosen, task.passages)]),
        citations=tuple(Quoted(passage=extract.passage, quote=extract.text) for extract in chosen),
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True)
class _Extract:
    """A quotable piece of passage number `passage`; `context` are terms of its headings or of the thread's question.

    If the question names this section or question, `named` are the terms that do so; they count as the extract's own
    terms. `defined` are the terms in bold type, which books use for definitions.
    """

    passage: int
    order: int
    text: str
    shown: str
    terms: frozenset[str]
    context: frozenset[str]
    named: frozenset[str]
    defined: frozenset[str]
    weight: float


def _is_vague(asked: str, wanted: frozenset[str]) -> bool:
    """True for a few words without a specific question ("it doesn't work")."""
    return len(wanted) <= 2 and len(asked) < 80 and not _ASKS.search(asked)


def question_terms(text: str) -> frozenset[str]:
    """A text's relevant search terms; a separate number is not a term.

    "hw 3" and "homework 3" give the same term, and also the term "homework", so that general rules match.
    """
    names = read_names(text)
    works = [_work_term(work) for work in names.known_works]
    kinds = (work.rpartition(" ")[0] for work in works)
    words = (term for term in tokenize(" ".join((names.rest, *kinds))) if term not in _EVERYDAY and not term.isdigit())
    return frozenset((*words, *works, *map(_question_term, names.questions)))


def _work_term(work: str) -> str:
    kind, _, number = work.rpartition(" ")
    return f"{TO_HAND_IN[0]} {number}" if kind in TO_HAND_IN else work


def _question_term(question: str) -> str:
    return f"question {question}"


def _extracts(number: int, passage: Passage, wanted: frozenset[str], works: frozenset[str]) -> Iterable[_Extract]:
    if passage.visibility is not Visibility.STUDENT:
        return
    body, asked = answer_part(passage) if passage.source is Source.QA else (passage.text, "")
    context = question_terms(" | ".join((passage.title, *passage.heading_path, asked)))
    named = _named(passage.label, context, wanted, works)
    weight = _weight(passage)
    quotable = [piece for piece in pieces(body) if piece[0].strip(" #*_") not in passage.heading_path]
    for order, (text, shown) in enumerate(quotable):
        if len(shown) <= MAX_EXTRACT_CHARS and len(text.split()) >= 3 and find_quote(text, text):
            # The terms of a table row include those of its header, which is only in `shown`.
            terms = question_terms(in_row(shown) if text.startswith("|") else text) | named
            defined = question_terms(" ".join(_BOLD.findall(text)))
            yield _Extract(number, order, text, shown, terms, context, named, defined, weight)


def _named(label: str, context: frozenset[str], wanted: frozenset[str], works: frozenset[str]) -> frozenset[str]:
    """The wanted terms that name this passage: its section, or its question's number in the right assignment."""
    meant = works & context
    questions = wanted & {_question_term(name) for name, _ in names_around(label)} if label else frozenset()
    if questions and (meant or not works):
        return questions | meant
    return frozenset(work for work in meant if work.startswith("section "))


def _weight(passage: Passage) -> float:
    """Lower weights for past threads, and for examples and summaries."""
    weight = PAST_THREAD_WEIGHT if passage.source is Source.QA else 1.0
    return weight * (EXAMPLE_WEIGHT if _EXAMPLES.search(" ".join(passage.heading_path)) else 1.0)


def _weights(wanted: frozenset[str], extracts: Sequence[_Extract]) -> dict[str, float]:
    """Inverse document frequency of the question's terms among the extracts."""
    counts = Counter(term for extract in extracts for term in wanted & (extract.terms | extract.context))
    return {term: log(1 + (len(extracts) + 1) / (counts[term] + 0.5)) for term in wanted}


def _choose(extracts: Sequence[_Extract], weights: dict[str, float]) -> list[_Extract]:
    """Greedily choose extracts that cover most of the remaining term weight; returned in reading order."""
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
            left[term] *= REPEATED_NAME_WEIGHT if term in best.named else REPEATED_TERM_WEIGHT
    return sorted(chosen, key=lambda extract: (extract.passage, extract.order))


def _gain(extract: _Extract, weights: dict[str, float]) -> float:
    own = sum(weights[term] for term in extract.terms & weights.keys())
    if not own:
        return 0.0
    context = sum(weights[term] for term in (extract.context - extract.terms) & weights.keys())
    words = len(extract.text.split())
    length = 1 + max(words - 25, 0) / 50 if words >= FEW_WORDS else 1 / FEW_WORDS_WEIGHT
    early = (1 + 0.8 / extract.passage) * (1 + 0.4 / (1 + extract.order))
    defines = DEFINITION_WEIGHT if extract.defined & weights.keys() else 1.0
    return extract.weight * (own + 0.5 * context) * early * defines / length


def _shown(chosen: Sequence[_Extract], passages: Sequence[Passage]) -> Iterable[str]:
    """One quotation per passage, introduced by its location."""
    for number in dict.fromkeys(extract.passage for extract in chosen):
        passage = passages[number - 1]
        quotes = _merged([extract.shown for extract in chosen if extract.passage == number])
        lines = "\n\n".join(map(_without_references, quotes)).split("\n")
        quoted = "\n".join(f"> {line}".rstrip() for line in lines)
        yield f"From **{passage.location}** [{number}]:\n\n{quoted}"


def _without_references(quote: str) -> str:
    """A bracketed number in the material must not look like a reference of the answer; in code and formulas it does
    not."""
    return "".join(
        piece if is_verbatim else re.sub(r"\[(?=\d)", r"\\[", piece) for piece, is_verbatim in split_at_verbatim(quote)
    )


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
