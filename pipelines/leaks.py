"""Keeps the words of texts for staff alone out of answers, whatever the model that wrote them was told."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate

from core.types import Passage, Question, Visibility
from pipelines.scattered import LEAST_OWN, Known, scattered
from pipelines.sentences import Unit, units

SHINGLE = 5
"""Tokens in a row that count as copied where a staff-only text has them in that order and no open text has."""
LEAK = 12
"""Copied tokens in one sentence, or in a row across sentences, that make a leak."""
WHOLE, WHOLE_WORDS = 6, 4
"""Tokens, and words among them, from which a whole secret sentence or line makes a leak, however short it is."""

WITHHELD = "(withheld: it repeats a text for staff only)"
"""Stands in place of what would be nothing without a secret text."""

SECRETS_KEPT = 512
"""Staff-only texts whose tokens are kept in memory: the same ones are found again and again."""

HEAD = 8
"""Letters that five words in a row have at least, to be looked for letter by letter."""
WHOLE_LETTERS = 16
"""Letters from which a whole secret line of `WHOLE` words is looked for letter by letter."""

_TOKEN = re.compile(r"\w+|[^\w\s.,;:!?\"'“”‘’]")
_MARKUP = re.compile(r"\[\d+\]|-{3,}|[`*_>#|\\]+|^[ \t]*(?:[-+]|\d+[.)])[ \t]", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")
_DRESS = re.compile(
    r"\[\^?\d+\](?:\([^()]*\))?|!?\[(?P<text>[^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|<[^<>]*>|\\[a-z]+", re.IGNORECASE
)
"""What is not shown of references, links, HTML tags and LaTeX commands."""
_HYPHEN = re.compile(r"[\u2010-\u2015\u2212]")
_UNSEEN = frozenset({"Mn", "Me", "Cf"})
_FILLERS = "\u115f\u1160"
_BREAK = "\0"
_LABEL = re.compile(r"^\W*(solution|answer)s?\W*:\W*", re.IGNORECASE)
_Words = tuple[str, ...]
_ByHead = Mapping[str, Collection[_Words]]
"""Runs of words by their first `HEAD` letters; those that have fewer are left out."""


def staff_texts(passages: Iterable[Passage]) -> list[str]:
    """What in the passages is for staff alone."""
    texts = ((p.solution, p.text if p.visibility is Visibility.STAFF else "") for p in passages)
    return [text for pair in texts for text in pair if text]


def open_texts(question: Question, passages: Iterable[Passage]) -> list[str]:
    """What the student has written or may read anyway. Words of staff in the thread are among it."""
    own = (question.text, question.code or "", *question.images, *(message.body for message in question.thread))
    return [*own, *(passage.text for passage in passages if passage.visibility is Visibility.STUDENT)]


def without_leaks(markdown: str, secret: Sequence[str], known: Sequence[str]) -> tuple[str, int]:
    """The answer without the sentences and code that repeat a secret text, and how many were withheld.

    A sentence is withheld for `LEAK` tokens that stand in a secret text in that order and in no known text, or for a
    whole sentence or line of one. Letter case, accents, spacing and Markdown do not matter. Words and operators are
    tokens, so that code counts like prose; then words are compared letter by letter, whatever stands between them; and
    a sentence that is told word by word is withheld, whatever words stand between (`pipelines.scattered`).
    """
    if not secret:
        return markdown, 0
    parts = units(markdown)
    leaking = _verbatim(markdown, parts, secret, known) | _disguised(parts, secret, known)
    leaking |= _scattered(parts, leaking, secret, known)
    if not leaking:
        return markdown, 0
    kept = "".join(part.text for number, part in enumerate(parts) if number not in leaking)
    return re.sub(r"\n{3,}", "\n\n", kept).strip(), len(leaking)


def _verbatim(markdown: str, parts: Sequence[Unit], secret: Sequence[str], known: Sequence[str]) -> set[int]:
    """Numbers of the units that repeat tokens of a secret text."""
    tokens = _tokens(markdown)
    answer, told = _joined(tokens), frozenset(_shingles(tokens))
    copied = {shingle for text in secret for shingle in told & _secret_shingles(text)}
    repeated = {line for text in secret for line in _telling(text) if line in answer}
    if not copied and not repeated:
        return set()
    openly = [_tokens(text) for text in known]
    copied.difference_update(*map(_shingles, openly))
    whole = {line for line in repeated if not any(line in _joined(tokens) for tokens in openly)}
    return _with_shingles(parts, copied) | _with_lines(parts, whole)


def _disguised(parts: Sequence[Unit], secret: Sequence[str], known: Sequence[str]) -> set[int]:
    """Numbers of the units that repeat the letters of a secret text, whatever stands between them."""
    leaking: set[int] = set()
    for letters, owners in _spellings(parts):
        heads = frozenset(letters[start : start + HEAD] for start in range(len(letters) - HEAD + 1))
        copied = {words for text in secret for words in _told(letters, heads, _spelt_shingles(text))}
        lines = {line for text in secret for line in _told(letters, heads, _spelt_lines(text))}
        if copied or lines:
            openly = " ".join(form.replace(" ", "") for text in known for form in _forms(text))
            leaking |= _with_words(letters, owners, [words for words in copied if "".join(words) not in openly])
            for line in map("".join, lines):
                if line not in openly:
                    leaking |= {owners[place] for start in _places(line, letters) for place in _span(start, line)}
    return leaking


def _scattered(parts: Sequence[Unit], gone: set[int], secret: Sequence[str], known: Sequence[str]) -> set[int]:
    """Numbers of the units that tell a sentence of a secret text word by word, where others are gone already."""

    @cache
    def openly() -> Known:
        texts = [_tokens(text) for text in known]
        return Known(texts, frozenset(token for text in texts for token in text))

    sentences = [line for text in secret for line in _long_lines(text)]
    left = [[] if number in gone else _tokens(part.text) for number, part in enumerate(parts)]
    return scattered(left, sentences, openly)


@lru_cache(maxsize=SECRETS_KEPT)
def _long_lines(text: str) -> tuple[_Words, ...]:
    """The tokens of the sentences and lines of a secret text that are long enough to be told word by word."""
    lines = (tuple(line.split()) for line in _telling(text))
    return tuple(line for line in lines if len(line) >= LEAST_OWN)


def _told(letters: str, heads: frozenset[str], runs: _ByHead) -> Iterator[_Words]:
    """The runs of words whose letters stand there. `heads` are all the `HEAD` letters in a row there are."""
    return (words for head in heads & runs.keys() for words in runs[head] if "".join(words) in letters)


def _with_words(letters: str, owners: Sequence[int], copied: Iterable[_Words]) -> set[int]:
    """Numbers of the units with too many copied words."""
    covered = [False] * len(letters)
    starts: set[int] = set()
    for words in copied:
        run = "".join(words)
        for start in _places(run, letters):
            covered[start : start + len(run)] = [True] * len(run)
            starts.update(accumulate(map(len, words[:-1]), initial=start))
    leaking: set[int] = set()
    for stretch in _stretches(covered):
        if sum(place in starts for place in stretch) >= LEAK:
            leaking |= {owners[place] for place in stretch}
    counts = Counter(owners[start] for start in starts)
    return leaking | {number for number, count in counts.items() if count >= LEAK}


def _places(run: str, letters: str) -> Iterator[int]:
    start = letters.find(run)
    while start >= 0:
        yield start
        start = letters.find(run, start + 1)


def _span(start: int, run: str) -> range:
    return range(start, start + len(run))


def _spellings(parts: Sequence[Unit]) -> Iterator[tuple[str, list[int]]]:
    """The letters of the units in each form, and for each letter the number of its unit."""
    for form in _dressed_and_bare(_BREAK.join(part.text.replace(_BREAK, "") for part in parts)):
        spelt = ["".join(_WORD.findall(piece)) for piece in form.split(_BREAK)]
        yield "".join(spelt), [number for number, piece in enumerate(spelt) for _ in piece]


@lru_cache(maxsize=SECRETS_KEPT)
def _forms(text: str) -> tuple[str, ...]:
    """The words of a text, joined by spaces, in each form."""
    return tuple(dict.fromkeys(" ".join(_WORD.findall(form)) for form in _dressed_and_bare(text)))


@lru_cache(maxsize=SECRETS_KEPT)
def _spelt_shingles(text: str) -> _ByHead:
    """The words of a secret text, so many in a row as count as copied."""
    return _by_head(words for form in _forms(text) for words in _shingles(form.split()))


@lru_cache(maxsize=SECRETS_KEPT)
def _spelt_lines(text: str) -> _ByHead:
    """The words of the sentences and lines of a secret text that tell something."""
    lines = (tuple(form.split()) for line in _lines(text) for form in _forms.__wrapped__(line))
    return _by_head(line for line in lines if len(line) >= WHOLE and sum(map(len, line)) >= WHOLE_LETTERS)


def _by_head(runs: Iterable[_Words]) -> _ByHead:
    found: defaultdict[str, set[_Words]] = defaultdict(set)
    for words in runs:
        if len(head := "".join(words)[:HEAD]) == HEAD:
            found[head].add(words)
    return found


def _dressed_and_bare(text: str) -> tuple[str, ...]:
    """The text with and without the targets of links, HTML tags and LaTeX commands: some may be shown after all."""
    plain = _plain(text)
    return tuple(_MARKUP.sub(" ", form) for form in dict.fromkeys((plain, _DRESS.sub(_undressed, plain))))


def _undressed(match: re.Match[str]) -> str:
    text = match["text"] or " "
    return text + _BREAK * (match[0].count(_BREAK) - text.count(_BREAK))


@lru_cache(maxsize=SECRETS_KEPT)
def _secret_shingles(text: str) -> frozenset[_Words]:
    """The tokens of a secret text, so many in a row as count as copied."""
    return frozenset(_shingles(_tokens(text)))


@lru_cache(maxsize=SECRETS_KEPT)
def _telling(text: str) -> frozenset[str]:
    """The sentences and lines of a secret text that tell something, the tokens of each joined."""
    return frozenset(_joined(tokens) for line in _lines(text) if _is_telling(tokens := _tokens(line)))


def _lines(text: str) -> Iterator[str]:
    """The sentences and lines of a secret text, without the label before them."""
    return (_LABEL.sub("", line) for unit in units(text) for line in unit.text.splitlines())


def _is_telling(tokens: Sequence[str]) -> bool:
    return len(tokens) >= WHOLE and sum(token[0].isalnum() for token in tokens) >= WHOLE_WORDS


def _with_lines(parts: Sequence[Unit], lines: set[str]) -> set[int]:
    """Numbers of the units that hold one of the lines whole."""
    joined = [_joined(_tokens(part.text)) for part in parts]
    return {number for number, text in enumerate(joined) if any(line in text for line in lines)}


def _with_shingles(parts: Sequence[Unit], secret: set[_Words]) -> set[int]:
    """Numbers of the units with too many copied tokens."""
    tokens = [(token, number) for number, part in enumerate(parts) for token in _tokens(part.text)]
    copied = [False] * len(tokens)
    for start in range(len(tokens) - SHINGLE + 1):
        if tuple(token for token, _ in tokens[start : start + SHINGLE]) in secret:
            copied[start : start + SHINGLE] = [True] * SHINGLE
    leaking: set[int] = set()
    for stretch in _stretches(copied):
        if len(stretch) >= LEAK:
            leaking |= {tokens[place][1] for place in stretch}
    counts = Counter(owner for flag, (_, owner) in zip(copied, tokens, strict=True) if flag)
    return leaking | {number for number, count in counts.items() if count >= LEAK}


def _stretches(copied: Sequence[bool]) -> Iterator[range]:
    start = 0
    for place, flag in enumerate([*copied, False]):
        if not flag:
            if place > start:
                yield range(start, place)
            start = place + 1


def _shingles(tokens: Sequence[str]) -> Iterator[_Words]:
    return zip(*(tokens[n:] for n in range(SHINGLE)), strict=False)


def _joined(tokens: Iterable[str]) -> str:
    """Tokens in a form in which whole ones are found."""
    return f" {' '.join(tokens)} "


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_MARKUP.sub(" ", _plain(text)))


def _plain(text: str) -> str:
    """The text in small letters without what is not seen, accents included; all hyphens and dashes are alike."""
    plain = unicodedata.normalize("NFKD", html.unescape(text))
    if not plain.isascii():
        seen = (char for char in plain if char not in _FILLERS and unicodedata.category(char) not in _UNSEEN)
        plain = _HYPHEN.sub("-", "".join(seen))
    return plain.casefold()
