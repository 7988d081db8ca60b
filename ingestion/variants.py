"""Finds files that hold one work: its formats (TeX, notebook, HTML, PDF) and published copies.

A file is a variant of another, of a format that reads at least as well, which holds nearly all of its prose, says all
that it says, and has little else. The main file is searched instead. Files for different readers are never one work.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import combinations, groupby
from pathlib import PurePosixPath

from core.store.material import StoredBlock
from core.store.tables import DocumentRow, DocumentState
from core.types import Visibility
from ingestion.naming.words import FORMAT_WORDS

SHINGLE = 4
"""Words in a row by which a passage is known again."""
MIN_WORDS = 20
COVERED, COVERED_OF_OTHER_NAME = 0.75, 0.9
"""Least share of a variant's shingles that the main file has."""
MAX_MORE = 0.5
"""The share of the main file's shingles that a variant may lack: a title page, or links of a site."""
MIN_NEW = 12
"""Words in a row that say something new; shorter runs are pieces of formulas, or lines in another order."""
SAME_FORMAT = 0.9
"""Least share of each other's shingles in one format, where digits and formulas count as well."""
MIN_SHOWN = 10
"""Shingles of another file's text for staff from which on a file shows it."""
SAMPLE, MAX_COMMON = 4, 50
"""One shingle in so many is looked up to find pairs; one in more files than that says nothing."""
_FORMATS = (
    (".ipynb", ".md", ".markdown", ".qmd", ".rmd", ".rst", ".org"),
    (".tex",),
    (".docx", ".pptx"),
    (".html", ".htm"),
    (".pdf",),
)
"""The best readable first: in these, formulas are written, not drawn."""
_FORMULA = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]*\$|\\\[.*?\\\]|\\\(.*?\\\)"
    r"|\[formula, see page \d+\]"
    r"|\\begin\{(equation|align|aligned|eqnarray|gather|multline|displaymath|math)\*?\}.*?\\end\{\1\*?\}",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_ANY_WORD = re.compile(r"\w+")
_NAME_PART = re.compile(r"[^\W\d_]+|\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}\b"
    r"|\b\d{1,2}\.?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"|\b\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})\b|\b\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})\b|\b(?:19|20)\d\d-\d\d-\d\d\b"
)


