"""Passages that a query names instead of describing them: "hw3 2b", "question 2 of Homework 3", "section 3.2".

Names are short, stand everywhere and are written in many ways, so that words and meaning find them badly. Here they are
read and compared with the names in the material.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.text.number_words import with_digits
from core.text.numerals import roman_pattern
from core.types import Passage, Source

WHOLE_MATCH = 1.0
PARTIAL_MATCH = 0.7
"""A part of the question that is named, or the question around the part that is."""
SAME_WORK = 0.4
"""Another passage of the work that is named; a question of that number if no work is named."""

QUESTION_WORDS = (
    *("question", "problem", "exercise", "task", "assignment problem", "prob", "exer", "ex", "exo", "ques"),
    *("aufgabe", "frage", "übung", "übungsaufgabe", "opgave", "vraag", "uppgift", "oppgave", "tehtävä"),
    *("pregunta", "ejercicio", "problema", "exercice", "exercício", "exercicio", "questão", "questao", "pergunta"),
    *("esercizio", "domanda", "zadanie", "pytanie", "cvičení", "úloha", "příklad", "feladat", "soru", "alıştırma"),
    *("вопрос", "задача", "задание", "упражнение", "питання", "завдання", "άσκηση", "ερώτηση", "θέμα"),
    *("سؤال", "السؤال", "تمرين", "التمرين", "مسألة", "שאלה", "תרגיל", "प्रश्न", "ข้อ", "câu", "bài", "soal"),
    *("문제", "질문", "과제", "問題", "問", "設問", "課題", "练习", "問い", "问题", "习题", "題目", "题目", "题", "題"),
)
"""What courses call the questions of an assignment."""
_WORKS = {
    "homework": "hw hwk hmwk homework homeworks hausaufgabe hausübung devoir tarea compito huiswerk 作业",
    "assignment": "asgn assn assgn assign asst assignment assignments",
    "problem set": "ps pset problemset problem-sheet problem_sheet",
    "exercise sheet": "übungsblatt blatt aufgabenblatt sheet",
    "worksheet": "ws worksheet",
    "project": "proj project projekt proyecto projet progetto",
    "lab": "lab laboratory",
    "lecture": "lec lecture vorlesung",
    "discussion": "disc discussion",
    "midterm": "mt midterm",
    "prelim": "prelim",
    "quiz": "quiz",
    "exam": "exam klausur examen",
    "week": "week wk woche semana semaine",
    "chapter": "ch chap chapter kapitel capítulo chapitre",
    "section": "sec section § abschnitt sección",
}
"""What courses call their works and the parts of a book, and how students write it. Other names stay as they are."""
TO_HAND_IN = ("homework", "assignment", "problem set", "exercise sheet", "worksheet")
"""Whichever of these a course has, students take one for the other."""
_NO_WORKS = frozenset({*QUESTION_WORDS, "q"})
_KINDS = {short: kind for kind, shorts in _WORKS.items() for short in shorts.split()}

_ROMANS = f"(?:{roman_pattern(10)})"
_ROMAN = rf"(?:\.?\s?\((?P<roman>{_ROMANS})\)|(?P<small>{_ROMANS})(?![^\W_]))?"
_LETTER = rf"(?:\s?\((?P<bracketed>[a-z])\)|\.?(?P<letter>[a-z])(?=(?:{_ROMANS})?(?![^\W_])))"
_PART = (
    rf"(?:(?:{_LETTER}|,?\s+part\s+\(?(?P<part>[a-z])\)?(?![^\W_])"
    rf"|\s(?P<apart>[b-hj-z]|[ai](?=\s*(?:$|[?.,;!])))(?![^\W_])){_ROMAN})?"
)
_NUMBER = r"(?P<number>\d{1,3}(?:\.\d{1,2})*)"
_WORK = re.compile(
    r"(?<![^\W_])(?P<kind>(?:problem|exercise)[ _-]?(?:set|sheet)|[^\W\d_]{1,20}|§)[ _.#-]{0,2}"
    r"0*(?P<number>\d{1,3}(?:\.\d{1,3})*)(?![\d%]|[^\W\d_](?!\d))"
)
_LETTERED = re.compile(
    rf"(?<![^\W_])(?P<kind>{'|'.join(map(re.escape, sorted(_KINDS, key=len, reverse=True)))})[ _.#-]{{0,2}}"
    r"0*(?P<number>[a-h]\d{1,2}|\d{1,2}[a-h])(?![^\W_])"
)
"""A work with a letter in its number: "Homework 2A", "lab02b", "Project A1"."""
_NUMBER_FIRST = re.compile(
    rf"0*(?P<number>\d{{1,2}})[ _.-]{{1,3}}(?P<kind>(?:problem|exercise)[ _-]?(?:set|sheet)|"
    rf"{'|'.join(map(re.escape, sorted(_KINDS.keys() | _WORKS.keys(), key=len, reverse=True)))})(?![^\W_])"
)
"""A file named "03-problem-set"."""
_BEHIND = re.compile(rf"[\s,:;/–-]*#?0*{_NUMBER}{_PART}(?![\w%])")
"""A question right behind the work that it is in: "hw3, 2b", "ps3 1.3"."""
_BEFORE = re.compile(
    r"(?<![\w.])(?P<number>\d{1,2}(?:\.\d{1,2})*) (?:in|of|from|on|for|aus|von|de|del|des|du|di) (?:the )?$"
)
_QUESTION = re.compile(
    rf"(?<![^\W\d_])(?:{'|'.join(sorted(QUESTION_WORDS, key=len, reverse=True))}|q)s?[ _.#-]{{0,2}}0*{_NUMBER}{_PART}"
)
_BARE = re.compile(rf"(?<![\w.])(?P<number>\d{{1,2}}){_LETTER}{_ROMAN}(?![^\W_])")
_ORDINAL = re.compile(r"第\s*(?P<number>\d{1,2})\s*[题題问問]")
_DIMENSIONS = frozenset({"1d", "2d", "3d"})
"""Rather kinds of arrays and plots than questions, where no work is named."""
_SECTION = re.compile(r"§?\s*(?P<number>\d{1,3}(?:\.\d{1,3})+)(?![\d.]*\w)")
_PARTS = ("bracketed", "letter", "part", "apart", "roman", "small")
_END = re.compile(r"\s*(?:$|[?.,;:!)])")
COURSE_DIGITS = 3
"""Digits from which the number behind an unknown word is that of a course or a tool: "data 100", "regex101"."""
CACHED_TEXTS = 500
"""Questions and queries that are looked at several times for one answer."""
_IN_FRONT = 24
"""Characters before a work in which a question's number may stand."""


