"""The offline rule that writes answers: quotes student-visible passages, and cites the one that answers best first.

No model writes any of it, and the answers say so. Which passage answers (`candidates`), whether one does (`evidence`)
and what to show of it (`quoting`) are decided one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

from core.concurrency import in_thread
from core.facts import FactKind
from core.types import Match, Passage, Source
from offline.calendar_answer import calendar_answer
from offline.candidates import (
    NO_MATCHES,
    Candidate,
    by_worth,
    coverage,
    read_candidates,
    term_weights,
)  # fmt: skip
from offline.code_answer import write_code_answer
from offline.confidence import shipped_calibration
from offline.evidence import Evidence, Rarity, evidence_of
from offline.phrases import Phrases, phrases_for
from offline.quoting import BEST_SECTION, SHORT_SECTION, Quotable, Quote
from posts.intents import wants_nothing
from posts.parts import Post, read_post
from posts.query import last_words, search_query
from retrievers.calendar.lookup import is_about_late_work
from retrievers.dates import DATE
from retrievers.terms import question_term, question_terms
from student_code.inspector import CodeReport
from tasks import Quoted, Statement, WriteAnswer, WrittenAnswer

MAX_QUOTED = 3
"""Passages that an answer shows."""
MAX_MENTIONED = 2
"""Further passages that it only names."""
SHOWN_FROM = 0.55
"""Share of the best passage's worth that another one must have to be quoted or named."""
PART_SEARCH_WEIGHT = 0.4
"""Of a passage's worth beside how much it has of one of several questions in a post."""
MIN_HELP, MIN_OTHER_HELP = 0.4, 0.55
"""Strength that a passage must have to be shown beside a task, and a thread that does not name the task's work."""
HELPFUL = (Source.QA, Source.TEXTBOOK)
ELSEWHERE = 0.1
"""Highest confidence in a task of another assignment than the question names. No development message asks for an
assignment that the course lacks, so that this is not learned."""
UNQUOTABLE = 0.9
"""Of the confidence from which an answer is given: at most so much has what is not answered."""
SURE_ENOUGH = 0.3
"""Weight from which what was found in the student's code is the answer, rather than a passage."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of the answer: a passage with what is shown of it, below `introduction`."""

    candidate: Candidate
    quote: Quote
    introduction: str

    @property
    def markdown(self) -> str:
        lines = "\n".join(f"> {line}".rstrip() for line in self.quote.shown.split("\n"))
        return f"{self.introduction}\n\n{lines}"

    @property
    def source(self) -> Quoted:
        return Quoted(passage=self.candidate.number, quote=self.quote.text)


class CourseWords(Protocol):
    """The writer's access to courses' material, implemented by `retrievers.rarity.Rarities`."""

    async def of(self, course_id: str, tokens: Iterable[str]) -> dict[str, float]: ...


class CourseMatches(Protocol):
    """How well passages match whose retriever did not say, implemented by `retrievers.matches.Matches`."""

    async def of(self, course_id: str, query: str, passages: Sequence[Passage]) -> Mapping[str, Match]: ...


class OfflineWriter:
    """Writes answers, knowing how rare the question's words are in the course, and how well each passage matches."""

    def __init__(self, words: CourseWords, matches: CourseMatches | None = None) -> None:
        self._words = words
        self._matches = matches

    async def write(self, task: WriteAnswer) -> WrittenAnswer:
        """Raises `UnknownName` for an unknown course."""
        # No prompt is written, so that nothing needs to be short.
        task = task.model_copy(update={"passages": task.whole or task.passages})
        report: CodeReport | None = task.code
        if report and report.findings and report.findings[0].weight >= SURE_ENOUGH:
            return await in_thread(write_code_answer, task, report)
        extracted = await self._extracted(task)
        if report and report.findings and extracted.status != "answered":
            return await in_thread(write_code_answer, task, report)
        return extracted

    async def _extracted(self, task: WriteAnswer) -> WrittenAnswer:
        post = await in_thread(read_post, task.question)
        rarity = await self._words.of(task.course_id, post.words | post.asked_words)
        matches = NO_MATCHES
        if self._matches and any(one.match is None for one in task.passages):
            matches = await self._matches.of(task.course_id, search_query(task.question), task.passages)
        return await in_thread(write_answer, task, post, rarity, matches)


def evidence_for(task: WriteAnswer, post: Post, rarity: Rarity) -> Evidence | None:
    """The evidence for the answer; None if no passage can be quoted."""
    ranked, _ = _ranked(task, post)
    return evidence_of(post, ranked, rarity, task.nothing) if ranked else None