@dataclass(frozen=True)
class _Work:
    row: DocumentRow
    shown: str = field(repr=False)
    """What its readers see."""
    hidden: str = field(repr=False)
    """What only staff see of a file for students."""

    @cached_property
    def passages(self) -> Sequence[int]:
        """The shingles of its prose, in order."""
        return list(_shingles(_WORD.findall(_FORMULA.sub(" ", self.shown))))

    @cached_property
    def prose(self) -> frozenset[int]:
        return frozenset(self.passages)

    @cached_property
    def exact(self) -> frozenset[int]:
        return frozenset(_shingles(_ANY_WORD.findall(self.shown)))

    @cached_property
    def for_staff(self) -> frozenset[int]:
        return frozenset(_shingles(_WORD.findall(_FORMULA.sub(" ", self.hidden)))) - self.prose

    @cached_property
    def everything(self) -> frozenset[int]:
        return self.prose | self.for_staff if self.for_staff else self.prose

    @cached_property
    def dates(self) -> frozenset[str]:
        return frozenset(" ".join(match.split()) for match in _DATE.findall(self.shown))

    @cached_property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.row.name.casefold())

    @cached_property
    def stem(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The words and the numbers of the file's name."""
        parts = _NAME_PART.findall(self.path.stem)
        words = tuple(part for part in parts if not part.isdigit() and part not in FORMAT_WORDS)
        return words, tuple(int(part) for part in parts if part.isdigit())

    @cached_property
    def format(self) -> frozenset[str]:
        """The format by the file's suffix, and by words of its name ("hw1-print.pdf", "hw1-pdf.Rmd")."""
        return frozenset((self.path.suffix, *FORMAT_WORDS.intersection(_NAME_PART.findall(self.path.stem))))

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """The best readable first, then what stands higher in the folders."""
        place = next((place for place, suffixes in enumerate(_FORMATS) if self.path.suffix in suffixes), len(_FORMATS))
        return place, len(self.path.parts), len(self.row.name), self.row.name

    @property
    def readers(self) -> tuple[Visibility, bool, datetime | None]:
        return self.row.visibility, self.row.is_solution, self.row.release_at

    def shows_what_is_hidden_in(self, other: _Work) -> bool:
        return len(self.prose & other.for_staff) >= MIN_SHOWN


def find_variants(rows: Iterable[DocumentRow], blocks: Iterable[StoredBlock]) -> dict[str, str]:
    """For each document that is a variant of another, by id, the id of the main one. Takes time linear in the text."""
    works = sorted(_works(rows, blocks), key=lambda work: work.rank)
    covered: defaultdict[str, list[_Work]] = defaultdict(list)
    for pair in _pairs(works):
        for main, other in (pair, pair[::-1]):
            if main.rank[0] <= other.rank[0] and _is_variant(main, other):
                covered[main.row.id].append(other)
    variants: dict[str, str] = {}
    mains: set[str] = set()
    for work in works:
        others = [other for other in covered[work.row.id] if other.row.id not in variants and other.row.id not in mains]
        if work.row.id in variants or not others:
            continue
        if any(work.shows_what_is_hidden_in(other) for other in others):
            # The file that keeps it for staff comes later, and stands for this one.
            continue
        mains.add(work.row.id)
        variants |= {other.row.id: work.row.id for other in others}
    return variants


def _works(rows: Iterable[DocumentRow], blocks: Iterable[StoredBlock]) -> Iterator[_Work]:
    shown: defaultdict[str, list[str]] = defaultdict(list)
    hidden: defaultdict[str, list[str]] = defaultdict(list)
    visible = {row.id: row.visibility for row in rows if row.state == DocumentState.INDEXED}
    for block in blocks:
        passage = block.passage
        is_hidden = passage.visibility != visible.get(passage.document_id) and passage.visibility is Visibility.STAFF
        (hidden if is_hidden else shown)[passage.document_id].append(passage.text)
        hidden[passage.document_id].append(passage.solution)
    for row in rows:
        if row.id in shown:
            yield _Work(row, "\n".join(shown[row.id]).casefold(), "\n".join(hidden[row.id]).casefold())


def _pairs(works: Sequence[_Work]) -> Iterator[tuple[_Work, _Work]]:
    """Pairs that may be alike: those that share some shingle of a sample."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for number, work in enumerate(works):
        if len(work.prose) >= MIN_WORDS - SHINGLE:
            for shingle in work.prose:
                if shingle % SAMPLE == 0:
                    holders[shingle].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        if len(numbers) <= MAX_COMMON:
            shared.update(combinations(numbers, 2))
    for (first, second), count in shared.items():
        least = min(len(works[first].prose), len(works[second].prose))
        if count * SAMPLE >= least / 3:
            yield works[first], works[second]


def _is_variant(main: _Work, other: _Work) -> bool:
    if main.readers != other.readers or _differ_by_name(main, other) or _differ_by_date(main, other):
        return False
    if main.format == other.format and not (main.for_staff or other.for_staff):
        return min(_shares(main.exact, other.exact)) >= SAME_FORMAT
    least = COVERED if main.stem[0] == other.stem[0] else COVERED_OF_OTHER_NAME
    least = max(least, SAME_FORMAT) if main.format == other.format else least
    # One may show what the other keeps for staff.
    for text, other_text in ((main.prose, other.prose), (main.everything, other.prose), (main.prose, other.everything)):
        held, covered = _shares(text, other_text)
        if covered >= least and held >= min(least, 1 - MAX_MORE):
            return not _adds(other, main)
    return False


def _adds(other: _Work, main: _Work) -> bool:
    """Whether a file says something that the main one does not: a title page has the office hours."""
    fresh = (shingle not in main.everything for shingle in other.passages)
    return any(is_new and len(list(run)) >= MIN_NEW + SHINGLE - 1 for is_new, run in groupby(fresh))


def _differ_by_name(first: _Work, second: _Work) -> bool:
    """Whether names have other numbers, or other years: homework 1 and 2 may differ by one word."""
    numbers, others = first.stem[1], second.stem[1]
    years, other_years = (set(_YEAR.findall(str(work.path))) for work in (first, second))
    return bool((numbers and others and numbers != others) or (years and other_years and years != other_years))


def _differ_by_date(first: _Work, second: _Work) -> bool:
    """Whether each has a date that the other lacks, as a sheet of last year has."""
    return bool(first.dates - second.dates and second.dates - first.dates)


def _shares(first: frozenset[int], second: frozenset[int]) -> tuple[float, float]:
    """The shares of the shingles of each that both have."""
    both = len(first & second)
    return both / max(len(first), 1), both / max(len(second), 1)


def _shingles(words: Sequence[str]) -> Iterator[int]:
    return (hash(tuple(words[n : n + SHINGLE])) for n in range(len(words) - SHINGLE + 1))
