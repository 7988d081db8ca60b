"""A Teacher that needs no model: questions with reference answers about one English text, by rules over sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from core.errors import InvalidInput
from core.types import Value
from retrievers.embedding.base import Embedder, Vectors
from teaching.measures import coverage, joint, relevances, windows
from teaching.prose import plain, sentences, unmarked
from teaching.rules import RULES, StatementKind, is_statement
from teaching.statements.definitions import is_proper
from teaching.statements.names import bare
from teaching.statements.verbs import ADVERB, is_verb

DUPLICATE = 0.8
"""Cosine of two questions from which one of them is left out."""
WINDOW_STEP = 2
"""Of the overlapping windows every second is looked at, which is hardly less exact."""
SAME_KIND = 0.01
"""Bits of coverage that a question must add for each one of its kind that is taken already."""
MIN_ENGLISH = 0.08
"""Share of function words from which a text is taken for English."""
_ENGLISH = frozenset("the of and to is are that with for".split())  # noqa: SIM905
_REFERENCE = re.compile(r"\((?:\d{4}[^)]*|n\.d\.)\)\.$")
"""Ends what stands before a title in a list of references, as in "Miller, G. A. (1956)."."""
_NAME_INSIDE = re.compile(r"(?:(?<=[a-z,;] )|(?<=\b\d{4} ))[A-Z][\w'’-]*")


class TaughtQuestion(Value):
    """A question with the sentence that answers it; `sentence` is the sentence's position in the text, from 0.

    `quote` is the sentence as the text has it, with its emphasis.
    """

    question: str
    answer: str
    quote: str
    kind: StatementKind
    sentence: int


def teach(text: str, count: int, embedder: Embedder) -> tuple[TaughtQuestion, ...]:
    """At most `count` questions in the order of the text. The same ones each time.

    Taken in turn is the question with which those taken cover the text best, of a kind that is rare so far if it
    covers about as much. Raises `InvalidInput` if the text is not English.
    """
    if not is_english(text):
        raise InvalidInput("no English text, which questions are made from without a model. Add text.en.txt")
    found = list(candidates(text))
    if not found:
        return ()
    vectors = embedder.embed([one.question for one in found])
    chosen = _chosen(found, vectors, embedder.embed(windows(text)[::WINDOW_STEP]), count)
    return tuple(sorted((found[index] for index in chosen), key=lambda one: one.sentence))


def is_english(text: str) -> bool:
    """By the share of English function words."""
    words = re.findall(r"\w+", text.lower())
    return bool(words) and sum(word in _ENGLISH for word in words) / len(words) >= MIN_ENGLISH


def candidates(text: str) -> Iterator[TaughtQuestion]:
    """Every question that a rule sees, at most one per sentence and none twice."""
    quotes = [unmarked(one) for one in sentences(text)]
    answers = [plain(quote) for quote in quotes]
    common = _common_words(" ".join(answers))
    seen: set[str] = set()
    for position, (quote, answer) in enumerate(zip(quotes, answers, strict=True)):
        made = _made(answer, common) if answer and is_statement(answer) else None
        if (
            made is not None
            and made[1] not in seen
            and not (position and _REFERENCE.search(answers[position - 1]))
            and not refers_back(answer, answers[:position])
        ):
            seen.add(made[1])
            yield TaughtQuestion(question=made[1], answer=answer, quote=quote, kind=made[0], sentence=position)


def refers_back(sentence: str, before: Sequence[str]) -> bool:
    """Whether "The tail points" is about a tail that one of the sentences before it names without "the"."""
    read = bare(sentence)
    for words in (1, 2):
        subject = re.match(
            rf"(?:(?:When|If|Because|Since) the|The) (?P<noun>[\w'’-]+(?: [\w'’-]+){{{words - 1}}}) "
            rf"(?:{ADVERB} )?(?P<verb>\w+)\b",
            read,
        )
        if subject is None or not is_verb(subject["verb"]) or (words > 1 and subject["verb"] in ("is", "are")):
            continue
        noun = re.escape(subject["noun"].removesuffix("s").lower())
        if any(re.search(rf"(?<!the )\b{noun}s?\b", one.lower()) for one in before):
            return True
    return False


def _made(sentence: str, common: set[str]) -> tuple[StatementKind, str] | None:
    """The first rule's question, its name in lower case where the text writes the word so elsewhere."""
    read = bare(sentence)
    first, second = (word.strip(",") for word in read.split()[:2])
    for kind, rule in RULES.items():
        question = rule(read)
        if question is not None:
            if first in ("A", "An", "The") or (
                _is_common(first, common) and (second[0].islower() or second[:2].isupper()) and not is_proper(read)
            ):
                question = re.sub(rf"\b{re.escape(first)}\b", first.lower(), question, count=1)
            known = common - {first.lower()} if is_proper(read) else common
            return None if _holds_a_heading(question, known) else (kind, question)
    return None


def _is_common(word: str, common: set[str]) -> bool:
    """Whether a word is no name; of a possessive, what it is made from."""
    return re.sub(r"['’]s?$", "", word).lower() in common and word.lower() in common


def _common_words(text: str) -> set[str]:
    """Words, in lower case, that stand somewhere in lower case, or with a capital at the starts of sentences only."""
    words = set(re.findall(r"[\w'’-]+", text))
    lower = {word for word in words if word[0].islower()}
    names = set(_NAME_INSIDE.findall(text))
    return lower | {word.lower() for word in words - names if word[1:].islower()}


def _holds_a_heading(question: str, common: set[str]) -> bool:
    """Whether a word after the first is a common one with a capital: a heading ran into the sentence.

    The first of two names stands before a name: "Edwin Hubble".
    """
    words = re.findall(r"[\w'’-]+", question)
    pairs = zip(words[1:], [*words[2:], ""], strict=True)
    return any(
        word[0].isupper() and _is_common(word, common) and not (after[:1].isupper() and not _is_common(after, common))
        for word, after in pairs
    )


def _chosen(found: Sequence[TaughtQuestion], vectors: Vectors, text: Vectors, count: int) -> list[int]:
    """Indexes of the chosen ones, by coverage of the windows in `text`, until there are enough or none is left."""
    alike = vectors @ vectors.T
    cosines = vectors.astype(np.float64) @ text.astype(np.float64).T
    kinds: Counter[StatementKind] = Counter()
    chosen: list[int] = []

    def gain(index: int) -> float:
        covered = coverage(joint(relevances(cosines[[*chosen, index]])))
        return covered - SAME_KIND * kinds[found[index].kind]

    free = list(range(len(found)))
    while free and len(chosen) < count:
        best = max(free, key=lambda index: (gain(index), -index))
        kinds[found[best].kind] += 1
        chosen.append(best)
        free = [one for one in free if one != best and alike[one, best] < DUPLICATE]
    return chosen