def _ranked(
    task: WriteAnswer, post: Post, matches: Mapping[str, Match] = NO_MATCHES
) -> tuple[list[Candidate], dict[str, float]]:
    """The passages that can be quoted, best first, and the weights of the question's terms among them."""
    candidates = read_candidates(post, task.passages, matches)
    weights = term_weights(post.terms, candidates)
    return by_worth(post, candidates, weights), weights


def write_answer(
    task: WriteAnswer, post: Post, rarity: Rarity, matches: Mapping[str, Match] = NO_MATCHES
) -> WrittenAnswer:
    """The passage that answers, quoted and cited, with further ones; or that nothing answers, or nothing is asked.

    `matches` are of passages, by block id, whose retriever told none.
    """
    if wants_nothing(*last_words(task.question), task.nothing):
        return _without_answer("no_response_needed", 0.5)
    calibration = shipped_calibration()
    ranked, weights = _ranked(task, post, matches)
    evidence = evidence_of(post, ranked, rarity, task.nothing) if ranked else None
    confidence = round(calibration.probability(evidence), 3) if evidence else 0.0
    if ranked and ranked[0].passage.source is Source.ASSIGNMENT and _is_elsewhere(post, ranked[0]):
        confidence = min(confidence, ELSEWHERE)
    known = calendar_answer(post, task.passages, phrases_for(task.question, task.code))
    if post.asks_for_date and post.works:
        ranked = [one for one in ranked if _may_say_when(post, one)]
    if known and (known.is_whole or not ranked):
        return _answered([*_preface(task), *known.statements], known.confidence)
    threshold = calibration.abstain_below if task.abstain_below is None else task.abstain_below
    phrases = phrases_for(task.question, task.code)
    if known or is_about_late_work(post.text):
        # What the calendar names besides the dates, the rule for late work, is quoted first.
        ranked.sort(key=lambda one: not _says_rule(one))
        if ranked and _says_rule(ranked[0]):
            confidence = max(confidence, threshold)
    is_sure = known is not None or confidence >= threshold
    sections = _sections(post, ranked, weights, phrases) if ranked and is_sure else []
    if not sections:
        if known:
            return _answered([*_preface(task), *known.statements], known.confidence)
        # However well a passage fits, what cannot be quoted is no answer.
        return _without_answer(_why_not(post), min(confidence, round(threshold * UNQUOTABLE, 3)))
    mentioned = _mentioned(ranked, {section.candidate.number for section in sections}, weights)
    statements = [
        *_preface(task),
        *(known.statements if known else ()),
        *(Statement(text=one.markdown, sources=(one.source,)) for one in sections),
    ]
    if mentioned:
        places = ", ".join(_location(section.candidate) for section in mentioned)
        sources = tuple(section.source for section in mentioned)
        statements.append(Statement(text=phrases.see_also.format(places=places), sources=sources))
    # What the calendar does not say is as sure as its passage.
    return _answered(statements, fmean((confidence, known.confidence)) if known else confidence)


def _says_rule(candidate: Candidate) -> bool:
    return any(fact.kind is FactKind.LATE for fact in candidate.passage.facts)


def _may_say_when(post: Post, candidate: Candidate) -> bool:
    """Whether a passage may stand in an answer on a work's date, for which that of something else would be taken."""
    return bool(post.works & candidate.all_terms) or bool(post.parts and DATE not in candidate.all_terms)


def _preface(task: WriteAnswer) -> tuple[Statement, ...]:
    return (Statement(text=f"{phrases_for(task.question, task.code).preface}\n"),)


def _answered(statements: Sequence[Statement], confidence: float) -> WrittenAnswer:
    return WrittenAnswer(status="answered", statements=tuple(statements), confidence=confidence)


def _is_elsewhere(post: Post, candidate: Candidate) -> bool:
    """True if the question names an assignment or task, and the passage is a task, or a thread, of another one."""
    match candidate.passage.source:
        case Source.ASSIGNMENT:
            return bool(post.works) and not post.works & candidate.context
        case Source.QA:
            return post.is_on_other_task(" ".join(candidate.passage.heading_path))
    return False


def _without_answer(status: str, confidence: float) -> WrittenAnswer:
    return WrittenAnswer.model_validate({"status": status, "statements": (), "confidence": confidence})


