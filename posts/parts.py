"""What a post asks: its terms, the works it names, its parts, and whether it asks at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.fences import split_at_blocks
from core.text.sentences import rough_sentences
from core.types import Passage, Question
from posts.intents import is_about_course, is_about_wording
from posts.query import asked_text, last_words, search_query
from posts.terms import ASKING, AT_A_LOSS, plain_words
from retrievers.dates import DATE, asks_for_date, asks_only_for_date, asks_when, date_question, names_due
from retrievers.names import read_names
from retrievers.terms import question_terms, work_term

MAX_PARTS = 3
MAX_PIECES = 100
"""Sentences and items that are looked at for separate questions; a longer post is answered as a whole."""
SAME_ERROR = 0.75
"""From which on an error is the same: its name, and half of the words of its message."""
MIN_PART_TERMS = 1
"""A part of fewer terms than this about its subject ("How come?") belongs to the part before it."""
MAX_OTHER_TERMS = 1
"""Besides its work, of a question for when it is due that does not say so: "when is homework 3?"."""
MIN_TITLE_TERMS = 4
"""A title of fewer terms names what the body then asks."""
_ENUMERATED = re.compile(r"^[^\S\n]*(?:\(?\d{1,2}[.)]|[-*])\s+(?=\S)", re.MULTILINE)
_COUNTED = re.compile(r"(?<!\S)\(?(\d)\)\s+(?=\S)")
"""A number of a list within a line: "1) ... 2) ...", "(1) ... (2) ..."."""
_SENTENCE_START = re.compile(r"(?:^|[\n.!?:;])\s*\Z")
_NUMBER = re.compile(r"^\s*\(?\d{1,2}[.)]\s+")
_QUESTION_WORDS = r"\b(?:how|what|when|where|which|who|why|can|could|is|are|do|does|should|may|will)\b"
_AND_ASKS = re.compile(rf"(?:,|(?<!\s))\s+(?:and|also|plus)\s+(?={_QUESTION_WORDS})", re.IGNORECASE)
_QUESTION_END = re.compile(r"(?<=[?？])\s+")
_ERROR_LINE = re.compile(
    r"(?<![\w.])(?:[A-Za-z_]\w*\.)*(?P<name>[A-Za-z_]\w*(?:Error|Exception|Warning)|(?<=\.)[A-Z]\w+(?=:\s))\b:?(?P<message>.*)"
)
_HAS_QUESTION_WORD = re.compile(_QUESTION_WORDS, re.IGNORECASE)
_ASKS = re.compile(r"[?？]|^\W*(?:what|which|who|when|where|why|how|explain|define|describe)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Post:
    """A question as the offline writer reads it. `parts` are its separate questions, none if it asks one thing.

    `words` are its terms without names and numbers, `title_words` those of its title, and `asked_words` those of the
    title and the sentences that ask. `is_only_named` is as in the function of that name.
    """

    text: str
    terms: frozenset[str]
    words: frozenset[str]
    title_words: frozenset[str]
    asked_words: frozenset[str]
    works: frozenset[str]
    questions: tuple[str, ...]
    errors: frozenset[str]
    error_terms: frozenset[str]
    parts: tuple[str, ...]
    is_only_named: bool
    is_about_wording: bool
    is_about_course: bool
    asks_when: bool
    date_question: str = ""
    asks_only_for_date: bool = False

    @property
    def asks_for_date(self) -> bool:
        """True for a post that asks when something is: in the sentences of `date_question`."""
        return bool(self.date_question)

    @property
    def asks_when_due(self) -> bool:
        """True if it asks when a work is to be handed in, and not when something else about it happens."""
        others = plain_words(question_terms(self.date_question)) - ASKING - self.work_terms - {DATE}
        return names_due(self.date_question) or (self.asks_for_date and len(others) <= MAX_OTHER_TERMS)

    @property
    def work_terms(self) -> frozenset[str]:
        """The terms of the works that it names: "homework 3" and "homework"."""
        return self.works | {work.rpartition(" ")[0] for work in self.works}

    def error_in(self, passage: Passage) -> float:
        """How far the passage has the error that the post ends with, from 0 to 1; its message counts most."""
        text = passage.text.casefold()
        if not any(error in text for error in self.errors):
            return 0.0
        terms = question_terms(passage.text)
        return 0.4 + 0.6 * (len(self.error_terms & terms) / len(self.error_terms) if self.error_terms else 1.0)

    def has_error_in(self, passage: Passage) -> bool:
        """True if the passage has that error, and most of its message."""
        return self.error_in(passage) >= SAME_ERROR

    def is_on_other_task(self, title: str) -> bool:
        """True if the post names a task and the title of a thread names other ones."""
        if not (self.works or self.questions):
            return False
        names = read_names(title)
        works = frozenset(map(work_term, names.known_works))
        other_work = bool(self.works and works) and not self.works & works
        other_question = bool(self.questions and names.questions) and not set(self.questions) & set(names.questions)
        return other_work or other_question

    @property
    def is_vague(self) -> bool:
        """True for a few words without a specific question ("it doesn't work")."""
        return len(self.terms) <= 2 and len(self.text) < 80 and not self.asks

    @property
    def asks(self) -> bool:
        """True for a text that asks something."""
        return asks_in(self.text)


def asks_in(text: str) -> bool:
    """True for a text with a question mark, or that begins with a word that asks."""
    return bool(_ASKS.search(text))


def read_post(question: Question) -> Post:
    """The current question of a post, follow-ups included."""
    query, text = search_query(question), asked_text(question)
    title, body = last_words(question)
    names = read_names(query)
    terms = question_terms(query) | ({DATE} if asks_when(text) else set())
    title_words = plain_words(question_terms(title))
    # In the query, which also has what images say, the message has lost its end.
    error = _last_error(text) or _last_error(query)
    return Post(
        text=text,
        terms=terms,
        words=plain_words(terms),
        title_words=title_words,
        asked_words=title_words | plain_words(question_terms(_asking(_prose(question)))),
        works=frozenset(map(work_term, names.known_works)),
        questions=names.questions,
        errors=frozenset([error["name"].casefold()] if error else ()),
        error_terms=question_terms(error["message"]) if error else frozenset(),
        parts=parts_in(question),
        is_only_named=is_only_named(question),
        is_about_wording=is_about_wording(text),
        is_about_course=is_about_course(text),
        asks_when=asks_when(text),
        date_question=date_question(body, title),
        asks_only_for_date=asks_only_for_date(body) or (asks_for_date("", title) and not asks_in(body)),
    )


def is_only_named(question: Question) -> bool:
    """True for a post that says at which task its author is stuck, and nothing about what stands in the way."""
    query = search_query(question)
    names = read_names(query)
    kinds = {word for work in names.known_works for word in question_terms(work)}
    return bool(names.questions) and not plain_words(question_terms(query)) - kinds - ASKING - AT_A_LOSS


def _last_error(text: str) -> re.Match[str] | None:
    return next(iter([*_ERROR_LINE.finditer(text)][-1:]), None)


def parts_in(question: Question, most: int = MAX_PARTS, *, halves: bool = True) -> tuple[str, ...]:
    """The separate questions of a post, none if it asks only one thing, or more than `most`."""
    parts = separate_questions(_prose(question), most, halves=halves)
    if parts and parts[0] == question.title.strip() and len(question_terms(parts[0]) - ASKING) < MIN_TITLE_TERMS:
        parts = (f"{parts[0]} {parts[1]}", *parts[2:])
    return parts if len(parts) > 1 else ()


def _prose(question: Question) -> str:
    """What is asked, without code."""
    return "\n".join(part for part, is_code in split_at_blocks(asked_text(question)) if not is_code)


def _asking(prose: str) -> str:
    """The sentences that ask, or the last one where none does."""
    sentences = [one for one in rough_sentences(prose) if one.strip()]
    return " ".join([one for one in sentences if _ASKS.search(one)] or sentences[-1:])


def separate_questions(prose: str, most: int, *, halves: bool = True) -> tuple[str, ...]:
    """The separate questions of a text: items of its list, or sentences up to a question mark and, if wanted, their
    halves.

    None if it asks only one thing, or more than `most`.
    """
    items = [item.strip() for item in _ENUMERATED.split(prose)[1:] if item.strip()]
    items = items if len(items) > 1 else _counted(prose)
    sentences = _QUESTION_END.split(prose.strip())
    cut = items if len(items) > 1 else [half for one in sentences for half in (_halves(one) if halves else [one])]
    if len(cut) > MAX_PIECES:
        return ()
    parts: list[list[str]] = []
    is_open = False
    for piece in cut:
        is_remark = cut is not items and not _ASKS.search(piece)
        is_short = _is_short(piece)
        if parts and (is_remark or is_open or is_short):
            parts[-1].append(piece)
            is_open = is_open and is_short
        else:
            parts.append([_NUMBER.sub("", piece)])
            is_open = is_short
        if len(parts) > most:
            return ()
    return tuple(map(" ".join, parts)) if len(parts) > 1 else ()


def _counted(prose: str) -> list[str]:
    """The items of a list within lines that begins a sentence and asks; none where the numbers are something else."""
    numbers = list(_COUNTED.finditer(prose))
    first = max((n for n, number in enumerate(numbers) if number[1] == "1"), default=0)
    numbers = numbers[first:]
    is_counted = len(numbers) > 1 and [int(number[1]) for number in numbers] == list(range(1, len(numbers) + 1))
    if not is_counted or not _SENTENCE_START.search(prose[: numbers[0].start()]):
        return []
    ends = [*(number.start() for number in numbers[1:]), len(prose)]
    items = [prose[number.end() : end].strip() for number, end in zip(numbers, ends, strict=True)]
    return items if any(map(_ASKS.search, items)) else []


def _is_short(piece: str) -> bool:
    return len(question_terms(piece) - ASKING) < MIN_PART_TERMS


def _halves(sentence: str) -> list[str]:
    """ "When is it due, and can I submit it late?" in two, each of which asks; any other sentence whole."""
    halves = _AND_ASKS.split(sentence)
    return halves if all(_HAS_QUESTION_WORD.search(half) for half in halves) else [sentence]
