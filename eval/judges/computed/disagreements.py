"""Where an answer says something else than its reference although it speaks of the same: negation, numbers, terms."""

from __future__ import annotations

from difflib import SequenceMatcher

from eval.judges.computed.reading import NUMBER_WORDS, Reading
from eval.judges.computed.vectors import cosine, vector, word_similarities

SPEAKS_OF = 0.35
"""Cosine from which two sentences speak of the same."""
COPIED = 0.8
"""Share of common words in order from which a sentence repeats another; what differs then has been replaced. With 0.6,
28 % of good answers in words of their own count as altered."""
MAX_REPLACED = 2
"""Words in a row that count as one term."""
RELATED = 0.6
"""Similarity from which one word may stand for another."""


def negation(reference: Reading, answer: Reading) -> float:
    """Share of the answer that is negated where the reference is not, or the reverse, from 0 to 1.

    Each sentence is compared with the nearest one of the reference, and weighs as much as it is similar to that.
    """
    pairs = [(sentence, *_nearest(sentence, reference)) for sentence in answer.sentences]
    weight = sum(similarity for _, _, similarity in pairs)
    differing = (similarity for one, other, similarity in pairs if _negated(one) != _negated(other))
    return sum(differing) / max(weight, SPEAKS_OF)


def alteration(reference: Reading, answer: Reading) -> float:
    """How much a sentence of the answer repeats one of the reference and yet differs in a negation, a number or an
    unrelated term, from 0 to 1."""
    return max(_alteration(sentence, reference) for sentence in answer.sentences)


def foreign_numbers(question: Reading, reference: Reading, answer: Reading) -> float:
    """Share of the answer's numbers that neither question nor reference has; 0 if the reference has none."""
    own = answer.numbers - question.numbers
    return len(own - reference.numbers) / len(own) if own and reference.numbers else 0.0


def agreeing(reference: Reading, answer: Reading) -> Reading:
    """The answer without the sentences that alter one of the reference; all of it if nothing else is left.

    What is said wrongly does not convey a point, although it has the point's words.
    """
    kept = [one.text for one in answer.sentences if not _alteration(one, reference)]
    return Reading(" ".join(kept)) if 0 < len(kept) < len(answer.sentences) else answer


def _negated(sentence: Reading) -> bool:
    return sentence.negations % 2 == 1


def _alteration(sentence: Reading, reference: Reading) -> float:
    nearest = _nearest(sentence, reference)[0]
    wanted, given = nearest.tokens, sentence.tokens
    matcher = SequenceMatcher(None, wanted, given, autojunk=False)
    if matcher.ratio() < COPIED:
        return 0.0
    if _negated(sentence) != _negated(nearest):
        return matcher.ratio()
    replaced = (
        (wanted[start:end], given[first:last])
        for kind, start, end, first, last in matcher.get_opcodes()
        if kind == "replace" and end - start <= MAX_REPLACED and last - first <= MAX_REPLACED
    )
    return matcher.ratio() if any(_differ(old, new) for old, new in replaced) else 0.0


def _differ(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    if all(_is_number(word) for word in (*old, *new)):
        return old != new
    return float(word_similarities(old, new).max()) < RELATED


def _is_number(word: str) -> bool:
    return word.isdigit() or word in NUMBER_WORDS


def _nearest(sentence: Reading, reference: Reading) -> tuple[Reading, float]:
    """The sentence of the reference that is most similar, with the similarity; 0 where they speak of other things."""
    pairs = [
        (cosine(vector(sentence.text), vector(one.text)), number) for number, one in enumerate(reference.sentences)
    ]
    similarity, number = max(pairs)
    return reference.sentences[number], similarity if similarity >= SPEAKS_OF else 0.0
