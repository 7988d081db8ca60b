"""Prepares the data of evaluations: the labels of a course, or a data set ingested as a separate course."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.schemas import AnswerParameters
from app.wiring import Services
from core.course import Course
from core.dataset import Dataset, I
from core.errors import InvalidInput, SetupError
from core.types import Audience, Source
from eval.datasets.answers import LabelledAnswer, labelled_answers, labelled_locations
from eval.datasets.corpus import Corpus, corpus_locations, folder_digest, read_dataset, write_markdown
from eval.datasets.queries import judged_locations
from eval.datasets.questions import LabelledQuestion, labelled_questions
from eval.setups.conditions import conditions
from eval.setups.product import ALL, ProductSetup, product_setup
from eval.setups.retrieval import RetrievalSetup, course_setup
from ingestion.files import Discovery, discover
from ingestion.ingest import Ingestion
from ingestion.run_report import IngestionReport
from pipelines.configuration import Configuration
from retrievers.locations import demand_locations
from retrievers.tasks import RETRIEVAL_TASKS

DATASET_COURSE = "dataset"
"""Id of the course as which a data set is ingested, in a separate database."""

Ingest = Callable[[Ingestion, Course, Source, Discovery, bool], Awaitable[IngestionReport]]
"""Runs an ingestion; the last argument says whether documents without a file are removed."""


@dataclass(frozen=True)
class Prepared:
    """The data of an evaluation, and the services with its material."""

    services: Services
    setup: RetrievalSetup


@asynccontextmanager
async def prepared(
    services: Services,
    dataset: Path | None,
    course: str | None,
    ingest: Ingest,
    audience: Audience = Audience.STUDENTS,
) -> AsyncIterator[Prepared]:
    """The queries of the course, or of the data set, ingested if need be; searched as `audience` may.

    Raises `InvalidInput` unless exactly one is named, and for locations that the material lacks.
    """
    if (dataset is None) == (course is None):
        raise InvalidInput("Name either a data set (--dataset DIR) or a course (--course ID).")
    if course is not None:
        setup = await labelled_course(services, course, audience)
        await demand_locations(services.indexes, course, judged_locations(setup.dataset.items))
        yield Prepared(services, setup)
    elif dataset is not None:
        corpus, digest = read_dataset(dataset), folder_digest(dataset)
        async with services.aside(f"{corpus.name}-{digest}") as aside:
            await _ingest(aside, corpus, ingest)
            yield Prepared(aside, await _dataset_setup(aside, corpus, digest))


async def labelled_course(services: Services, course: str, audience: Audience = Audience.STUDENTS) -> RetrievalSetup:
    """The course's own queries; does not check that the material has their labelled locations."""
    embedding = await _embedding_of(services, course)
    return await course_setup(services.store, services.indexes, embedding, services.models.default, course, audience)


async def labelled_questions_of(services: Services, course_id: str, split: str) -> ProductSetup[LabelledQuestion]:
    """The data of an evaluation of function selection. Raises `InvalidInput` if there are no such questions."""
    questions = await labelled_questions(services.store, course_id, _split_or_all(split))
    return await _product(services, course_id, split, questions)


async def labelled_answers_of(services: Services, course_id: str, split: str) -> ProductSetup[LabelledAnswer]:
    """The data of an answers evaluation. Raises `InvalidInput` for none, or for locations the material lacks."""
    messages = await labelled_answers(services.store, course_id, _split_or_all(split))
    await demand_locations(services.indexes, course_id, labelled_locations(messages))
    return await _product(services, course_id, split, messages)


async def unlabelled(services: Services, course_id: str) -> ProductSetup[LabelledAnswer]:
    """The product that answers questions of a course whose labels are not stored. Raises `UnknownName`."""
    return await _product(services, course_id, ALL, ())


def _split_or_all(split: str) -> str | None:
    return None if split == ALL else split


async def _product(services: Services, course_id: str, split: str, items: Sequence[I]) -> ProductSetup[I]:
    course = await services.answering.course(course_id)

    def resolve(choices: Mapping[str, Any]) -> Configuration:
        return services.answering.configuration(course, AnswerParameters.model_validate(choices).choices)

    embedding = await _embedding_of(services, course.id)
    return await product_setup(services.store, services.assistant, embedding, course, resolve, split, items)


async def _dataset_setup(services: Services, corpus: Corpus, digest: str) -> RetrievalSetup:
    embedding_model, model = await _embedding_of(services, DATASET_COURSE), services.models.default
    facts = await conditions(services.store, DATASET_COURSE, embedding_model, model, RETRIEVAL_TASKS)
    dataset = Dataset(corpus.name, corpus.queries, digest)
    return RetrievalSetup(dataset, services.indexes, DATASET_COURSE, corpus_locations(corpus), facts, None)


async def _embedding_of(services: Services, course: str) -> str:
    stored = (await services.store.courses.get(course)).embedding
    return (stored or await services.embeddings.configured.embedding()).id


async def _ingest(services: Services, corpus: Corpus, ingest: Ingest) -> None:
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