def _why_not(post: Post) -> str:
    return "needs_clarification" if post.is_vague else "abstained"


def _location(candidate: Candidate) -> str:
    return f"**{candidate.passage.location}** [{candidate.number}]"


def _sections(post: Post, ranked: Sequence[Candidate], weights: Weights, phrases: Phrases) -> list[_Section]:
    """What answers, and behind it the next passages that are nearly as good."""
    best = ranked[0].passage
    is_task = best.source is Source.ASSIGNMENT and bool(best.label)
    if is_task and not (post.is_about_wording or post.asks_when):
        sections = list(_hints(post, ranked, weights, phrases))
    else:
        first = dict.fromkeys([ranked[0], *_for_parts(post, ranked, weights)])
        sections = _quoted(first, weights, phrases, best=ranked[0])[:MAX_QUOTED]
        # Of code alone nothing can be quoted; what comes next may say it in words.
        sections = sections or _quoted(_near(ranked, SHOWN_FROM), weights, phrases)[:1]
    shown = {section.candidate.number for section in sections}
    others = [one for one in _near(ranked, SHOWN_FROM) if one.number not in shown and not _is_elsewhere(post, one)]
    return sections + _quoted(others if sections else (), weights, phrases)[: max(MAX_QUOTED - len(sections), 0)]


def _for_parts(post: Post, ranked: Sequence[Candidate], weights: Weights) -> Iterator[Candidate]:
    """For each of several questions in one post the passage that has most of its words."""
    for part in post.parts:
        terms = question_terms(part)
        own = {term: weight for term, weight in weights.items() if term in terms}
        yield max(ranked, key=lambda one: PART_SEARCH_WEIGHT * one.worth + coverage(one.all_terms, own))


def _quoted(
    candidates: Iterable[Candidate], weights: Weights, phrases: Phrases, best: Candidate | None = None
) -> list[_Section]:
    return [
        _Section(candidate, quote, phrases.found.format(place=_location(candidate)))
        for candidate in candidates
        if (quote := Quotable(candidate, BEST_SECTION if candidate is best else SHORT_SECTION).answer(weights))
    ]


def _hints(post: Post, ranked: Sequence[Candidate], weights: Weights, phrases: Phrases) -> Iterator[_Section]:
    """For a student at a task: what it says on the question, then past threads on it and the textbook."""
    task, *others = ranked
    if not (step := Quotable(task).answer(weights)):
        return
    yield _Section(task, step, phrases.step.format(place=_location(task)))
    subject = (post.terms | task.terms) - post.work_terms
    if post.is_only_named:
        subject = task.terms
        weights = term_weights(subject, ranked)
        others = by_worth(post, others, weights)
    helpful: list[Candidate] = []
    for one in others:
        before = [other.strength for other in helpful if other.passage.source is one.passage.source]
        if _may_help(post, one, subject) and one.strength >= max(before, default=0.0):
            helpful.append(one)
    for candidate in helpful[: MAX_QUOTED - 1]:
        if found := Quotable(candidate).answer(weights):
            introduction = phrases.helps[candidate.passage.source].format(place=_location(candidate))
            yield _Section(candidate, found, introduction)


def _may_help(post: Post, candidate: Candidate, subject: frozenset[str]) -> bool:
    """Whether a passage may help at the post's task: one that explains, or a thread, unless that is on another task.

    It has more of what the post is about than the names of its work and question.
    """
    if candidate.passage.source not in HELPFUL or not candidate.all_terms & (subject - candidate.named):
        return False
    if candidate.passage.source is not Source.QA:
        return candidate.strength >= MIN_HELP
    is_on_task = bool((post.works | set(map(question_term, post.questions))) & candidate.context)
    least = MIN_HELP if is_on_task else MIN_OTHER_HELP
    return (
        (is_on_task or not post.works)
        and candidate.strength >= least
        and not post.is_on_other_task(" ".join(candidate.passage.heading_path))
    )


def _near(ranked: Sequence[Candidate], share: float) -> list[Candidate]:
    """The candidates that are worth at least this share of the best one."""
    return [one for one in ranked if one.worth >= share * ranked[0].worth]


def _mentioned(ranked: Sequence[Candidate], shown: Set[int], weights: Weights) -> list[_Section]:
    """Further places that may help, named without their text."""
    others = [one for one in _near(ranked, SHOWN_FROM) if one.number not in shown][:MAX_MENTIONED]
    return [_Section(one, found, "") for one in others if (found := Quotable(one).step(weights))]