@dataclass(frozen=True, slots=True)
class NamedWorks:
    """Works ("homework 3", "section 3.2") and questions ("2b", "1.3") that a text names, each once, in its order, and
    `rest`, the text without the questions and without the works of kinds that courses have.
    """

    works: tuple[str, ...]
    questions: tuple[str, ...]
    rest: str

    @property
    def known_works(self) -> tuple[str, ...]:
        """The works of kinds that courses have."""
        return tuple(filter(is_known_work, self.works))


@lru_cache(CACHED_TEXTS)
def read_names(text: str) -> NamedWorks:
    """What a query names. Any word with a number may be a work; whether it is one, the material knows."""
    text = with_digits(text)
    folded = text.casefold()
    works = {one.span(): _work(one) for one in _work_matches(folded) if one["kind"] not in _NO_WORKS}
    known = [span for span, work in works.items() if is_known_work(work)]
    beside = [one for start, end in works for one in _beside(start, end, folded)]
    within = Stretches(works)
    bare = (one for one in _BARE.finditer(folded) if not within.cover(one.end() - 1))
    found = [*beside, *(one for pattern in (_QUESTION, _ORDINAL) for one in pattern.finditer(folded)), *bare]
    questions = {one.span(): name for one in found if (name := _question(one)) not in _DIMENSIONS or known}
    rest = _without([*questions, *known], text if len(text) == len(folded) else folded)
    return NamedWorks(tuple(dict.fromkeys(works.values())), tuple(dict.fromkeys(questions.values())), rest)


def spans_of_works(text: str) -> list[tuple[int, int, str]]:
    """The works of kinds that courses have, each with where it stands in a text without capitals."""
    matches = ((match.start(), match.end(), _work(match)) for match in _work_matches(text))
    return [named for named in matches if is_known_work(named[2])]


def _work_matches(text: str) -> list[re.Match[str]]:
    """The works in a text, in order. "projA1" is not "proja 1"."""
    lettered = list(_LETTERED.finditer(text))
    taken = Stretches(match.span() for match in lettered)
    others = (match for match in _WORK.finditer(text) if not taken.meet(*match.span()))
    return sorted([*lettered, *others], key=lambda match: match.start())


