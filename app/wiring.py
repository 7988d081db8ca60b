"""Builds all services: `Settings` in, `Services` out. API, CLI, benchmarks and tests start here."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, Any

from app.answering import Answering
from app.sweeper import Sweeper
from core.concurrency import in_thread
from core.errors import ModelUnavailable, StorageUnavailable, public_reason
from core.llm.base import LLM
from core.llm.breaker import Breaker
from core.llm.cached import Cached
from core.llm.metered import Metered
from core.llm.offline import OfflineLLM, Rule
from core.llm.openai import OpenAILLM
from core.llm.task import Task
from core.private_files import make_home_private
from core.settings import Settings
from core.store.store import Store
from core.telemetry import ANY_ENDPOINT, NAME, Telemetry, exporting
from core.types import Source
from eval.runner import Runner
from ingestion.offline import detect_headers, extract_summary
from ingestion.tasks import DetectHeaders, Summarize
from pipelines.assistant import Assistant
from pipelines.images.reading import ImageReader
from pipelines.offline.extraction import write_answer
from pipelines.offline.router import CourseAffinities, Router, shipped_weights
from pipelines.offline.rules import Choosing, fill, read_image, review_draft
from pipelines.running.limits import Limits
from pipelines.tasks import ChooseFunctions, FillArguments, ReadImage, ReviewDraft, SelectFunctions, WriteAnswer
from retrievers import RETRIEVERS
from retrievers.affinity import Affinities
from retrievers.embedding.minilm import TEXTS_PER_SECOND, Embedder, MiniLM
from retrievers.index.course_index import Indexes
from retrievers.offline import relevance, score_items
from retrievers.tasks import IsRelevant, PickSections, ScoreParts

if TYPE_CHECKING:
    from ingestion.ingest import Ingestion

log = logging.getLogger("edumod")

IMPORTED_LATER = ("jsonschema", "jinja2", "markdown_it")
"""Libraries imported in the background, so that neither the start nor the first answer or page waits for them."""
GC_THRESHOLDS = (5_000, 5)
"""New objects, and such rounds, after which the younger generations are searched for garbage. Under load most of them
are of answers under way: each round takes a microsecond an object, in which nobody else is served."""


def offline_rules(courses: CourseAffinities) -> dict[type[Task[Any]], Rule]:
    """Every task with its offline rule. `courses` gives the router access to the courses' material."""
    choosing = Choosing(Router(courses, shipped_weights()))
    return {
        DetectHeaders: detect_headers,
        Summarize: extract_summary,
        ReadImage: read_image,
        ChooseFunctions: choosing.choose,
        SelectFunctions: choosing.select,
        FillArguments: fill,
        WriteAnswer: write_answer,
        ReviewDraft: review_draft,
        PickSections: score_items,
        ScoreParts: score_items,
        IsRelevant: relevance,
    }


@dataclass
class Services:
    """Everything one process needs, built once."""

    settings: Settings
    store: Store
    llm: LLM
    embedder: Embedder
    indexes: Indexes
    assistant: Assistant
    answering: Answering
    sweeper: Sweeper
    telemetry: Telemetry
    breaker: Breaker
    _warming: asyncio.Task[None] | None = field(default=None, repr=False)

    @asynccontextmanager
    async def ingestion(self) -> AsyncIterator[Ingestion]:
        """An ingestion with its parser processes, which end with the context."""
        # Imported here, since answering does not need it.
        from ingestion.build import Builder
        from ingestion.ingest import Ingestion
        from ingestion.parsing.sandbox import ParserPool
        from ingestion.parsing.sizes import SizeLimits
        from ingestion.questions.detection import HeaderDetector, ModelDetector, RuleDetector

        llm = Metered(self.llm, self.settings.llm_prices)
        detector: HeaderDetector = RuleDetector() if self.settings.offline else ModelDetector(llm)
        settings = self.settings
        limits = SizeLimits(
            settings.max_file_mb,
            settings.max_document_chars,
            settings.max_course_chars,
            settings.max_document_blocks,
        )
        async with ParserPool(
            settings.parse_seconds, settings.parse_memory_mb, max_chars=limits.document_chars
        ) as pool:
            builder = Builder(llm, detector, self.embedder, limits.document_blocks)
            speed = TEXTS_PER_SECOND * (settings.embedding_threads or 1)
            yield Ingestion(self.store, builder, pool, settings.llm_prices, limits, speed)

    def runner(self) -> Runner:
        """The runner that measures actors with this process's model and stores the results."""
        return Runner(self.store.evaluations, self.llm, self.settings.llm_prices)

    @asynccontextmanager
    async def aside(self, name: str) -> AsyncIterator[Services]:
        """Services with the same models on a separate database, in `datasets/NAME` of the home folder."""
        home = self.settings.home / "datasets" / name
        settings = self.settings.model_copy(update={"home": home, "database_url": None})
        built = await build_services(settings, llm=self.llm, embedder=self.embedder, telemetry=self.telemetry)
        try:
            yield built
        finally:
            await built.store.aclose()

    def warm_up(self) -> None:
        """Load the heavy parts in the background, so that the first question need not wait for them."""
        self._warming = asyncio.create_task(self._warm_up())

    async def _warm_up(self) -> None:
        await in_thread(self.embedder.embed, ["warm-up"])
        await in_thread(RETRIEVERS[0].load)
        for library in IMPORTED_LATER:
            await in_thread(import_module, library)
        for course in await self.store.courses.all():
            try:
                for source in Source:
                    await self.indexes.get(course.id, source)
            except Exception:
                # A course that cannot be loaded must not affect others; questions about it report the error.
                log.exception("The indexes of course %s cannot be loaded", course.id)
        # Loaded objects are never freed; collecting garbage among them repeatedly would delay answers.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)

    async def readiness(self) -> dict[str, str]:
        """For each part `ok`, or what is wrong, without details of the installation.

        The model counts as ready as soon as the next question may probe its endpoint.
        """
        checks = {"database": "ok", "embedding": "ok", "model": "ok"}
        try:
            await self.store.courses.all()
            if outage := await self.sweeper.outage():
                checks["database"] = f"cannot be written ({outage})"
        except StorageUnavailable as problem:
            checks["database"] = f"cannot be read ({problem.reason})"
        except Exception as problem:
            log.error("The database cannot be used: %s", problem)
            checks["database"] = "The database cannot be used; the log says why."
        if self._warming and not self._warming.done():
            checks["embedding"] = "loading"
        elif self._warming and (error := self._warming.exception()):
            log.error("The embedding model cannot be loaded: %s", error)
            checks["embedding"] = public_reason(error)
        if self.breaker.state == "open":
            checks["model"] = f"{ModelUnavailable.sentence} ({ceil(self.breaker.seconds_left)} seconds left)"
        return checks

    async def aclose(self) -> None:
        try:
            if self._warming:
                self._warming.cancel()
                await asyncio.gather(self._warming, return_exceptions=True)
            await self.sweeper.aclose()
            await self.llm.aclose()
        finally:
            await self.store.aclose()
            await in_thread(self.telemetry.close)


