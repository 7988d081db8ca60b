"""What a written answer states, sentence by sentence, and what each statement rests on (decision 0033)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.course import Unsupported, Writing
from core.text.marks import marked
from core.text.sentences import TextUnit, ends_with_abbreviation, is_marker, units
from core.types import Passage, Question, Visibility
from safeguards.audience import asker_texts
from safeguards.citations import numbers_in
from safeguards.quotes import stands_in
from tasks import Quoted, Statement, WrittenAnswer
from tasks.writing import STUDENT

ASSERTION_WORDS = 6
"""Shorter sentences, such as "Good luck!", seldom state a fact."""
MIN_WORDS = 3
"""Shorter ones, such as "Good luck!", say nothing that is to be backed before it is posted without a person."""
COPIED_RUNS = 6
"""Runs of five words that a sentence shares with a task, one after the other: ten words of its wording."""
MAX_OWN_LINES = 2
"""Lines of code that a hint may show although neither the student nor the passages wrote them."""
_INTRODUCTION = re.compile(r"\[\d+\]\W*$")
_PLACES = re.compile(r"(?:See also|Zie ook): (?:\*\*.+?\*\* ?\[\d+\](?:, )?)+")
_ASIDE = re.compile(r"\*[^*]+\*")
_WORD = re.compile(r"\w+")
_ENDS = ".!?:。！？"
"""References stand in front of these."""
_NO_ASSERTION = re.compile(
    r"\W*(hi|hello|hey|great|good|nice|thanks?|thank you|hope|i hope|let me|let us|feel free|please|try|think|consider|"
    r"check|look|see|start|remember|recall|compare|ask|if you (are|get|still|have)|could you|can you|what|which|"
    r"how|from)\b",
    re.IGNORECASE,
)

NO_SOURCE = "names no source."
NOT_QUOTED = "has no quote that stands in a passage that it names."
TASK_WORDING = "repeats the wording of the task."
OWN_CODE = "shows code for the task that neither the student nor the passages have."
UNSUPPORTED = (NO_SOURCE, NOT_QUOTED)


@dataclass(frozen=True)
class Brief:
    """What a writer was asked: separate questions, if any, and the task at which the student works, if any.

    `asks_for_wording` is true of a question on what the task asks for, which its own words may answer.
    """

    parts: tuple[str, ...] = ()
    task: tuple[Passage, ...] = ()
    asks_for_wording: bool = False


NO_BRIEF = Brief()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, line or block of code with the white space after it, and the statement that it is from, counted
    from 1.

    `states` is true if it states something: questions, hints, headings, quotes, asides and code do not. `is_claim` is
    true of what needs a source for that. `references` are the numbers of its sources that are not in the text.
    """

    text: str
    statement: int
    sources: tuple[Quoted, ...]
    is_code: bool
    states: bool
    is_claim: bool
    references: tuple[int, ...]

    def shown(self, mark: str = "") -> str:
        """The text with its references, and with a mark, if any."""
        if self.is_code or not (self.references or mark) or is_marker(self.text):
            return self.text
        references = "".join(f"[{n}]" for n in self.references)
        added = marked(references, mark) if mark else references
        bare = self.text.rstrip()
        if bare.startswith("|") or bare.endswith(("$$", "\\]")):
            # Within a table's row or a formula it would be part of it.
            return f"{bare}\n\n{added}{self.text[len(bare) :]}"
        # The point of an abbreviation belongs to it.
        end = bare if ends_with_abbreviation(bare) else bare.rstrip(_ENDS)
        return f"{end} {added}{self.text[len(end) :]}"


