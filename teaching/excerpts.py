"""Short answers without a model: the sentences of the passages found that are nearest to a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from core.text.sentences import prose_sentences
from core.types import Passage
from retrievers.embedding.base import Embedder

SIMILAR_FROM = 0.45
"""Cosine of a question and its nearest sentence from which a section answers it. Chosen on half of a book's sections;
docs/sensemaking.md has the figures of the other half."""
FOLLOWING = 0.15
"""What the sentence after the nearest one is preferred by."""
MAX_HEADING_WORDS = 12
_BLANK_LINES = re.compile(r"\n\s*\n")
_MARKUP = re.compile(r"^\s*(?:>+|[-*+]|\d+\.)\s+|[*_`]{1,3}", re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")
_HEADING_MARK = re.compile(r"\s*#{1,6}\s")
_SENTENCE_END = re.compile(r"[.!?:;…][\"')\]*_’”]*$")


def excerpt(passages: Sequence[Passage], question: str, embedder: Embedder, words: int) -> str:
    """The sentence nearest to the question, then further ones by their nearness, whole, in the order of the text.

    At most so many words, unless the nearest alone has more. Empty where no sentence is near enough.
    """
    sentences = sentences_of(passages)
    if not sentences:
        return ""
    vectors = embedder.embed([question, *sentences])
    nearness = vectors[1:] @ vectors[0]
    best = int(np.argmax(nearness))
    if nearness[best] < SIMILAR_FROM:
        return ""
    nearness[best] = np.inf
    nearness[best + 1 : best + 2] += FOLLOWING
    chosen, left = [best], words - len(sentences[best].split())
    for at in np.argsort(-nearness, kind="stable")[1:].tolist():
        if (count := len(sentences[at].split())) <= left:
            chosen.append(at)
            left -= count
    return " ".join(sentences[at] for at in (best, *sorted(chosen[1:])))


def sentences_of(passages: Sequence[Passage]) -> list[str]:
    """The sentences of the passages in the order of their document, each once, without headings and markup."""
    return sentences_in(one.text for one in sorted(passages, key=lambda one: (one.document, one.position.start)))


def sentences_in(texts: Iterable[str]) -> list[str]:
    """The sentences of the texts in order, each once, without headings and markup."""
    paragraphs = (part for text in texts for part in _BLANK_LINES.split(text))
    prose = (_MARKUP.sub("", part) for part in paragraphs if not is_heading(part))
    found = (" ".join(sentence.split()) for part in prose for sentence in prose_sentences(" ".join(part.split())))
    return list(dict.fromkeys(sentence for sentence in found if re.search(r"\w", sentence)))


def is_heading(paragraph: str) -> bool:
    """Whether a paragraph is a line that is marked as a heading, or short and neither a sentence nor an item."""
    line = paragraph.strip()
    if "\n" in line or _ITEM.match(line):
        return False
    is_short = len(line.split()) <= MAX_HEADING_WORDS
    return bool(_HEADING_MARK.match(line)) or (is_short and not _SENTENCE_END.search(line))
