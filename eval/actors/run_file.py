"""`run:PATH`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from core.llm.base import LLM
from eval.actors.base import ActorKind
from eval.actors.files import OutputFile, digest_of
from eval.datasets.queries import KIND, MAX_RANK, Query
from eval.datasets.runs import in_run, read_run
from eval.setups.retrieval import RetrievalSetup


@dataclass(frozen=True)
class RunFile(ActorKind[Query]):
    """Rankings of another program, in a TREC run file."""

    kind: ClassVar[str] = "run"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "PATH"
    timed: ClassVar[bool] = False

    name: str
    file: OutputFile[list[str]]

    @property
    def identity(self) -> str:
        return self.file.digest

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(self.file.remarks())

    @classmethod
    def made(cls, spec: str, setup: RetrievalSetup) -> Self:
        path = Path(spec)
        items = frozenset(setup.dataset.by_id)
        return cls(f"{cls.kind}:{path.name}", OutputFile(path, read_run(path), items, digest_of(path)))

    async def act(self, item: Query, seed: int, llm: LLM) -> list[str]:
        # Run files have no spaces within a column; labels may.
        spelt = {in_run(location): location for location in item.relevant}
        return [spelt.get(location, location) for location in self.file.output(item.id)[:MAX_RANK]]
