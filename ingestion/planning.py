"""Plans an ingestion and estimates its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.concurrency import in_thread
from core.course import Course
from core.errors import DataDocument, EduModError
from core.llm.metered import cost_of, with_free
from core.settings import ModelPrice
from core.store.tables import DocumentRow
from core.types import Source, Usage
from ingestion.audience.decision import FileAudience
from ingestion.audience.settling import StoredAudiences
from ingestion.embedding import chunk_sizes
from ingestion.file_reader import FileReader
from ingestion.files import Discovery, SourceFile
from ingestion.parsing.sizes import CourseSize
from ingestion.reembedding import Reembedding
from ingestion.run_report import Action, IngestionPlan, PlannedFile

CHARS_PER_TOKEN = 4
REPLY_TOKENS = 90


@dataclass(frozen=True)
class Planner:
    """Plans ingestions. `texts_per_second` are those that the embedding model processes."""

    reading: FileReader
    reembedding: Reembedding
    prices: Mapping[str, ModelPrice]
    texts_per_second: float

    async def plan(
        self, course: Course, source: Source, discovery: Discovery, *, parse: bool, prune: bool = False
    ) -> IngestionPlan:
        """Compare files with what is stored; with `parse`, read new ones to estimate the work."""
        stored = {row.name: row for row in await self.reading.store.material.documents(course.id, source)}
        size = await self.reading.size(course, source, discovery, stored, prune)
        audiences = StoredAudiences(self.reading.store.material, course, source, discovery.files)
        files = [
            await self._plan_file(course, source, file, stored.get(file.name), size, audiences if parse else None)
            for file in discovery.files
        ]
        if parse:
            who = await audiences.expect()
            files = [_for_whom(file, who[file.name]) for file in files]
        files += [PlannedFile(name=s.name, action=Action.SKIPPED, reason=s.reason) for s in discovery.skipped]
        files += [PlannedFile(name=row.name, action=Action.VANISHED) for row in discovery.vanished(stored)]
        reembedding = await self.reembedding.plan(course.id)
        calls = sum(file.model_calls for file in files)
        tokens = sum(file.prompt_tokens for file in files)
        written = calls * REPLY_TOKENS
        return IngestionPlan(
            course=course.id,
            source=source,
            model=self.reading.builder.llm.model,
            files=tuple(files),
            reembedding=reembedding,
            model_calls=calls,
            prompt_tokens=tokens,
            completion_tokens=written,
            cost_usd=cost_of(
                Usage(prompt_tokens=tokens, completion_tokens=written),
                with_free(self.prices).get(self.reading.builder.llm.model),
            ),
            bytes=sum(file.bytes for file in files if file.action in (Action.NEW, Action.CHANGED) and not file.reason),
            embeddings=sum(file.embeddings for file in files),
            seconds=round(sum(file.seconds for file in files), 1),
        )

    async def _plan_file(
        self,
        course: Course,
        source: Source,
        file: SourceFile,
        stored: DocumentRow | None,
        size: CourseSize,
        audiences: StoredAudiences | None,
    ) -> PlannedFile:
        row = self.reading.row(course, source, file)
        rebuilt = stored is not None and stored.sha256 == row.sha256 and stored.build != row.build
        action = self.reading.action(course, file, stored, row)
        planned = PlannedFile(name=file.name, action=action, rebuilt=rebuilt, bytes=file.size)
        if planned.action is Action.UNCHANGED or audiences is None:
            return planned
        try:
            document = await self.reading.load(course, file)
            size.replace(row.id, file.name, len(document.text))
            sizes = await chunk_sizes(self.reading.builder.encoder)
            estimate = await in_thread(self.reading.builder.estimate, file.name, source, document, sizes)
            row.pages = document.pages
            await audiences.put(row, estimate.blocks)
        except DataDocument as error:
            return planned.model_copy(update={"action": Action.SKIPPED, "reason": str(error)})
        except EduModError as error:
            return planned.model_copy(update={"reason": str(error)})
        return planned.model_copy(
            update={
                "pages": document.pages,
                "chars": len(document.text),
                "model_calls": estimate.model_calls,
                "prompt_tokens": estimate.prompt_chars // CHARS_PER_TOKEN,
                "embeddings": estimate.chunks,
                "seconds": round(estimate.chunks / self.texts_per_second, 1),
            }
        )


def _for_whom(file: PlannedFile, audience: FileAudience) -> PlannedFile:
    return file.model_copy(update={"visibility": audience.visibility, "audience": audience.sentence(file.name)})
