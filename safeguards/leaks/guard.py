"""Keeps the words of texts for staff alone out of answers, whatever the model that wrote them was told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from itertools import chain, count

from core.text.sentences import units
from safeguards.leaks.copies import repeated_letters, repeated_tokens, words_in_order
from safeguards.leaks.course import NO_SECRETS, CourseSecrets
from safeguards.leaks.decoders import (
    Pieces,
    arrangements,
    as_written,
    ciphers,
    decoded,
    may_be_ciphered_otherwise,
)
from safeguards.leaks.forms import OpenTexts, Reading
from safeguards.leaks.letters import apart
from safeguards.leaks.prepared import Prepare, PreparedText
from safeguards.leaks.secrets import Secrets, StaffTexts
from safeguards.leaks.work import Work

WITHHELD = "(withheld: it repeats a text for staff only)"
"""Stands in place of what would be nothing without a secret text."""

READ = 8
"""Characters of a decoded reading that are compared in one unit of work."""

Detector = Callable[[Reading, Secrets, OpenTexts], set[int]]
"""Gives the numbers of the parts of an answer that repeat a secret text and no open one."""
Comparison = Callable[[Reading, StaffTexts, OpenTexts], set[int]]
"""A detector for all texts of a course."""
DETECTORS: tuple[Detector, ...] = (repeated_tokens, repeated_letters)
"""Compare the whole answer with the texts near to it. What they leave is compared by `words_in_order`; then all is
decoded and compared again."""


def without_leaks(
    markdown: str,
    secret: Sequence[str],
    known: Sequence[str],
    prepare: Prepare = PreparedText,
    course: CourseSecrets = NO_SECRETS,
    asker: Sequence[str] = (),
) -> tuple[str, int]:
    """The answer without the sentences and code that repeat a secret text, and how many were withheld.

    Secret are the texts for staff that were found, and all those of the course; known, what all its students may read
    and what is `known` in this run; what the `asker` wrote is known as far as it is repeated in a row.
    A sentence is withheld for `LEAK` tokens that stand in a secret text in that order and in no known text, or for a
    whole sentence or line of one. Letter case, accents, spacing, Markdown and look-alike characters do not matter.
    Words and operators are tokens, so that code counts like prose; then words are compared letter by letter, whatever
    stands between them, digits also as the letters they look like; a sentence that is told word by word is withheld,
    whatever words stand between; and all is done again with what the answer says when encodings are undone.
    `prepare` may keep the texts prepared for the next answer. An answer that takes too much work is withheld in whole.
    """
    if not (secret or course):
        return markdown, 0
    parts = [unit.text for unit in units(markdown)]
    leaking = _leaking_parts(parts, secret, known, prepare, course, asker)
    if not leaking:
        return markdown, 0
    return _joined([part for number, part in enumerate(parts) if number not in leaking]), len(leaking)


def without_leaks_together(
    texts: Sequence[str],
    secret: Sequence[str],
    known: Sequence[str],
    prepare: Prepare = PreparedText,
    course: CourseSecrets = NO_SECRETS,
    asker: Sequence[str] = (),
) -> tuple[list[str], int]:
    """Texts that are shown beside each other, each without the sentences that repeat a secret text, and how many
    sentences were withheld.

    They are compared as if they were one text, since a sentence may be spread over several of them.
    """
    if not (secret or course):
        return list(texts), 0
    parts = [[unit.text for unit in units(f"{text}\n")] for text in texts]
    leaking = _leaking_parts([*chain.from_iterable(parts)], secret, known, prepare, course, asker)
    numbers = count()
    kept = [[part for part in some if next(numbers) not in leaking] for some in parts]
    left = [
        text if len(rest) == len(some) else _joined(rest) for text, some, rest in zip(texts, parts, kept, strict=True)
    ]
    return left, len(leaking)


def _joined(kept: Sequence[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "".join(kept)).strip()


def _leaking_parts(
    parts: Sequence[str],
    secret: Sequence[str],
    known: Sequence[str],
    prepare: Prepare,
    course: CourseSecrets,
    asker: Sequence[str],
) -> Set[int]:
    """Numbers of the parts that repeat a secret text: all of them, where comparing takes too much work."""
    work = Work(sum(map(len, parts)))
    secrets = StaffTexts(secret, course, prepare, work)
    open_texts, askers = ([*dict.fromkeys(texts)] for texts in (known, asker))
    known_texts = OpenTexts(lambda: [*map(prepare, open_texts)], course, work, lambda: [*map(prepare, askers)])
    reading = Reading(parts)
    leaking = _copied(reading, secrets, known_texts)
    leaking |= _encoded(reading.without(leaking), secrets, known_texts)
    return set(range(len(parts))) if work.is_used_up else leaking


def _copied(reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    leaking = _repeated(reading, texts, known)
    return leaking | words_in_order(reading.without(leaking), texts, known)


def _repeated(reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    near = texts.near(reading)
    return {number for detect in DETECTORS for number in detect(reading, near, known)} if near else set()


def _encoded(reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat a secret text when decoded, and no open text that is encoded alike."""
    written = as_written(reading.parts)
    leaking = _ciphered(written, reading, _repeated, texts, known)
    leaking |= _arranged(written, reading, texts, known) | _in_leet(written, reading, texts, known)
    told = {number for number, part in enumerate(reading.parts) if part.strip()}
    for pieces in decoded(reading.parts, texts.work):
        if leaking >= told or texts.work.is_used_up:
            break
        if not leaking.issuperset(number for piece in pieces for number in piece.parts):
            said = Reading([piece.text for piece in pieces])
            leaking |= _leaking(pieces, said, _copied, texts, known)
            leaking |= _ciphered(pieces, said, _copied, texts, known)
    return leaking


def _ciphered(pieces: Pieces, reading: Reading, compare: Comparison, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat a secret text by rot13 or backwards, which nothing in the text tells."""
    leaking: set[int] = set()
    if may_be_ciphered_otherwise("".join(reading.parts)) or texts.near_letters(reading.ciphered_grams):
        for said in ciphers(pieces):
            if texts.work.is_used_up:
                break
            leaking |= _leaking(said, Reading([piece.text for piece in said]), compare, texts, known)
    return leaking


def _arranged(pieces: Pieces, reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat a secret text by where words or letters stand, as in an acrostic."""
    if not texts.near_letters(reading.arranged_grams):
        return set()
    readings = ((said, Reading([piece.text for piece in said])) for said in arrangements(pieces))
    return {number for said, form in readings for number in _leaking(said, form, _spelt, texts, known)}


def _spelt(reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat a secret text with its digits or without: an acrostic has none."""
    in_letters = repeated_letters(reading, texts.near(reading).in_letters, known.in_letters)
    return in_letters | _repeated(reading, texts, known)


def _in_leet(pieces: Pieces, reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat a secret text where words have digits in place of letters.

    Long runs of letters are compared without regard to digits anyway: this is for lines of short words and numbers.
    """
    if not texts.near_tokens(reading.leet_windows):
        return set()
    forms = (Reading([*apart(form)]) for form in reading.leet_forms)
    return {number for form in forms for number in _leaking(pieces, form, _repeated, texts, known)}


def _leaking(pieces: Pieces, reading: Reading, compare: Comparison, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts from which those pieces came that repeat a secret text."""
    texts.work.spend(sum(map(len, reading.parts)) // READ)
    if not compare(reading, texts, known):
        return set()
    return {number for piece in compare(reading, texts, known.decoded) for number in pieces[piece].parts}
