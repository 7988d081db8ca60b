"""Builds all services: `Settings` in, `Services` out. API, CLI, benchmarks and tests start here."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from app.answering.draft_scoring import DraftScoring
from app.answering.service import Answering
from app.answering.sweeper import Sweeper
from app.edge.long_polls import LongPolls
from app.forums.desk import Admit, ServiceDesk
from app.forums.http import ForumTransport
from app.forums.worker import ForumWorker
from app.jobs.in_process import InProcessQueue
from app.jobs.kind import JobQueue
from app.jobs.shared import SharedQueue
from app.models.chat import ModelBuilder, log_missing_keys
from app.models.embeddings import AliasEndpoints, build_embeddings
from app.models.offline_backend import build_offline
from app.operation.measures import Measures
from app.operation.runs import Runs
from app.people.detectors import Detectors
from app.quizzes.making import QuizMaking
from app.readiness import Readiness, model_states
from app.review.checks import FinalChecks
from app.review.deciding import DraftReview
from app.review.learning import Learning
from app.review.questions import CourseQuestions
from app.rounds import Rounds
from app.warming import Warming
from app.web.pdf_pages import PdfPages
from app.webhooks.outbox_worker import OutboxWorker
from app.weekly_mail import add_weekly_mails, send_weekly_mail
from core.concurrency import in_thread
from core.errors import EduModError, SetupError, StorageUnavailable
from core.llm.base import LLM
from core.llm.metered import Metered
from core.llm.models import Models, NamedModel
from core.llm.offline import OFFLINE_MODEL
from core.memory import share_heaps
from core.private_files import make_home_private
from core.settings import Settings
from core.store.nearest import NearestChunks
from core.store.store import Store
from core.telemetry import Telemetry, exporting
from core.types import Usage
from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from eval.runner import Runner
from pipelines.assistant import Assistant
from pipelines.images.reading import ImageReader
from pipelines.running.answer_limits import AnswerLimits
from retrievers.embedding.base import Embedder
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.minilm import TEXTS_PER_SECOND
from retrievers.index.indexes import Indexes

if TYPE_CHECKING:
    from ingestion.ingest import Ingestion

log = logging.getLogger("edumod")

COUNTING_SECONDS = 10.0
"""How often the metrics of jobs are read."""
STORING_SECONDS = 5.0
"""How long the end of the service waits for interrupted drafts to be stored."""


@dataclass
class Services:
    """Everything one process needs, built once."""

    settings: Settings
    store: Store
    models: Models
    embeddings: Embeddings
    endpoints: AliasEndpoints
    indexes: Indexes
    assistant: Assistant
    answering: Answering
    review: DraftReview
    checks: FinalChecks
    learning: Learning
    questions: CourseQuestions
    outbox_worker: OutboxWorker
    forums: ForumWorker
    judging: DraftScoring
    quizzes: QuizMaking
    sweeper: Sweeper
    telemetry: Telemetry
    builder: ModelBuilder
    pool: WorkPool
    pages: PdfPages
    warming: Warming
    jobs: JobQueue = field(init=False)
    long_polls: LongPolls = field(default_factory=LongPolls)
    _retired: list[NamedModel] = field(default_factory=list, repr=False)
    _counting: Rounds | None = field(default=None, repr=False)

    @asynccontextmanager
    async def ingestion(self, *, by_rules: bool = False) -> AsyncIterator[Ingestion]:
        """An ingestion, whose files are parsed in the pool. `by_rules` calls no model."""
        # Imported here, since answering does not need it.
        from ingestion.build import Builder
        from ingestion.ingest import Ingestion
        from ingestion.parsing.parser import FileParser
        from ingestion.parsing.sizes import SizeLimits
        from ingestion.questions.detection import HeaderDetector, ModelDetector, RuleDetector

        llm = Metered(self.builder.offline if by_rules else self.models, self.models.prices)
        detector: HeaderDetector = RuleDetector() if by_rules or self.is_offline else ModelDetector(llm)
        settings = self.settings
        limits = SizeLimits(
            settings.max_file_mb,
            settings.max_document_chars,
            settings.max_course_chars,
            settings.max_document_blocks,
        )
        parser = FileParser(
            self.pool, WorkLimits(settings.parse_seconds, settings.parse_memory_mb), limits.document_chars
        )
        builder = Builder(llm, detector, self.embeddings.configured, limits.document_blocks)
        speed = TEXTS_PER_SECOND * (settings.embedding_threads or 1)
        yield Ingestion(self.store, builder, parser, self.models.prices, limits, speed, settings.home / "files")

    def runner(self) -> Runner:
        """The runner that measures actors with this process's models and stores the results."""
        return Runner(self.store.evaluations, self.models, self.models.prices)

    @asynccontextmanager
    async def aside(self, name: str) -> AsyncIterator[Services]:
        """Services with the same models on a separate database, in `datasets/NAME` of the home folder.

        The offline backend is built anew, since it looks words up in the material that it answers from.
        """
        home = self.settings.home / "datasets" / name
        settings = self.settings.model_copy(update={"home": home, "database_url": None})
        models = None if self.is_offline else self.models
        built = await build_services(
            settings, models=models, embeddings=self.embeddings, telemetry=self.telemetry, pool=self.pool
        )
        try:
            yield built
        finally:
            await built.store.aclose()

    def measure(self, measures: Measures) -> None:
        """From now on, tell `measures` what models, runs and drafts do."""

        def called(name: str, usage: Usage, outcome: str) -> None:
            found = self.models.find(name)
            measures.called(name, usage, outcome, found.breaker if found else None)

        self.assistant = replace(self.assistant, watch_calls=called)
        self.answering = replace(self.answering, assistant=self.assistant, runs=Runs(measures))
        self.sweeper.answering = self.judging.answering = self.answering
        self._counting = Rounds("Counting jobs", partial(self._count_jobs, measures), COUNTING_SECONDS)
        self._counting.start()

    async def _count_jobs(self, measures: Measures) -> bool:
        measures.jobs(await self.jobs.lanes(), await self.store.failed_jobs.count())
        return False

    async def add_weekly_mails(self) -> int:
        """See `app.weekly_mail`."""
        return await add_weekly_mails(self)

    async def send_weekly_mail(self, course_id: str, week: str, person_id: str) -> None:
        """See `app.weekly_mail`."""
        await send_weekly_mail(self, course_id, week, person_id)

    def start_background(self, admit: Admit) -> None:
        """Send messages, judge drafts and work on forums from now on, unless workers do.

        Questions of forums get their permits by `admit`.
        """
        if self.settings.background == "here":
            self.outbox_worker.start()
            self.judging.start()
            self.forums.start(admit)

    @property
    def is_offline(self) -> bool:
        """True if the default is the offline backend."""
        return self.models.model == OFFLINE_MODEL

    def reload_models(self) -> None:
        """Read the models file again. Requests in progress finish with the models they started with.

        An invalid file is logged and changes nothing.
        """
        try:
            models = self.builder.build(self.models)
            self.endpoints.reload()
        except EduModError as error:
            log.error("The models file is invalid, so the models were not reloaded. %s", error)
            return
        kept = {id(one) for one in models}
        self._retired += [one for one in self.models if id(one) not in kept]
        self.models = models
        self.assistant = replace(self.assistant, models=models)
        self.answering = replace(self.answering, assistant=self.assistant)
        self.sweeper.answering = self.judging.answering = self.answering
        log.info("Models reloaded: %s.", ", ".join(models.names))
        log_missing_keys(models)

    async def readiness(self) -> Readiness:
        """For each part `ok`, or what is wrong, without details of the installation.

        A model counts as ready as soon as the next question may probe its endpoint.
        """
        checks = {"database": "ok", "embedding": self.warming.state}
        try:
            await self.store.courses.all()
            if outage := await self.sweeper.outage():
                checks["database"] = f"cannot be written ({outage})"
        except StorageUnavailable as problem:
            checks["database"] = f"cannot be read ({problem.reason})"
        except Exception as problem:
            log.error("The database cannot be used: %s", problem)
            checks["database"] = "The database cannot be used; the log says why."
        return Readiness(checks, model_states(self.models))

    async def aclose(self) -> None:
        try:
            await self.warming.aclose()
            if self._counting:
                await self._counting.aclose()
            await self.jobs.aclose()
            await self.forums.aclose()
            await self.outbox_worker.aclose()
            await self.judging.aclose()
            await self.quizzes.aclose()
            await self.sweeper.aclose()
            with suppress(TimeoutError):
                # What was interrupted by the end of the service is stored with its trace.
                await asyncio.wait_for(self.answering.runs.ended(), STORING_SECONDS)
            await self.pool.aclose()
            await self.models.aclose()
            for one in self._retired:
                await one.aclose()
            await self.endpoints.aclose()
        finally:
            await self.store.aclose()
            await in_thread(self.telemetry.close)


