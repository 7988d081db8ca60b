"""Finds what an answer has copied from a secret text, token by token and letter by letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate

from safeguards.leaks.forms import OpenTexts, Reading, Spelling
from safeguards.leaks.prepared import SHINGLE, Words, joined, shingles
from safeguards.leaks.scattered import words_of_sentences
from safeguards.leaks.secrets import Secrets, StaffTexts

LEAK = 12
"""Copied tokens in one sentence, or in a row across sentences, that make a leak."""


def repeated_tokens(reading: Reading, secrets: Secrets, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat words and operators of a secret text in its order, or a whole line of one."""
    answer, found = joined(reading.flat), frozenset(shingles(reading.flat))
    copied = secrets.shingles(found)
    whole = {line for line in secrets.whole(found) if line in answer}
    if not copied and not whole:
        return set()
    whole = {line for line in whole if not known.have_line(line)}
    return _with_shingles(reading.tokens, known.unknown_shingles(copied)) | _with_lines(reading.tokens, whole)


def repeated_letters(reading: Reading, secrets: Secrets, known: OpenTexts) -> set[int]:
    """Numbers of the parts that repeat the letters of a secret text, whatever stands between them."""
    leaking: set[int] = set()
    for spelling in reading.spellings:
        runs, lines = (
            {run for run in some if spelling.has("".join(run))}
            for some in secrets.runs_and_lines(spelling.heads, is_folded=spelling.is_folded)
        )
        if runs or lines:
            leaking |= _with_runs(spelling, _secret(spelling, runs, known))
            leaking |= _with_spelt_lines(spelling, _secret(spelling, lines, known))
    return leaking


def words_in_order(reading: Reading, texts: StaffTexts, known: OpenTexts) -> set[int]:
    """Numbers of the parts that tell a sentence of a found text word by word, whatever words stand between."""
    telling = words_of_sentences(reading.flat, texts.sentences, known, texts.work)
    return {number for number, part in enumerate(reading.tokens) if not telling.isdisjoint(part)} if telling else set()


def _secret(spelling: Spelling, runs: Iterable[Words], known: OpenTexts) -> list[Words]:
    return [run for run in runs if not known.have_run(run, is_folded=spelling.is_folded)]


def _with_runs(spelling: Spelling, copied: Iterable[Words]) -> set[int]:
    """Numbers of the parts with too many copied words."""
    covered = [False] * len(spelling.letters)
    starts: set[int] = set()
    for run in copied:
        letters = "".join(run)
        for start in _positions(letters, spelling.letters):
            covered[start : start + len(letters)] = [True] * len(letters)
            starts.update(accumulate(map(len, run[:-1]), initial=start))
    leaking: set[int] = set()
    for stretch in _stretches(covered):
        if sum(position in starts for position in stretch) >= LEAK:
            leaking |= {spelling.part(position) for position in stretch}
    counts = Counter(map(spelling.part, starts))
    return leaking | {number for number, count in counts.items() if count >= LEAK}


def _with_spelt_lines(spelling: Spelling, lines: Iterable[Words]) -> set[int]:
    """Numbers of the parts that hold, or share, the letters of one of the lines."""
    return {
        spelling.part(position)
        for letters in map("".join, lines)
        for start in _positions(letters, spelling.letters)
        for position in range(start, start + len(letters))
    }


def _positions(run: str, letters: str) -> Iterator[int]:
    start = letters.find(run)
    while start >= 0:
        yield start
        start = letters.find(run, start + 1)


def _with_lines(parts: Sequence[Sequence[str]], lines: set[str]) -> set[int]:
    """Numbers of the parts that hold one of the lines whole."""
    if not lines:
        return set()
    return {number for number, text in enumerate(map(joined, parts)) if any(line in text for line in lines)}


def _with_shingles(parts: Sequence[Sequence[str]], secret: Set[Words]) -> set[int]:
    """Numbers of the parts with too many copied tokens."""
    if not secret:
        return set()
    owners = [(token, number) for number, part in enumerate(parts) for token in part]
    copied = [False] * len(owners)
    for start, shingle in enumerate(shingles([token for token, _ in owners])):
        if shingle in secret:
            copied[start : start + SHINGLE] = [True] * SHINGLE
    leaking: set[int] = set()
    for stretch in _stretches(copied):
        if len(stretch) >= LEAK:
            leaking |= {owners[position][1] for position in stretch}
    counts = Counter(owner for flag, (_, owner) in zip(copied, owners, strict=True) if flag)
    return leaking | {number for number, count in counts.items() if count >= LEAK}


def _stretches(copied: Sequence[bool]) -> Iterator[range]:
    start = 0
    for position, flag in enumerate([*copied, False]):
        if not flag:
            if position > start:
                yield range(start, position)
            start = position + 1
