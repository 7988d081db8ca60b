"""Keeps the words of texts for staff alone out of answers, whatever the model that wrote them was told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from core.text.sentences import units
from core.types import Passage, Question, Visibility
from pipelines.safeguards.copies import repeated_letters, repeated_tokens, words_in_order
from pipelines.safeguards.decoders import Pieces, as_written, ciphers, decoded
from pipelines.safeguards.prepared import Prepare, PreparedText, Secrets
from pipelines.safeguards.reading import OpenTexts, Reading
from pipelines.safeguards.work import Work

WITHHELD = "(withheld: it repeats a text for staff only)"
"""Stands in place of what would be nothing without a secret text."""

READ = 8
"""Characters of a decoded reading that are compared in one unit of work."""

Detector = Callable[[Reading, Secrets, OpenTexts], set[int]]
"""Gives the numbers of the parts of an answer that repeat a secret text and no open one."""
DETECTORS: tuple[Detector, ...] = (repeated_tokens, repeated_letters)
"""Compare the whole answer. What they leave is compared by `words_in_order`, and all is decoded and compared again."""


def staff_texts(passages: Iterable[Passage]) -> list[str]:
    """What in the passages is for staff alone."""
    texts = ((p.solution, p.text if p.visibility is Visibility.STAFF else "") for p in passages)
    return [text for pair in texts for text in pair if text]


def open_texts(question: Question, passages: Iterable[Passage]) -> list[str]:
    """What the student has written or may read anyway. Words of staff in the thread are among it."""
    own = (question.text, question.code or "", *question.images, *(message.body for message in question.thread))
    return [*own, *(passage.text for passage in passages if passage.visibility is Visibility.STUDENT)]


def without_leaks(
    markdown: str, secret: Sequence[str], known: Sequence[str], prepare: Prepare = PreparedText
) -> tuple[str, int]:
    """The answer without the sentences and code that repeat a secret text, and how many were withheld.

    A sentence is withheld for `LEAK` tokens that stand in a secret text in that order and in no known text, or for a
    whole sentence or line of one. Letter case, accents, spacing, Markdown and look-alike characters do not matter.
    Words and operators are tokens, so that code counts like prose; then words are compared letter by letter, whatever
    stands between them, digits also as the letters they look like; a sentence that is told word by word is withheld,
    whatever words stand between; and all is done again with what the answer says when encodings are undone.
    `prepare` may keep the texts prepared for the next answer. An answer that takes too much work is withheld in whole.
    """
    if not secret:
        return markdown, 0
    parts = [unit.text for unit in units(markdown)]
    work = Work(len(markdown))
    secrets = Secrets([prepare(text) for text in dict.fromkeys(secret)], work)
    known_texts = OpenTexts(lambda: [prepare(text) for text in dict.fromkeys(known)], work)
    reading = Reading(parts)
    leaking = _copied(reading, secrets, known_texts)
    leaking |= _encoded(reading.without(leaking).parts, secrets, known_texts)
    if work.is_used_up:
        return "", len(parts)
    if not leaking:
        return markdown, 0
    kept = "".join(part for number, part in enumerate(parts) if number not in leaking)
    return re.sub(r"\n{3,}", "\n\n", kept).strip(), len(leaking)


def _copied(reading: Reading, secrets: Secrets, known: OpenTexts) -> set[int]:
    leaking = {number for detect in DETECTORS for number in detect(reading, secrets, known)}
    return leaking | words_in_order(reading.without(leaking), secrets, known)


def _encoded(parts: Sequence[str], secrets: Secrets, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat a secret text when decoded, and no open text that is encoded alike."""
    leaking: set[int] = set()
    for ciphered in ciphers(as_written(parts)):
        leaking |= _leaking(ciphered, repeated_letters, secrets, known)
    told = {number for number, part in enumerate(parts) if part.strip()}
    for pieces in decoded(parts):
        if leaking >= told:
            break
        for reading in (pieces, *ciphers(pieces)):
            if secrets.work.is_used_up:
                return leaking
            if not leaking.issuperset(number for piece in reading for number in piece.parts):
                leaking |= _leaking(reading, _copied, secrets, known)
    return leaking


def _leaking(pieces: Pieces, compare: Detector, secrets: Secrets, known: OpenTexts) -> set[int]:
    reading = Reading([piece.text for piece in pieces])
    secrets.work.spend(sum(map(len, reading.parts)) // READ)
    if not compare(reading, secrets, known):
        return set()
    return {number for piece in compare(reading, secrets, known.decoded) for number in pieces[piece].parts}
