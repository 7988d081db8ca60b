"""`calls:PATH`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from core.errors import InvalidInput, UnknownName
from core.llm.base import LLM
from eval.actors.files import FileActor
from eval.datasets.jsonl import JsonLine, read_unique
from eval.datasets.questions import FUNCTIONS, KIND, LabelledQuestion


class CallsFile(FileActor[LabelledQuestion]):
    """Function calls by people or another program: one JSON object per line, with `id` and `functions`."""

    kind: ClassVar[str] = "calls"
    evaluation: ClassVar[str] = KIND

    @classmethod
    def read(cls, path: Path) -> Mapping[str, list[str]]:
        return {name: _functions(row) for name, row in read_unique(path, "functions").items()}

    async def act(self, item: LabelledQuestion, seed: int, llm: LLM) -> list[str]:
        return self.file.output(item.id)


def _functions(row: JsonLine) -> list[str]:
    functions = row.content["functions"]
    if not isinstance(functions, list) or not all(isinstance(one, str) for one in functions):
        raise InvalidInput(f"{row.location}: functions: expected a list of names, such as {list(FUNCTIONS[:1])}.")
    for name in functions:
        if name not in FUNCTIONS:
            raise InvalidInput(f"{row.location}: {UnknownName('function', name, FUNCTIONS)}")
    return sorted(set(functions))
