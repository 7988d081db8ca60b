"""Turns a written answer into one whose every citation was checked against its passage."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from core.text.spans import split_at_verbatim
from core.types import Answer, Citation, DroppedQuote, Passage, Status, Visibility
from safeguards.quotes import find_quote, quote_parts, why_dropped
from tasks import WrittenAnswer

_REFERENCE = re.compile(r"(?:[ \t]|(?<![\w)\]\\`]))((?:\[\d+(?:\s*,\s*\d+)*\])+)(?![\w(\[])")
"""One or more in a row: [1], [1, 2], [1][2]."""
STAFF_ONLY = "The answer rests on staff-only material, which is not cited. Check that it may be told to students."
PARTLY_STAFF_ONLY = (
    "Part of the answer rests on staff-only material, which is not cited. Check that it may be told to students."
)
_WHY = {
    DroppedQuote.TOO_SHORT: "it is too short to support anything",
    DroppedQuote.IN_ANOTHER_PASSAGE: "it stands in another passage than the one that it names",
    DroppedQuote.NOT_FOUND: "it does not stand in the passage, word for word",
}
_MAX_DIGITS = 4
"""Of a reference's number; a longer one is a reference to no passage."""


def verified(written: WrittenAnswer, passages: Sequence[Passage], markdown: str | None = None) -> Answer:
    """The answer with its references renumbered from 1 in order of appearance, and each quote looked up.

    `markdown` is what was made of its text, if anything. References to passages that do not exist are removed; brackets
    in code and formulas stay. A quote that does not stand in its passage is dropped (`why_dropped`); the citation then
    names the location and the reason, counts as not verified, and a warning says so. Staff-only passages are not cited,
    since documents and headings of theirs are names that students must not see; a warning says that the answer rests on
    some.
    """
    quotes: defaultdict[int, list[str]] = defaultdict(list)
    for quoted in written.citations:
        quotes[quoted.passage].append(quoted.quote)
    text = written.answer if markdown is None else markdown
    parts = list(split_at_verbatim(text))
    cited = cited_numbers(written, passages, text)
    order = [n for n in cited if passages[n - 1].visibility is Visibility.STUDENT]
    numbers = {n: position for position, n in enumerate(order, 1)}
    citations = tuple(_citation(numbers[n], passages[n - 1], quotes[n], passages) for n in order)
    return Answer(
        status=Status(written.status),
        markdown="".join(
            part if is_verbatim else _REFERENCE.sub(lambda match: _renumbered(match, numbers), part)
            for part, is_verbatim in parts
        ).strip(),
        citations=citations,
        confidence=min(max(written.confidence, 0.0), 1.0),
        warnings=(*_warnings(written.status, passages, len(order), len(cited) - len(order)), *_dropped(citations)),
    )


def cited_numbers(written: WrittenAnswer, passages: Sequence[Passage], markdown: str) -> list[int]:
    """The numbers of the passages that the text refers to or the answer quotes, in order."""
    quoted = (source.passage for source in written.citations)
    mentioned = _mentioned(split_at_verbatim(markdown))
    return [n for n in dict.fromkeys([*mentioned, *quoted]) if 1 <= n <= len(passages)]


def numbers_in(markdown: str) -> frozenset[int]:
    """The numbers of the references in a text; brackets in code and formulas are none."""
    return frozenset(_mentioned(split_at_verbatim(markdown))) if "[" in markdown else frozenset()


def _mentioned(parts: Iterable[tuple[str, bool]]) -> list[int]:
    prose = "".join(part for part, is_verbatim in parts if not is_verbatim)
    return [n for group in _REFERENCE.findall(prose) for n in _numbers(group)]


def _numbers(group: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", group) if len(number) <= _MAX_DIGITS]


def _renumbered(match: re.Match[str], numbers: dict[int, int]) -> str:
    kept = [numbers[n] for n in _numbers(match[1]) if n in numbers]
    space = match[0][0] if match[0][0] in " \t" else ""
    return space + "".join(f"[{n}]" for n in kept) if kept else ""


def _warnings(status: str, passages: Sequence[Passage], cited: int, left_out: int) -> tuple[str, ...]:
    """Whether the answer rests on staff-only passages, of which `left_out` were referred to."""
    if status != Status.ANSWERED or not passages:
        return ()
    if cited and left_out:
        return (PARTLY_STAFF_ONLY,)
    rests_on_staff_only = left_out or all(passage.visibility is Visibility.STAFF for passage in passages)
    return (STAFF_ONLY,) if not cited and rests_on_staff_only else ()


def _dropped(citations: Sequence[Citation]) -> Iterator[str]:
    """Which citations have no quote, by reason."""
    for reason, words in _WHY.items():
        if numbers := "".join(f"[{one.number}]" for one in citations if one.dropped is reason):
            yield f"The quote for {numbers} was dropped: {words}."


def _citation(number: int, passage: Passage, quotes: Sequence[str], shown: Sequence[Passage]) -> Citation:
    """With the quotes that stand in the passage, or why the first was dropped."""
    first, *others = list(dict.fromkeys(filter(None, (_standing(quote, passage) for quote in quotes)))) or [""]
    return Citation(
        number=number,
        block_id=passage.block_id,
        document=passage.document,
        title=passage.title,
        variants=passage.variants,
        source=passage.source,
        visibility=passage.visibility,
        heading_path=passage.heading_path,
        page=passage.position.first_page,
        time=passage.position.time,
        quote=first,
        more_quotes=tuple(others),
        verified=bool(first),
        dropped=None if first else why_dropped(next(filter(None, quotes), ""), passage, shown),
    )


def _standing(quote: str, passage: Passage) -> str | None:
    """The words of the passage that the quote or, where it leaves something out, its first part repeats."""
    return next((words for part in (quote, *quote_parts(quote)) if (words := find_quote(part, passage.text))), None)
