"""A Teacher that is a language model: questions with reference answers, each checked before it is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.course import Course
from core.dataset import Dataset
from core.errors import BadReply, InvalidInput
from core.llm.base import LLM, Sampling
from core.types import Question, Status, Value
from eval.actors.base import Actor
from eval.metrics.base import Metric
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.rule import RuleMetric
from eval.plan import Plan
from eval.report import plain_report
from eval.runner import Progress, RunLimits, Runner
from eval.scoring import ScoredRun
from eval.sensemaking.formats.sections import Section
from eval.sensemaking.formats.submissions import ListKind, Rows, TaskSubmission
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration
from retrievers.embedding.base import Embedder
from teaching.tasks import Difficulty, Skill, WriteQuiz, WrittenQuestion
from teaching.teacher import DUPLICATE

KIND = "teaching"
MAX_SECTION_CHARS = 24_000


class SectionItem(Value):
    """A section as an item of an evaluation."""

    id: str
    text: str

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.text,)


@dataclass(frozen=True)
class Wanted:
    """What a Teacher is to write for each section."""

    count: int
    skills: tuple[Skill, ...] = tuple(Skill)
    difficulty: Difficulty = Difficulty.MEDIUM
    language: str = "English"


@dataclass(frozen=True)
class ModelTeacher(Actor[SectionItem]):
    """Its output is a list of `WrittenQuestion`.

    Taken are questions whose quote stands in the section, that repeat no other, and that a Student, who has the
    section alone, answers.
    """

    configuration: Configuration
    wanted: Wanted
    assistant: Assistant
    courses: Mapping[str, Course]
    embedder: Embedder

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.configuration.model

    @property
    def identity(self) -> str:
        behind_alias = self.assistant.models[self.configuration.model].fingerprint
        output = WrittenQuestion.__name__
        asked = (self.configuration.hash, WriteQuiz.version, output, repr(self.wanted), behind_alias)
        return " ".join(filter(None, asked))

    async def act(self, item: SectionItem, seed: int, llm: LLM) -> list[dict[str, Any]]:
        configuration = self.configuration.seeded(seed)
        written = await self._written(item, llm, configuration.sampling)
        kept: list[WrittenQuestion] = []
        for one in self._distinct(quoted(written, item.text)):
            if len(kept) < self.wanted.count and await self._is_answered(item, one, configuration, llm):
                kept.append(one)
        if not kept:
            raise BadReply(f"None of {len(written)} questions is answered by the section. Try another model.")
        return [one.model_dump(mode="json") for one in kept]

    async def _written(self, item: SectionItem, llm: LLM, sampling: Sampling) -> tuple[WrittenQuestion, ...]:
        task = WriteQuiz(
            title=item.id,
            section=item.text[:MAX_SECTION_CHARS],
            count=self.wanted.count,
            skills=self.wanted.skills,
            difficulty=self.wanted.difficulty,
            language=self.wanted.language,
        )
        return (await llm.run(task, sampling)).value.questions

    def _distinct(self, questions: Sequence[WrittenQuestion]) -> list[WrittenQuestion]:
        """Without those that ask what an earlier one asks."""
        if not questions:
            return []
        vectors = self.embedder.embed([one.question for one in questions])
        kept: list[int] = []
        for at in range(len(questions)):
            if all(vectors[at] @ vectors[other] < DUPLICATE for other in kept):
                kept.append(at)
        return [questions[at] for at in kept]

    async def _is_answered(
        self, item: SectionItem, asked: WrittenQuestion, configuration: Configuration, llm: LLM
    ) -> bool:
        run = await self.assistant.start(self.courses[item.id], Question(body=asked.question), configuration, llm=llm)
        return (await self.assistant.answer(run, configuration)).status is Status.ANSWERED


def skills_in(names: str) -> tuple[Skill, ...]:
    """Comma-separated skills. Raises `InvalidInput` naming the unknown one."""
    given = [name.strip() for name in names.split(",") if name.strip()]
    for name in given:
        if name not in list(Skill):
            raise InvalidInput(f"There is no skill {name!r}. There are: {', '.join(Skill)}.")
    return tuple(Skill(name) for name in given) or tuple(Skill)


def quoted(questions: Sequence[WrittenQuestion], text: str) -> list[WrittenQuestion]:
    """The questions whose quote stands in the text, white space and case aside."""
    words = _plain(text)
    return [one for one in questions if _plain(one.quote) in words]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


async def teach_by_model(
    runner: Runner,
    teacher: ModelTeacher,
    sections: Sequence[Section],
    limits: RunLimits,
    progress: Progress,
    seeds: Sequence[int] = (0,),
) -> ScoredRun[SectionItem]:
    """The teacher's questions about every section. A run that was stopped continues, and pays for nothing twice."""
    items = tuple(SectionItem(id=section.path, text=section.text) for section in sections)
    plan = Plan(KIND, Dataset("sections", items), (teacher,), metrics_of(teacher.wanted), tuple(seeds))
    outcome = await runner.run(plan, limits, progress)
    await runner.finish_if_complete(outcome, plain_report(outcome))
    return outcome


def metrics_of(wanted: Wanted) -> tuple[Metric[Any], ...]:
    """The share of the wanted questions that were written, and the time."""
    return (RuleMetric("written", lambda _, output: len(output) / wanted.count), LatencyMs())


def questions_of(outcome: ScoredRun[SectionItem], seed: int = 0, problems: Sequence[str] = ()) -> TaskSubmission:
    """The questions of one seed as a submission; sections without any are named after earlier `problems`."""
    lists: dict[str, Rows] = {}
    problems = list(problems)
    for row in outcome.rows:
        if row.seed != seed:
            continue
        if row.output:
            lists[f"{row.item}/{ListKind.QUESTIONS}.json"] = tuple(
                (one["question"], one["answer"]) for one in row.output
            )
        else:
            problems.append(f"{row.item}: {(row.error or {}).get('detail', 'it has no questions')}")
    return TaskSubmission(kind=ListKind.QUESTIONS, lists=lists, problems=tuple(problems))