def build_llm(settings: Settings, indexes: Indexes, breaker: Breaker | None = None) -> LLM:
    """The model backend: the configured endpoint with its cache, or offline."""
    return build_offline(indexes) if settings.offline else build_endpoint(settings, breaker)


def build_offline(indexes: Indexes) -> LLM:
    """The offline backend, which also replaces an endpoint that fails."""
    return OfflineLLM(offline_rules(Affinities(indexes)))


def build_endpoint(settings: Settings, breaker: Breaker | None = None) -> LLM:
    """The configured endpoint, with its cache. Raises `SetupError` if none is configured."""
    llm = OpenAILLM(
        base_url=settings.llm_base_url or "",
        api_key=settings.llm_api_key.get_secret_value(),
        model=settings.llm_model,
        deadline_seconds=settings.llm_deadline_seconds,
        max_retries=settings.llm_max_retries,
        concurrency=settings.llm_concurrency,
        max_reply_bytes=settings.llm_max_reply_bytes,
        breaker=breaker,
    )
    return Cached(llm, settings.home / "cache" / "llm") if settings.llm_cache else llm


def build_telemetry(settings: Settings) -> Telemetry:
    """Where spans go. Raises `SetupError` if they are to be exported but the extra `otel` is not installed."""
    model_provider = NAME if settings.offline else ANY_ENDPOINT
    if settings.otel:
        return exporting(content=settings.otel_content, model_provider=model_provider)
    return Telemetry(content=settings.otel_content, model_provider=model_provider)


async def build_services(
    settings: Settings,
    *,
    llm: LLM | None = None,
    embedder: Embedder | None = None,
    telemetry: Telemetry | None = None,
    patient: bool = False,
) -> Services:
    """Build everything. `llm`, `embedder` and `telemetry` replace the configured ones, for example in tests.

    `patient` services wait while the circuit breaker is open, see `Breaker`.
    """
    telemetry = telemetry or build_telemetry(settings)
    await in_thread(make_home_private, settings.home)
    store = await Store.open(settings.url, settings.database_busy_seconds)
    embedder = embedder or MiniLM(settings.home / "models", settings.embedding_threads or 1)
    indexes = Indexes(store, embedder, settings.home / "index")
    breaker = Breaker(patient=patient)
    llm = llm or build_llm(settings, indexes, breaker)
    limits = Limits(deadline_seconds=settings.deadline_seconds, prompt_chars=settings.prompt_chars)
    reader = ImageReader(settings.llm_vision, settings.max_image_pixels, settings.ocr_seconds)
    assistant = Assistant(llm, indexes, settings.llm_prices, limits, telemetry, reader, build_offline(indexes))
    answering = Answering(store, assistant, settings)
    return Services(
        settings=settings,
        store=store,
        llm=llm,
        embedder=embedder,
        indexes=indexes,
        assistant=assistant,
        answering=answering,
        sweeper=Sweeper(store, answering, answers_again=settings.interrupted == "retry"),
        telemetry=telemetry,
        breaker=breaker,
    )


@asynccontextmanager
async def services(settings: Settings) -> AsyncIterator[Services]:
    """Services for the duration of a command."""
    built = await build_services(settings, patient=True)
    built.sweeper.accompany()
    try:
        yield built
    finally:
        await built.aclose()
