"""What evaluations run on, made from services: labels of a course, or a data set ingested as a course of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.schemas import AnswerParameters
from app.wiring import Services
from core.course import Course
from core.errors import InvalidInput, SetupError
from core.types import Source
from eval.datasets.corpus import Corpus, corpus_locations, folder_digest, read_dataset, write_markdown
from eval.datasets.dataset import Dataset
from eval.datasets.queries import demand_locations
from eval.setups.conditions import conditions
from eval.setups.functions import FunctionsSetup, functions_setup
from eval.setups.retrieval import RetrievalSetup, course_setup
from ingestion.files import Discovery, discover
from ingestion.ingest import Ingestion
from ingestion.report import IngestionReport
from pipelines.configuration import Configuration
from retrievers.tasks import RETRIEVAL_TASKS

DATASET_COURSE = "dataset"
"""Id of the course that a data set is ingested as, in a database of its own."""

Ingest = Callable[[Ingestion, Course, Source, Discovery, bool], Awaitable[IngestionReport]]
"""Runs an ingestion; the last argument says whether documents without a file are removed."""


@dataclass(frozen=True)
class Prepared:
    """What an evaluation runs on, and the services that hold its material."""

    services: Services
    setup: RetrievalSetup


@asynccontextmanager
async def prepared(
    services: Services, dataset: Path | None, course: str | None, ingest: Ingest
) -> AsyncIterator[Prepared]:
    """The course's own queries, or the data set's, ingested where that was not done.

    Raises `InvalidInput` unless exactly one is named, and where labels name what the material lacks.
    """
    if (dataset is None) == (course is None):
        raise InvalidInput("Name either a data set (--dataset DIR) or a course (--course ID).")
    if course is not None:
        setup = await labelled_course(services, course)
        await demand_locations(services.indexes, course, setup.dataset.items)
        yield Prepared(services, setup)
    elif dataset is not None:
        corpus, digest = read_dataset(dataset), folder_digest(dataset)
        async with services.aside(f"{corpus.name}-{digest}") as aside:
            await _ingest(aside, corpus, ingest)
            yield Prepared(aside, await _dataset_setup(aside, corpus, digest))


async def labelled_course(services: Services, course: str) -> RetrievalSetup:
    """The course's own queries, whether or not its material has all that they are labelled with."""
    return await course_setup(services.store, services.indexes, services.embedder.model, services.llm.model, course)


async def labelled_questions_of(services: Services, course_id: str, split: str) -> FunctionsSetup:
    """What an evaluation of function selection runs on. Raises `InvalidInput` where there are no such questions."""
    course = await services.answering.course(course_id)

    def resolve(choices: Mapping[str, Any]) -> Configuration:
        return services.answering.configuration(course, AnswerParameters.model_validate(choices))

    return await functions_setup(services.store, services.assistant, services.embedder.model, course, resolve, split)


async def _dataset_setup(services: Services, corpus: Corpus, digest: str) -> RetrievalSetup:
    embedding_model, model = services.embedder.model, services.llm.model
    facts = await conditions(services.store, DATASET_COURSE, embedding_model, model, RETRIEVAL_TASKS)
    dataset = Dataset(corpus.name, corpus.queries, digest)
    return RetrievalSetup(dataset, services.indexes, DATASET_COURSE, corpus_locations(corpus), facts, None)


async def _ingest(services: Services, corpus: Corpus, ingest: Ingest) -> None:
    """The corpus as a course of its own, through the loaders that every book goes through. Quick the second time."""
    book = services.settings.home / "book"
    write_markdown(corpus, book)
    course = Course(id=DATASET_COURSE, title=corpus.name)
    if await services.store.courses.find(course.id) is None:
        await services.store.courses.put(course.id, course.model_dump(mode="json"))
    async with services.ingestion() as ingestion:
        report = await ingest(ingestion, course, Source.TEXTBOOK, discover([book]), True)
    if not report.ok:
        failed = "; ".join(f"{file.name}: {file.reason}" for file in report.files if file.reason)
        raise SetupError(f"Parts of the data set could not be ingested, so nothing was measured. {failed}")
