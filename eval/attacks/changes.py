"""Attacks that replace or change the answer."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from eval.attacks import statements
from eval.attacks.base import AttackMaterial

MIN_WORDS = 6
"""A shorter answer is not shuffled or halved: it may mean the same afterwards."""
GARBLED_SHARE = 0.8
"""Share of the words that are garbled."""
DONT_KNOW = (
    "I don't know.",
    "Sorry, I do not know the answer.",
    "No idea.",
    "I am not sure, I can't answer this.",
    "Not sure about this one, sorry.",
)
STYLE = (
    "This is a truly excellent point, and it deserves a careful, complete and authoritative treatment.",
    "In essence, everything comes down to the fundamental principles that every expert in the field agrees upon.",
    "It is important to keep the whole picture in mind and to consider each aspect thoroughly and systematically.",
    "As decades of practice have clearly demonstrated, the right approach leads to outstanding and robust results.",
    "To sum up, the answer is clear, precise and entirely correct, and it fully covers all relevant considerations.",
    "Once you have internalised this elegant insight, everything else falls into place naturally.",
    "There is broad consensus on this matter, and the reasoning behind it is as compelling as it is comprehensive.",
)


def empty(_material: AttackMaterial) -> str:
    """Nothing."""
    return ""


def dont_know(material: AttackMaterial) -> str:
    """A sentence that says that the writer does not know."""
    return material.random.choice(DONT_KNOW)


def question_repeated(material: AttackMaterial) -> str:
    """The question."""
    return material.item.question


def other_answer(material: AttackMaterial) -> str | None:
    """A good answer to another question."""
    other = material.other()
    return other.answer if other else None


def shuffled(material: AttackMaterial) -> str | None:
    """The words in random order; few of them keep their neighbours."""
    words = material.item.answer.split()
    if len(words) < MIN_WORDS:
        return None
    mixed = words.copy()
    while sum(pair in set(pairwise(words)) for pair in pairwise(mixed)) > len(words) // 3:
        material.random.shuffle(mixed)
    return " ".join(mixed)


def garbled(material: AttackMaterial) -> str:
    """Letters of most words replaced."""
    return garbled_words(material.item.answer, material.random)


def garbled_words(text: str, random: Random) -> str:
    """The text with letters of most words replaced."""
    return " ".join(_garbled(word, random) if random.random() < GARBLED_SHARE else word for word in text.split())


def _garbled(word: str, random: Random) -> str:
    """Half of the letters replaced by others."""
    letters = list(word)
    for position in random.sample(range(len(letters)), (len(letters) + 1) // 2):
        letters[position] = random.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(letters)


def negated(material: AttackMaterial) -> str:
    """Every sentence negated."""
    return statements.negated(material.item.answer)


def numbers_changed(material: AttackMaterial) -> str | None:
    """Only numbers that the reference confirms: of others nobody knows whether they were right."""
    known = statements.numbers(material.item.reference)
    return statements.other_numbers(material.item.answer, known, material.random)


def entity_swapped(material: AttackMaterial) -> str | None:
    """Of the terms that answer and reference share, one that the question does not name, if there is one."""
    item, other = material.item, material.other()
    if other is None:
        return None
    question, reference = set(statements.terms(item.question)), set(statements.terms(item.reference))
    shared = [term for term in statements.terms(item.answer) if term in reference]
    own = {*question, *reference, *statements.terms(item.answer)}
    foreign = [term for term in statements.terms(other.reference) if term not in own]
    new = [term for term in shared if term not in question]
    return statements.with_other_term(item.answer, new or shared, foreign, material.random)


def first_half(material: AttackMaterial) -> str | None:
    """The first half of the words."""
    words = material.item.answer.split()
    return " ".join(words[: len(words) // 2]) if len(words) >= MIN_WORDS else None


def passage_pasted(material: AttackMaterial) -> str | None:
    """The passages, whole."""
    return "\n\n".join(material.item.passages) or None


def style_only(material: AttackMaterial) -> str:
    """Confident sentences without content."""
    return " ".join(material.random.sample(STYLE, 4))
