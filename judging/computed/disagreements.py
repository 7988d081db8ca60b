"""Where an answer says something else than its reference although it speaks of the same: negation, numbers, terms."""

from __future__ import annotations

from difflib import SequenceMatcher

from judging.computed.reading import NUMBER_WORDS, WordReading
from judging.computed.vectors import cosine, vector, word_similarities

SPEAKS_OF = 0.35
"""Cosine from which two sentences speak of the same."""
COPIED = 0.8
"""Share of common words in order from which a sentence repeats another; what differs then has been replaced. With 0.6,
28 % of good answers in words of their own count as altered."""
MAX_REPLACED = 2
"""Words in a row that count as one term."""
SYNONYM, OTHER_TERM = 0.02, 0.06
"""How unlike two terms are, times how far apart (1 - cosine) the sentences are with one or the other: up to the first,
they mean the same, from the second on, something else. On sentences of the development data's references, .06 has 67 %
of the terms replaced by those of another question, and 3 % of everyday synonyms."""
ALTERED = 0.5
"""From which a sentence does not convey what it repeats."""
OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in """above/below add/remove after/before all/none all/some always/never ascending/descending best/worst
    decrease/increase decreases/increases early/late fail/pass false/true first/last greater/less greater/smaller
    high/low higher/lower highest/lowest hot/cold in/out inside/outside larger/smaller largest/smallest least/most
    left/right less/more local/global longer/shorter maximum/minimum negative/positive on/off optional/required
    over/under private/public read/write rows/columns row/column with/without""".split()  # noqa: SIM905
)
"""Words that are alike to embeddings, and say the opposite of each other."""
DAYS_AND_MONTHS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december""".split()  # noqa: SIM905
)


def negation(reference: WordReading, answer: WordReading) -> float:
    """Share of the answer that is negated where the reference is not, or the reverse, from 0 to 1.

    Each sentence is compared with the nearest one of the reference, and weighs as much as it is similar to that.
    """
    pairs = [(sentence, *_nearest(sentence, reference)) for sentence in answer.sentences]
    weight = sum(similarity for _, _, similarity in pairs)
    differing = (similarity for one, other, similarity in pairs if _negated(one) != _negated(other))
    return sum(differing) / max(weight, SPEAKS_OF)


def alters(sentence: WordReading, reference: WordReading) -> bool:
    """Whether a sentence repeats one of the reference with another negation, number or term in it."""
    return _alteration(sentence, reference) >= ALTERED


def agreeing(reference: WordReading, answer: WordReading) -> WordReading:
    """The answer without the sentences that alter one of the reference; all of it if nothing else is left.

    What is said wrongly does not convey a point, although it has the point's words.
    """
    kept = [one.text for one in answer.sentences if not alters(one, reference)]
    return WordReading(" ".join(kept)) if 0 < len(kept) < len(answer.sentences) else answer


def _negated(sentence: WordReading) -> bool:
    return sentence.negations % 2 == 1


def _alteration(sentence: WordReading, reference: WordReading) -> float:
    nearest = _nearest(sentence, reference)[0]
    matcher = SequenceMatcher(
        None, [stem for _, stem in nearest.words], [stem for _, stem in sentence.words], autojunk=False
    )
    if matcher.ratio() < COPIED:
        return 0.0
    if _negated(sentence) != _negated(nearest):
        return matcher.ratio()
    apart = 1 - cosine(vector(nearest.text), vector(sentence.text))
    return matcher.ratio() * max(
        (
            _difference(_surface(nearest, start, end), _surface(sentence, first, last), apart)
            for kind, start, end, first, last in matcher.get_opcodes()
            if kind == "replace" and end - start <= MAX_REPLACED and last - first <= MAX_REPLACED
        ),
        default=0.0,
    )


def _surface(text: WordReading, start: int, end: int) -> tuple[str, ...]:
    return tuple(word for word, _ in text.words[start:end])


def _difference(old: tuple[str, ...], new: tuple[str, ...], apart: float) -> float:
    """How sure it is that one term does not mean what the other does, from 0 to 1."""
    numbers = [[NUMBER_WORDS.get(word, word) for word in term] for term in (old, new)]
    if all(number.isdigit() for term in numbers for number in term):
        return float(numbers[0] != numbers[1])
    if len(old) == len(new) and any(_is_other(*pair) for pair in zip(old, new, strict=True)):
        return 1.0
    unlike = 1 - float(word_similarities([" ".join(old)], [" ".join(new)])[0, 0])
    return min(max((unlike * apart - SYNONYM) / (OTHER_TERM - SYNONYM), 0.0), 1.0)


def _is_other(old: str, new: str) -> bool:
    return frozenset((old, new)) in OPPOSITES or (old != new and {old, new} <= DAYS_AND_MONTHS)


def _nearest(sentence: WordReading, reference: WordReading) -> tuple[WordReading, float]:
    """The sentence of the reference that is most similar, with the similarity; 0 where they speak of other things."""
    pairs = [
        (cosine(vector(sentence.text), vector(one.text)), number) for number, one in enumerate(reference.sentences)
    ]
    similarity, number = max(pairs)
    return reference.sentences[number], similarity if similarity >= SPEAKS_OF else 0.0