async def nearest_of(store: Store, settings: Settings) -> NearestChunks | None:
    """What compares vectors in the database; None where that is done in memory. Raises `SetupError` if the database
    cannot and the settings say that it must."""
    if settings.vectors == "memory":
        return None
    problem = await store.nearest.prepare()
    if problem is None:
        return store.nearest
    if settings.vectors == "pgvector":
        raise SetupError(
            f"EDUMOD_VECTORS is pgvector, but {problem}. Use PostgreSQL with pgvector 0.8 or later, or set it to auto."
        )
    if store.database.url.get_backend_name() == "postgresql":
        log.warning("Vectors are compared in memory: %s. docs/deployment.md says what pgvector is good for.", problem)
    return None


def build_telemetry(settings: Settings) -> Telemetry:
    """Where spans go. Raises `SetupError` if they are to be exported but the extra `otel` is not installed."""
    return exporting(content=settings.otel_content) if settings.otel else Telemetry(content=settings.otel_content)


def build_pool(settings: Settings, *, is_command: bool) -> WorkPool:
    """The processes for files and texts of strangers; none is started yet. A command works for one person alone."""
    if is_command:
        return WorkPool(settings.work_processes or os.cpu_count(), shared=False)
    return WorkPool(settings.work_processes)


async def build_services(
    settings: Settings,
    *,
    llm: LLM | None = None,
    models: Models | None = None,
    embedder: Embedder | None = None,
    embeddings: Embeddings | None = None,
    telemetry: Telemetry | None = None,
    pool: WorkPool | None = None,
    patient: bool = False,
    forum_transport: ForumTransport | None = None,
) -> Services:
    """Build everything. `llm` or `models`, `embedder` (the built-in model) or `embeddings`, `telemetry` and `pool`
    replace the configured ones, as in tests.

    `forum_transport` stands for all forums, as in tests.

    `patient` services, those of a command, wait while the circuit breaker is open, see `Breaker`, and use all cores.
    """
    share_heaps()
    telemetry = telemetry or build_telemetry(settings)
    pool = pool or build_pool(settings, is_command=patient)
    endpoints = AliasEndpoints(settings, patient=patient)
    if embeddings is None:
        embeddings = await in_thread(build_embeddings, settings, endpoints, embedder)
    await in_thread(make_home_private, settings.home)
    store = await Store.of(settings)
    nearest = await nearest_of(store, settings)
    memory = settings.index_memory_mb * 2**20
    indexes = Indexes(store, embeddings, settings.home / "index", nearest=nearest, max_bytes=memory)
    builder = ModelBuilder(settings, build_offline(indexes), patient, processes=lambda: store.processes.living)
    if llm is not None:
        models = Models.of(llm, builder.offline, names=settings.llm_models, prices=settings.llm_prices)
    models = models or builder.build()
    limits = AnswerLimits(deadline_seconds=settings.deadline_seconds, prompt_chars=settings.prompt_chars)
    reader = ImageReader(pool, max_pixels=settings.max_image_pixels, ocr_seconds=settings.ocr_seconds)
    assistant = Assistant(models, indexes, limits, telemetry, reader, pool=pool)
    answering = Answering(store, assistant, settings, Detectors(store.rosters))
    learning = Learning(store, embeddings, answering.detectors)
    review = DraftReview(store)
    desk = ServiceDesk(lambda: built.answering, review, learning)
    is_offline = models.model == OFFLINE_MODEL
    built = Services(
        settings=settings,
        store=store,
        models=models,
        embeddings=embeddings,
        endpoints=endpoints,
        indexes=indexes,
        assistant=assistant,
        answering=answering,
        review=review,
        checks=FinalChecks(indexes, assistant.secrets, answering.detectors),
        learning=learning,
        questions=CourseQuestions(learning),
        outbox_worker=OutboxWorker(store, settings.webhook_hosts),
        forums=ForumWorker(store, settings, desk, partial(_forum_transport, settings, forum_transport)),
        judging=DraftScoring(answering),
        quizzes=QuizMaking(store, embeddings.builtin_model),
        sweeper=Sweeper(
            store, answering, answers_again=settings.interrupted == "retry", deletes=settings.background == "here"
        ),
        telemetry=telemetry,
        builder=builder,
        pool=pool,
        pages=PdfPages(pool),
        warming=Warming(store, [embeddings.configured, *([embeddings.builtin] if is_offline else [])], indexes),
    )
    is_shared = store.database.url.get_backend_name() == "postgresql"
    built.jobs = SharedQueue(built) if is_shared else InProcessQueue(built)
    return built


def _forum_transport(settings: Settings, given: ForumTransport | None) -> ForumTransport:
    from app.forums.transport import HttpTransport  # Few installations have forums, and aiohttp is large.

    return given or HttpTransport(settings.forum_hosts)


@asynccontextmanager
async def services(settings: Settings) -> AsyncIterator[Services]:
    """Services for the duration of a command."""
    built = await build_services(settings, patient=True)
    built.sweeper.accompany()
    try:
        yield built
    finally:
        await built.aclose()