@dataclass(frozen=True)
class Examined:
    """A written answer in sentences, compared with the passages that its writer was shown."""

    written: WrittenAnswer
    shown: Sequence[Passage]
    question: Question
    brief: Brief = NO_BRIEF

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        statements = zip(self.written.statements, self.written.texts, strict=True)
        return tuple(one for n, (statement, text) in enumerate(statements, 1) for one in _sentences(statement, text, n))

    @cached_property
    def assertions(self) -> frozenset[int]:
        """The sentences that claim something, by their position."""
        return frozenset(n for n, one in enumerate(self.sentences) if one.states and one.is_claim)

    @cached_property
    def problems(self) -> dict[int, str]:
        """What is wrong with single sentences, by their position."""
        found = {n: problem for n, one in enumerate(self.sentences) if (problem := self._problem(one))}
        repeated = [n for n, problem in found.items() if problem == TASK_WORDING]
        # An answer may say what the task asks, but not that alone.
        is_more = 2 * len(repeated) <= sum(one.states for one in self.sentences)
        return {n: problem for n, problem in found.items() if not (is_more and n in repeated)}

    @cached_property
    def unsupported(self) -> frozenset[int]:
        """The assertions without a quote that stands where it was taken from, by their position."""
        return frozenset(n for n, problem in self.problems.items() if problem in UNSUPPORTED)

    @cached_property
    def is_backed(self) -> bool:
        """True if every statement has a quote that stands where it was taken from, short words and questions aside."""
        return all(
            any(map(self._stands, statement.sources))
            for statement in self.written.statements
            if _says_something(statement.text.strip())
        )

    @cached_property
    def open_parts(self) -> tuple[int, ...]:
        """The numbers of the separate questions that no statement answers; none if the writer numbered no statement."""
        answered = {statement.part for statement in self.written.statements} - {0}
        if not answered or self.written.status != "answered":
            return ()
        return tuple(n for n in range(1, len(self.brief.parts) + 1) if n not in answered)

    @cached_property
    def asserted(self) -> int:
        """Assertions, code with a problem, and separate questions left open."""
        return len(self.assertions | self.problems.keys()) + len(self.open_parts)

    @property
    def faulty(self) -> float:
        """Share of assertions with a problem and of questions left open, from 0 to 1."""
        return (len(self.problems) + len(self.open_parts)) / self.asserted if self.asserted else 0.0

    @property
    def confidence(self) -> float:
        """The writer's own, lowered by the share of what is faulty."""
        return round(self.written.confidence * (1 - self.faulty), 3)

    @property
    def findings(self) -> tuple[str, ...]:
        """The problems in words, by the numbers of the statements."""
        sentences = [
            f"Statement {self.sentences[n].statement} {problem}" for n, problem in sorted(self.problems.items())
        ]
        return (*dict.fromkeys(sentences), *(f"No statement answers part {n}." for n in self.open_parts))

    def markdown(self, writing: Writing) -> str:
        """The answer with references, its unsupported assertions marked or left out."""
        leaves_out = writing.unsupported is Unsupported.LEAVE_OUT
        kept: list[str] = []
        for n, sentence in enumerate(self.sentences):
            if n not in self.unsupported:
                kept.append(sentence.shown())
            elif not leaves_out:
                kept.append(sentence.shown(writing.mark))
            elif kept and "\n" in sentence.text[len(sentence.text.rstrip()) :]:
                kept[-1] = kept[-1].rstrip() + sentence.text[len(sentence.text.rstrip()) :]
        return "".join(kept).strip()

    def _problem(self, sentence: Sentence) -> str:
        if self.written.status != "answered":
            return ""
        if sentence.is_code:
            return OWN_CODE if self.brief.task and self._own_lines(sentence.text) > MAX_OWN_LINES else ""
        if not sentence.states:
            return ""
        if sentence.is_claim and not sentence.sources:
            return NO_SOURCE
        if sentence.is_claim and not any(self._stands(source) for source in sentence.sources):
            return NOT_QUOTED
        return TASK_WORDING if self._repeats_task(sentence.text) else ""

    def _stands(self, source: Quoted) -> bool:
        if source.passage == STUDENT:
            texts: Sequence[str] = asker_texts(self.question)
        elif 1 <= source.passage <= len(self.shown):
            passage = self.shown[source.passage - 1]
            texts = (passage.text, passage.solution)
        else:
            return False
        return any(stands_in(source.quote, text) for text in texts if text)

    def _repeats_task(self, text: str) -> bool:
        words = _words(text)
        for task in () if self.brief.asks_for_wording else self.brief.task:
            known = set(_five_in_a_row(_words(task.text)))
            run = 0
            for one in _five_in_a_row(words):
                run = run + 1 if one in known else 0
                if run >= COPIED_RUNS:
                    return True
        return False

    def _own_lines(self, code: str) -> int:
        readable = (one.text for one in self.shown if one.visibility is Visibility.STUDENT)
        known = "\n".join((*asker_texts(self.question), *readable))
        # Code that is quoted has the mark of a quote in front of each line.
        lines = (line.strip().lstrip(">").strip() for line in code.strip().splitlines()[1:-1])
        return sum(bool(line) and not line.startswith("#") and line not in known for line in lines)


def _sentences(statement: Statement, text: str, number: int) -> Iterator[Sentence]:
    """A statement's sentences, each with the sources that it names itself, or else with all of the statement's."""
    found = list(_placed(text))
    named = [frozenset[int]() if unit.is_code else numbers_in(unit.text) for unit, _ in found]
    own = frozenset[int]().union(*named)
    last = max((n for n, (unit, _) in enumerate(found) if not unit.is_code), default=-1)
    for n, (unit, line) in enumerate(found):
        sources = [source for source in statement.sources if source.passage in named[n]]
        if n == last:
            sources += [source for source in statement.sources if source.passage not in own]
        elif not own and not _states_nothing(line):
            sources = list(statement.sources)
        quoted = {source.passage for source in sources}
        sources += [Quoted(passage=passage, quote="") for passage in sorted(named[n] - quoted)]
        references = tuple(sorted(quoted - named[n] - {STUDENT}))
        states = not unit.is_code and not _states_nothing(line) and _asserts(unit.text.strip())
        is_claim = statement.kind == "claim"
        yield Sentence(unit.text, number, tuple(sources), unit.is_code, states, is_claim, references)


def _placed(text: str) -> Iterator[tuple[TextUnit, str]]:
    """The units of a text, each with the line in which it begins."""
    start = end = 0
    line = ""
    for unit in units(text):
        if start >= end:
            first, end = text.rfind("\n", 0, start) + 1, text.find("\n", start) + 1 or len(text)
            line = text[first:end].strip(" \t\n")
        yield unit, line
        start += len(unit.text)


def _five_in_a_row(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[n:] for n in range(5)), strict=False)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _states_nothing(line: str) -> bool:
    """True of quotes, headings, table rows, asides, lists of further locations, and of what introduces a quote."""
    introduces = line.endswith(":") and _INTRODUCTION.search(line, 0, len(line) - 1)
    return bool(line.startswith((">", "#", "|")) or introduces or _ASIDE.fullmatch(line) or _PLACES.fullmatch(line))


def _says_something(text: str) -> bool:
    """False of a greeting, a question, a heading, an aside and a list of further locations."""
    is_aside = text.startswith("#") or _ASIDE.fullmatch(text) or _PLACES.fullmatch(text)
    return len(_words(text)) >= MIN_WORDS and not text.endswith("?") and not is_aside


def _asserts(text: str) -> bool:
    return len(text.split()) >= ASSERTION_WORDS and not text.endswith(("?", ":")) and not _NO_ASSERTION.match(text)
