"""A Student: answers questions from one section alone, through the product's own pipelines and retrievers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core.course import Course
from core.dataset import Dataset
from core.edison import EdisonRules
from core.errors import InvalidInput
from core.llm.base import LLM
from core.llm.offline import OFFLINE_MODEL
from core.text.sentences import units
from core.types import Question, Source, Status, Value
from eval.actors.base import Actor
from eval.plan import Plan
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, Rows, TaskSubmission, section_of
from offline.phrases import PHRASES
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration
from retrievers.embedding.base import Embedder
from student_code.catalogue import ENGLISH
from teaching.excerpts import SIMILAR_FROM, excerpt

KIND = "sitting"
WORDS = 40
"""Words of an answer, at most, unless its nearest sentence alone is longer."""

_PLACE = re.compile(rf"^(?:{re.escape(PHRASES[ENGLISH].preface)}|From [^\n]{{1,300}}:|See also: .*)[ \t]*$", re.M)
"""Lines in which the offline backend names itself and places, which say nothing of the matter."""
_REFERENCE = re.compile(r"\s*\[\d+\]")
_MARKUP = re.compile(r"^\s*(?:>+|[-*+]|#+|\d+\.)\s+|[*_`]{1,3}", re.MULTILINE)


class SectionQuestion(Value):
    """A question about one section."""

    id: str
    section: str
    question: str

    @property
    def text(self) -> str:
        return self.question

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.section, self.question)


def course_of(section: Section) -> Course:
    """The section as a course of its own, so that nothing else can be found; its one function is always called."""
    digest = hashlib.sha256(f"{section.path}\n{section.readable}".encode()).hexdigest()
    function = f"{Source.TEXTBOOK}_retrieval"
    # Whether the section answers a question is decided by `excerpts`, not by a confidence that whole courses taught.
    rules = EdisonRules(default=(function,))
    return Course(id=f"section-{digest[:16]}", title=section.path[:200], edison=rules, abstain_below=0.0)


@dataclass(frozen=True)
class Student(Actor[SectionQuestion]):
    """A configuration of the product. Its output is a short answer, or None where it abstains."""

    timed: ClassVar[bool] = True

    configuration: Configuration
    assistant: Assistant
    courses: Mapping[str, Course]
    embedder: Embedder
    words: int = WORDS

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.configuration.pipeline}/{self.configuration.retriever}"

    @property
    def identity(self) -> str:
        behind_alias = self.assistant.models[self.configuration.model].fingerprint
        rule = f"excerpts from {SIMILAR_FROM}" if self.is_offline else ""
        return " ".join(filter(None, (self.configuration.hash, behind_alias, str(self.words), rule)))

    @property
    def is_offline(self) -> bool:
        """Without a model the answer is quoted from all passages found, of which the pipeline shows a few."""
        return self.configuration.model == OFFLINE_MODEL

    async def act(self, item: SectionQuestion, seed: int, llm: LLM) -> str | None:
        seeded = self.configuration.seeded(seed)
        run = await self.assistant.start(
            self.courses[item.section], Question(body=item.question, language="en"), seeded, llm=llm
        )
        answer = await self.assistant.answer(run, seeded)
        if answer.status is not Status.ANSWERED:
            return None
        if self.is_offline:
            return excerpt(run.passages, item.question, self.embedder, self.words) or None
        return shortened(answer.markdown, item.question, self.embedder, self.words) or None


def shortened(markdown: str, question: str, embedder: Embedder, words: int) -> str:
    """The sentence of an answer that is nearest to the question and what follows it, without references and markup.

    Sentences before it come last, so that a short answer is whole.
    """
    plain = _MARKUP.sub("", _REFERENCE.sub("", _PLACE.sub("", markdown)))
    sentences = [" ".join(unit.text.split()) for unit in units(plain) if re.search(r"\w", unit.text)]
    if not sentences:
        return ""
    vectors = embedder.embed([question, *sentences])
    best = int(np.argmax(vectors[1:] @ vectors[0]))
    chosen, left = [best], words - len(sentences[best].split())
    for at in (*range(best + 1, len(sentences)), *range(best - 1, -1, -1)):
        left -= len(sentences[at].split())
        if left < 0:
            break
        chosen.append(at)
    return " ".join(sentences[at] for at in sorted(chosen))


def questions_to_answer(sections: Sections, questions: TaskSubmission) -> tuple[Dataset[SectionQuestion], list[str]]:
    """Every question of a submission whose section can be used, and what was wrong with the others.

    Raises `InvalidInput` if there is none.
    """
    known = {section.path for section in sections.found}
    problems = [*sections.problems, *questions.problems]
    items: list[SectionQuestion] = []
    for path, rows in questions.lists.items():
        section = section_of(path)
        if section not in known:
            problems.append(f"{path}: the folder has no usable section {section}.")
            continue
        items += [
            SectionQuestion(id=_id(path, row), section=section, question=str(one[0])) for row, one in enumerate(rows)
        ]
    if not items:
        raise InvalidInput(" ".join([*problems, "There is no question to answer."]))
    return Dataset("questions", tuple(items)), problems


async def sit(
    runner: Runner,
    student: Student,
    dataset: Dataset[SectionQuestion],
    limits: RunLimits,
    progress: Progress,
    seeds: Sequence[int] = (0,),
) -> ScoredRun[SectionQuestion]:
    """The student's answer to every question. A run that was stopped continues, and pays for nothing twice."""
    return await runner.run(Plan(KIND, dataset, (student,), (), tuple(seeds)), limits, progress)


def answers_of(questions: TaskSubmission, outcome: ScoredRun[SectionQuestion], seed: int = 0) -> TaskSubmission:
    """The answers of one seed as a submission: a row without an answer abstains; lists with failures are named."""
    given = {row.item: row for row in outcome.rows if row.seed == seed}
    lists: dict[str, Rows] = {}
    problems: list[str] = []
    for path, rows in questions.lists.items():
        found = [given.get(_id(path, row)) for row in range(len(rows))]
        if any(one is None for one in found) and not any(found):
            continue
        failed = [one for one in found if one is None or one.error]
        if failed:
            reason = failed[0].error if failed[0] is not None else None
            detail = (reason or {}).get("detail", "it was not asked")
            problems.append(f"{path}: {len(failed)} of {len(rows)} questions were not answered: {detail}")
            continue
        section, name = path.rsplit("/", 1)
        lists[f"{section}/{ListKind.ANSWERS}{name.removeprefix(ListKind.QUESTIONS)}"] = tuple(
            (str(asked[0]), str(one.output)) if one and one.output else (str(asked[0]),)
            for asked, one in zip(rows, found, strict=True)
        )
    return TaskSubmission(kind=ListKind.ANSWERS, lists=lists, problems=tuple(problems))


def _id(path: str, row: int) -> str:
    return f"{path} row {row}"