class Stretches:
    """Stretches of a text that do not overlap."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]

    def meet(self, start: int, end: int) -> bool:
        """True if one of them overlaps these characters."""
        position = bisect_left(self._starts, end)
        return position > 0 and self._ends[position - 1] > start

    def cover(self, position: int) -> bool:
        """True if the character is in one of them."""
        return self.meet(position, position + 1)


def is_known_work(work: str) -> bool:
    """True for a work of a kind that courses have."""
    return work.rpartition(" ")[0] in _WORKS


def _without(spans: Iterable[tuple[int, int]], text: str) -> str:
    rest, at = [], 0
    for start, end in sorted(spans):
        rest.append(text[at:start])
        at = max(at, end)
    return " ".join([*rest, text[at:]])


def _beside(start: int, end: int, text: str) -> Iterator[re.Match[str]]:
    """Numbers right before and behind a work. One behind it with nothing to it must be a decimal or end there."""
    if before := _BEFORE.search(text, max(start - _IN_FRONT, 0), start):
        yield before
    if behind := _BEHIND.match(text, end):
        alone = behind.end("number") == behind.end() and "." not in behind["number"]
        if not alone or _END.match(text, behind.end()):
            yield behind


def _work(match: re.Match[str]) -> str:
    kind = _joined(match["kind"])
    kind = _KINDS.get(kind, kind)
    return f"{'section' if kind == 'chapter' and '.' in match['number'] else kind} {match['number']}"


def _joined(kind: str) -> str:
    return re.sub(r"[ _-]+", " ", kind)


def _question(match: re.Match[str]) -> str:
    found = match.groupdict()
    return "".join(found.get(name) or "" for name in ("number", *_PARTS))


class Directory:
    """Names of works and questions, with the positions of the passages that have them."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._works: defaultdict[str, set[int]] = defaultdict(set)
        self._questions: defaultdict[str, dict[int, float]] = defaultdict(dict)
        self._numbers: defaultdict[str, set[str]] = defaultdict(set)
        for position, passage in enumerate(passages):
            for work in works_of(passage):
                self._works[work].add(position)
                kind, _, number = work.rpartition(" ")
                self._numbers[kind].add(number)
            for question in _questions_of(passage):
                for named, worth in names_around(question):
                    self._questions[named][position] = max(worth, self._questions[named].get(position, 0.0))

    def named(self, query: str) -> Mapping[int, float]:
        """Positions of the passages that the query names, with how well they match: above 0, at most `WHOLE_MATCH`."""
        names = read_names(query)
        within = set().union(*(self._within(work) for work in names.works if self._may_be(work)))
        named = dict.fromkeys(within, SAME_WORK)
        for question in names.questions:
            for position, worth in self._of(question, within).items():
                named[position] = max(named[position], worth)
        return named

    def _may_be(self, work: str) -> bool:
        """True for a kind of work that courses have, or that this one numbers; not for "data 100" and "by 5"."""
        kind, _, number = work.rpartition(" ")
        return is_known_work(work) or (len(number) < COURSE_DIGITS and len(self._numbers[kind]) > 1)

    def _within(self, work: str) -> set[int]:
        kind, _, number = work.rpartition(" ")
        if number[-1].isalpha() and work not in self._works:
            return self._within(work[:-1])
        others = TO_HAND_IN if kind in TO_HAND_IN and work not in self._works else ()
        return self._works.get(work, set()).union(*(self._works.get(f"{other} {number}", ()) for other in others))

    def _of(self, question: str, within: set[int]) -> Mapping[int, float]:
        """The positions of a question in a work; if it has no such part, those of the question around it."""
        for named, worth in ((question, 1.0), (re.sub(r"[a-z]+$", "", question), PARTIAL_MATCH)):
            positions = self._questions.get(named, {})
            found = {position: worth * here for position, here in positions.items() if position in within}
            if found:
                return found
        return {}


def names_around(question: str) -> Iterator[tuple[str, float]]:
    """The names by which a question is found: its own, and those of the questions that it is a part of."""
    yield question, WHOLE_MATCH
    for end in range(len(question) - 1, 0, -1):
        if not (question[end].isdigit() and question[end - 1].isdigit()) and question[end - 1] != ".":
            yield question[:end], PARTIAL_MATCH


def works_of(passage: Passage) -> tuple[str, ...]:
    """The works that a passage belongs to, by its file, title and headings; those in the title of a past thread."""
    if passage.source is Source.QA:
        return read_names(" ".join(passage.heading_path)).works
    parts = passage.document.casefold().replace("_", "-").split("/")
    headings = (part.casefold() for part in (passage.title, *passage.heading_path))
    return tuple(dict.fromkeys(work for part in (*parts, *headings) for work in _calls_itself(part)))


def _questions_of(passage: Passage) -> tuple[str, ...]:
    if passage.source is Source.QA:
        return read_names(" ".join(passage.heading_path)).questions
    return (passage.label,) if passage.label else ()


def works_named_by(heading: str) -> list[str]:
    """The works that a file's name or a heading gives itself, of kinds that courses have."""
    return [work for work in _calls_itself(heading) if is_known_work(work)]


def _calls_itself(heading: str) -> Iterable[str]:
    """A heading's own name: what it begins with, a kind of work anywhere, or the number of a section."""
    heading = with_digits(heading)
    if match := _SECTION.match(heading):
        yield f"section {match['number']}"
    if match := _NUMBER_FIRST.match(heading):
        yield _work(match)
    for match in _work_matches(heading):
        if match.start() == 0 or match["kind"] in _KINDS or _joined(match["kind"]) in _WORKS:
            yield _work(match)
