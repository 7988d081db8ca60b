"""`run:PATH`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from core.llm.base import LLM
from eval.actors.files import FileActor
from eval.datasets.queries import KIND, MAX_RANK, Query
from eval.datasets.runs import in_run, read_run


class RunFile(FileActor[Query]):
    """Rankings of another program, in a TREC run file."""

    kind: ClassVar[str] = "run"
    evaluation: ClassVar[str] = KIND

    @classmethod
    def read(cls, path: Path) -> Mapping[str, list[str]]:
        return read_run(path)

    async def act(self, item: Query, seed: int, llm: LLM) -> list[str]:
        # Run files have no spaces within a column; labels may.
        spelt = {in_run(location): location for location in item.relevant}
        return [spelt.get(location, location) for location in self.file.output(item.id)[:MAX_RANK]]
