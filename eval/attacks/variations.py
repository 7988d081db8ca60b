"""The same kinds of attack as in `changes`, made in other ways: nothing of a judge is fitted on these."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from core.text.sentences import rough_sentences
from eval.attacks import statements
from eval.attacks.base import AttackMaterial
from eval.attacks.changes import MIN_WORDS

CHUNK = 3
"""Words that stay together when the pieces of an answer are mixed."""
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|will|would|should|must|may|has|have|does|do)\b", re.IGNORECASE)
_VERB = re.compile(
    r"(?<=\w )(?P<stem>[a-z]{2,}(?:[^suaeio\W]|e))s\b(?= (?:the|a|an|all|each|its|it|to|in|on|from|of)\b)"
)
_DENIALS = ("Hardly anybody would say that", "It is a myth that", "It would be a mistake to believe that")
_WEAKENERS = ("hardly", "rarely", "seldom", "scarcely")
_ANTONYMS = {
    word: other
    for pair in """allows/prevents allow/prevent same/different faster/slower fast/slow easier/harder easy/hard
    static/dynamic start/end starts/ends begin/finish simple/complex possible/impossible enable/disable insert/delete
    inserted/deleted known/unknown better/worse beginning/end open/closed top/bottom input/output front/rear
    single/multiple constant/variable ordered/unordered internal/external sorted/unsorted small/big smaller/bigger
    large/tiny keeps/discards keep/discard kept/discarded needed/unneeded useful/useless accept/reject valid/invalid
    increase/reduce increases/reduces save/lose correct/mistaken success/failure old/new equal/unequal full/empty
    above/beneath before/afterwards next/previous good/bad more/fewer long/short longer/briefer many/few raise/lower
    included/excluded include/exclude returns/takes every/hardly-any""".split()  # noqa: SIM905
    for word, other in (pair.split("/"), pair.split("/")[::-1])
}
_WORD = re.compile(r"[A-Za-z][\w'’-]*")


def doubted(material: AttackMaterial) -> str:
    """Every sentence denied without a word such as "not"."""
    return " ".join(_denied(one, material.random) for one in rough_sentences(material.item.answer) if one.strip())


def _denied(sentence: str, random: Random) -> str:
    if match := _VERB.search(sentence):
        return f"{sentence[: match.start()]}fails to {match['stem']}{sentence[match.end() :]}"
    if match := _AUXILIARY.search(sentence):
        return f"{sentence[: match.end()]} {random.choice(_WEAKENERS)}{sentence[match.end() :]}"
    return f"{random.choice(_DENIALS)} {sentence[:1].lower()}{sentence[1:]}"


def opposite_words(material: AttackMaterial) -> str | None:
    """Words replaced by others of the opposite meaning."""
    changed = _WORD.sub(lambda match: _ANTONYMS.get(match[0].lower(), match[0]), material.item.answer)
    return changed if changed != material.item.answer else None


def pieces_mixed(material: AttackMaterial) -> str | None:
    """Pieces of three words in random order."""
    words = material.item.answer.split()
    pieces = [words[start : start + CHUNK] for start in range(0, len(words), CHUNK)]
    if len(words) < 2 * MIN_WORDS:
        return None
    mixed = pieces.copy()
    while any(pair in list(pairwise(pieces)) for pair in pairwise(mixed[:3])):
        material.random.shuffle(mixed)
    return " ".join(word for piece in mixed for word in piece)


def clauses_shuffled(material: AttackMaterial) -> str | None:
    """The words of each clause in random order."""
    clauses = re.split(r"(?<=[.,;:!?]) ", material.item.answer)
    if all(len(clause.split()) < MIN_WORDS for clause in clauses):
        return None
    return " ".join(" ".join(material.random.sample(words := clause.split(), len(words))) for clause in clauses)


def roles_swapped(material: AttackMaterial) -> str | None:
    """Two terms of the reference change places in a sentence of the answer; not two that stand side by side."""
    known = set(statements.terms(material.item.reference))
    for sentence in rough_sentences(material.item.answer):
        terms = [term for term in statements.terms(sentence) if term in known]
        pairs = [
            (first, second)
            for number, first in enumerate(terms)
            for second in terms[number + 1 :]
            if _apart(sentence, first, second)
        ]
        if pairs:
            first, second = material.random.choice(pairs)
            return material.item.answer.replace(sentence, _exchanged(sentence, first, second))
    return None


def _apart(sentence: str, first: str, second: str) -> bool:
    words = [word.lower() for word in _WORD.findall(sentence)]
    if first not in words or second not in words:
        return False
    between = words[words.index(first) + 1 : words.index(second)]
    return len(between) > 0 and not {"and", "or", "than", "as"} & set(between)


def _exchanged(text: str, first: str, second: str) -> str:
    other = {first: second, second: first}
    return _WORD.sub(lambda match: other.get(match[0].lower(), match[0]), text)
