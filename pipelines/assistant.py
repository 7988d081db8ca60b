"""Assembles a run from a course's functions, a model, and the configuration of one request."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.course import Course
from core.errors import NoMaterial
from core.llm.base import LLM
from core.llm.metered import CallWatch, unwatched
from core.llm.models import Models
from core.telemetry import Telemetry
from core.types import Answer, Audience, FunctionCall, Passage, Question, Source, Usage
from core.work.pool import WorkPool
from homework.checker import HomeworkChecker
from homework.exercises import exercise_with_text, find_exercise, homework_task
from homework.task import HomeworkTask
from pipelines import answer_with
from pipelines.configuration import Configuration
from pipelines.images.reading import ImageReader, Pictures
from pipelines.run import Run
from pipelines.running.answer_limits import AnswerLimits
from pipelines.running.trace import NOTHING
from retrievers.embedding.queries import one_answer
from retrievers.functions import COURSE_FUNCTIONS, course_function, retrieve
from retrievers.index.indexes import Indexes
from safeguards import SecretsOfCourses
from student_code.inspector import CodeInspector

UNKNOWN_EXERCISE = (
    'The course has no exercise with the id "{exercise}". The question was answered without it; send its text instead.'
)


@dataclass(frozen=True)
class Assistant:
    """Answers questions with any pipeline, retriever and model; `watch_calls` is called for each task of a model."""

    models: Models
    indexes: Indexes
    limits: AnswerLimits = AnswerLimits()  # noqa: RUF009  (frozen)
    telemetry: Telemetry = Telemetry()  # noqa: RUF009  (frozen)
    reader: ImageReader = field(default_factory=ImageReader)
    secrets: SecretsOfCourses = field(default_factory=SecretsOfCourses)
    pool: WorkPool = field(default_factory=WorkPool)
    watch_calls: CallWatch = unwatched

    async def prepare(self, course_id: str) -> None:
        """Prepare what no answer in the course may repeat, so that its first question need not wait for it."""
        await self.secrets.get(course_id, self.indexes)

    async def start(
        self,
        course: Course,
        question: Question,
        configuration: Configuration,
        pictures: Pictures = Pictures(),  # noqa: B008  (frozen)
        *,
        audience: Audience = Audience.STUDENTS,
        llm: LLM | None = None,
        spent: Usage = NOTHING,
        closed_book: bool = False,
        today: str = "",
    ) -> Run:
        """A new run on one question with its images; no model was called and nothing was searched yet.

        A run for students holds no text for staff; only checks without a model know the solution of its exercise.
        `llm` replaces the models, as in an evaluation that meters them. `spent` is the usage of an earlier attempt,
        added to the run's. In a `closed_book` run every search finds nothing, to see what passages are worth. `today`
        is the date for a model that chooses functions; without it, equal questions have equal prompts.
        Raises `UnknownName` for a course that is not stored.
        """

        async def search(call: FunctionCall, llm: LLM) -> list[Passage]:
            if closed_book:
                return []
            function = course_function(call.name)
            passages = await retrieve(
                self.indexes,
                course.id,
                function.source,
                call.arguments["query"],
                retriever=configuration.retrievers[function.source],
                top_k=call.arguments.get("top_k", configuration.top_k),
                llm=llm,
                options=configuration.retriever_options,
                audience=audience,
                asked_at=question.asked_at,
            )
            if not passages and not (await self.indexes.get(course.id, function.source, audience)).passages:
                raise NoMaterial(f"This course has no {function.source} documents to search.")
            return passages

        homework = await self.exercise_task(course.id, question.exercise)
        model = self.models[configuration.model]
        run = Run(
            course=course,
            question=question,
            functions=tuple(function.spec for function in COURSE_FUNCTIONS),
            search=search,
            llm=llm or model,
            sampling=configuration.sampling,
            retrievers=_by_function(configuration),
            prices=self.models.prices,
            limits=self.limits.of_model(model.limits),
            watch_calls=self.watch_calls,
            images=pictures.files,
            reader=replace(self.reader, vision=model.vision, hide=pictures.hide),
            spent=spent,
            secrets=await self.secrets.get(course.id, self.indexes),
            homework=homework,
            audience=audience,
            checker=HomeworkChecker(self.pool),
            inspector=CodeInspector(self.pool),
            material=await self._material(course.id, audience),
            today=today,
        )
        if question.exercise and homework is None:
            run.notes.append(UNKNOWN_EXERCISE.format(exercise=question.exercise[:80]))
        return run

    async def _material(self, course_id: str, audience: Audience) -> str:
        """A line for each function with what its material is called, past questions aside."""
        lines = []
        for function in COURSE_FUNCTIONS:
            if function.source is not Source.QA:
                titles = (await self.indexes.get(course_id, function.source, audience)).titles
                lines.append(f"{function.name}: {titles}" if titles else "")
        return "\n".join(filter(None, lines))

    async def exercises(self, course_id: str) -> list[Passage]:
        """The questions of the course's assignments that students may read, in the order of the material.

        A section of its own counts as one, whether its heading was read as a question's or not.
        """
        index = await self.indexes.get(course_id, Source.ASSIGNMENT)
        return [passage for passage in index.passages if passage.label or set(passage.heading_path) - {passage.title}]

    async def find_exercise(self, course_id: str, assignment: str, question: str) -> Passage:
        """The passage of an assignment's question. Raises `UnknownName` with the questions that there are."""
        index = await self.indexes.get(course_id, Source.ASSIGNMENT)
        return find_exercise(index.passages, index.names, assignment, question)

    async def exercise_task(self, course_id: str, exercise: str | None) -> HomeworkTask | None:
        """The exercise with this id or text that students may read, or of this text alone; None for an unknown id."""
        if exercise is None:
            return None
        passages = (await self.indexes.get(course_id, Source.ASSIGNMENT)).passages
        by_id = next((passage for passage in passages if passage.block_id == exercise), None)
        if passage := by_id or exercise_with_text(passages, exercise):
            solved = (await self.indexes.get(course_id, Source.ASSIGNMENT, Audience.STAFF)).passages
            return homework_task(passage, passages, solved)
        is_text = len(exercise.split()) > 1
        return HomeworkTask(exercise) if is_text else None

    async def answer(self, run: Run, configuration: Configuration, draft_id: str | None = None) -> Answer:
        """Run the configured pipeline, in a span that names the draft. Raises typed errors."""
        answer: Answer | None = None
        with self.telemetry.run(
            run.question.text, course=run.course.id, pipeline=configuration.pipeline,
            retriever=configuration.retriever, sampling=configuration.sampling, draft_id=draft_id,
        ) as span:  # fmt: skip
            try:
                with one_answer():
                    answer = await answer_with(configuration.build_pipeline(), run)
            finally:
                span.end(run.usage, answer)
        return answer

    async def retrieve(
        self,
        course_id: str,
        source: Source | None,
        retriever: str,
        query: str,
        top_k: int,
        audience: Audience = Audience.STUDENTS,
    ) -> list[Passage]:
        """Search a course's material outside of a run, best passage first."""
        return await retrieve(
            self.indexes, course_id, source, query,
            retriever=retriever, top_k=top_k, llm=self.models, audience=audience,
        )  # fmt: skip


def _by_function(configuration: Configuration) -> dict[str, str]:
    return {function.name: configuration.retrievers[function.source] for function in COURSE_FUNCTIONS}
