"""A Teacher that needs no model: questions with reference answers about one English text, by rules over sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.errors import InvalidInput
from core.types import Value
from eval.sensemaking.prose import plain, sentences
from eval.sensemaking.rules import RULES, QuestionKind, is_statement
from retrievers.embedding.base import Embedder, Vectors
from retrievers.tokens import tokenize

DUPLICATE = 0.8
"""Cosine of two questions from which one of them is left out."""
MIN_ENGLISH = 0.08
"""Share of function words from which a text is taken for English."""
_ENGLISH = frozenset("the of and to is are that with for".split())  # noqa: SIM905
_NAME_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]*")


class TaughtQuestion(Value):
    """A question with the sentence that answers it; `sentence` is the sentence's position in the text, from 0.

    `quote` is the sentence as the text has it, with its emphasis.
    """

    question: str
    answer: str
    quote: str
    kind: QuestionKind
    sentence: int


def teach(text: str, count: int, embedder: Embedder) -> tuple[TaughtQuestion, ...]:
    """At most `count` questions in the order of the text, from all of its parts. The same ones each time.

    Of each part the question of the rarest kind so far is taken, and of these the one that shares most words with the
    text. Raises `InvalidInput` if the text is not English.
    """
    if not is_english(text):
        raise InvalidInput("no English text, which questions are made from without a model. Add text.en.txt")
    found = list(candidates(text))
    if not found:
        return ()
    vectors = embedder.embed([one.question for one in found])
    chosen = _chosen(found, vectors, _shares(text, found), count)
    return tuple(sorted((found[index] for index in chosen), key=lambda one: one.sentence))


def is_english(text: str) -> bool:
    """By the share of English function words."""
    words = re.findall(r"\w+", text.lower())
    return bool(words) and sum(word in _ENGLISH for word in words) / len(words) >= MIN_ENGLISH


def candidates(text: str) -> Iterator[TaughtQuestion]:
    """Every question that a rule sees, at most one per sentence and none twice."""
    quotes = sentences(text)
    answers = [plain(quote) for quote in quotes]
    common = _common_words(" ".join(answers))
    seen: set[str] = set()
    for position, (quote, answer) in enumerate(zip(quotes, answers, strict=True)):
        made = _made(answer, common) if answer and is_statement(answer) else None
        if made is not None and made[1] not in seen:
            seen.add(made[1])
            yield TaughtQuestion(question=made[1], answer=answer, quote=quote, kind=made[0], sentence=position)


def _made(sentence: str, common: set[str]) -> tuple[QuestionKind, str] | None:
    """The first rule's question, its name in lower case where the text writes the word so elsewhere."""
    first, second = sentence.split()[:2]
    for kind, rule in RULES.items():
        question = rule(sentence)
        if question is not None:
            if first in ("A", "An", "The") or (_is_common(first, common) and second[0].islower()):
                question = re.sub(rf"\b{re.escape(first)}\b", first.lower(), question, count=1)
            return None if _holds_a_heading(question, common) else (kind, question)
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
    """Whether a word after the first is a common one with a capital: a heading ran into the sentence."""
    return any(word[0].isupper() and word.lower() in common for word in re.findall(r"[\w'’-]+", question)[1:])


def _shares(text: str, found: Sequence[TaughtQuestion]) -> list[float]:
    """How often the words of each question stand in the text, on average."""
    counts = Counter(tokenize(text))
    words = [tokenize(one.question) for one in found]
    return [sum(counts[word] for word in one) / max(len(one), 1) for one in words]


def _chosen(found: Sequence[TaughtQuestion], vectors: Vectors, shares: Sequence[float], count: int) -> list[int]:
    """Indexes of the chosen ones: one of each part of the text in turn, until there are enough or none is left."""
    parts: list[list[int]] = [[] for _ in range(count)]
    for index, one in enumerate(found):
        parts[one.sentence * count // (found[-1].sentence + 1)].append(index)
    kinds: Counter[QuestionKind] = Counter()
    chosen: list[int] = []
    while len(chosen) < count and any(parts):
        for part in parts:
            part[:] = [one for one in part if all(vectors[one] @ vectors[other] < DUPLICATE for other in chosen)]
            if part and len(chosen) < count:
                best = min(part, key=lambda one: (kinds[found[one].kind], -shares[one], one))
                kinds[found[best].kind] += 1
                chosen.append(best)
    return chosen
