"""A language model that writes the questions of a course's quiz."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.sections import sections_as_courses
from app.wiring import Services
from core.errors import InvalidInput
from core.llm.offline import OFFLINE_MODEL
from core.store.quizzes import NewQuestion
from eval.runner import Progress, RunLimits
from eval.scoring import ScoredRun
from eval.sensemaking.formats.sections import Section
from eval.sensemaking.model_teacher import ModelTeacher, SectionItem, TeacherRequest, teach_by_model
from teaching.course import EMPTY, CourseSection, SectionKey, TaughtSection, lacks_questions
from teaching.tasks import WrittenQuestion


@dataclass(frozen=True)
class CourseTeacher:
    """Writes questions about sections with a model; an interrupted run continues."""

    services: Services
    model: str
    language: str
    limits: RunLimits
    progress: Progress

    def __post_init__(self) -> None:
        """Raises `UnknownName`, and `InvalidInput` for the offline backend."""
        self.services.models.demand(self.model)
        if self.model == OFFLINE_MODEL:
            raise InvalidInput("The offline backend writes no questions. Leave --model out to make them by rules.")

    async def teach(
        self, sections: Sequence[CourseSection], asked: Mapping[SectionKey, int], per_section: int
    ) -> AsyncIterator[TaughtSection]:
        """Questions for sections that have fewer than `per_section`."""
        wanting = {
            one.location: one for one in sections if lacks_questions(one, asked, per_section) and one.text.strip()
        }
        texts = [Section(path=location, text=one.text, questions={}) for location, one in wanting.items()]
        problems: dict[str, str] = {}
        written: dict[str, tuple[WrittenQuestion, ...]] = {}
        if texts:
            outcome = await self._outcome(texts, per_section)
            written = {row.item: tuple(map(WrittenQuestion.model_validate, row.output or ())) for row in outcome.rows}
            problems = {row.item: str(row.error.get("detail", "")) for row in outcome.rows if row.error}
        for section in sections:
            if not section.text.strip():
                yield TaughtSection(section, (), EMPTY)
            elif wanting.get(section.location) is section:
                questions = tuple(self._new(section, one) for one in written.get(section.location, ()))
                missing = None if questions else problems.get(section.location, "it was not asked about")
                yield TaughtSection(section, questions, missing)
            else:
                yield TaughtSection(section, ())

    async def _outcome(self, texts: Sequence[Section], per_section: int) -> ScoredRun[SectionItem]:
        async with sections_as_courses(self.services, texts, lambda done, total: None) as (aside, courses, _):
            chosen = {"pipeline": "edison", "model": self.model}
            configuration = aside.answering.configuration(next(iter(courses.values())), chosen)
            wanted = TeacherRequest(per_section, language=self.language)
            teacher = ModelTeacher(
                configuration, wanted, aside.assistant, courses, self.services.embeddings.builtin_model
            )
            readable = [one for one in texts if one.path in courses]
            runner = replace(self.services.runner(), llm=aside.models)
            return await teach_by_model(runner, teacher, readable, self.limits, self.progress)

    def _new(self, section: CourseSection, question: WrittenQuestion) -> NewQuestion:
        passage = section.passage_with(question.quote) or section.passages[0]
        return NewQuestion(
            document=section.document,
            heading_path=section.heading_path,
            block_id=passage.block_id,
            quote=question.quote,
            kind=question.skill.value,
            made_by=self.model,
            question=question.question,
            answer=question.answer,
        )
