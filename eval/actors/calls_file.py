"""`calls:PATH`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from core.errors import InvalidInput, UnknownName
from core.llm.base import LLM
from eval.actors.base import ActorKind
from eval.actors.files import OutputFile, digest_of
from eval.datasets.jsonl import Row, read_unique
from eval.datasets.questions import FUNCTIONS, KIND, LabelledQuestion
from eval.setups.functions import FunctionsSetup


@dataclass(frozen=True)
class CallsFile(ActorKind[LabelledQuestion]):
    """Function calls of people or of another program: a JSON object a line, with `id` and `functions`."""

    kind: ClassVar[str] = "calls"
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
    def made(cls, spec: str, setup: FunctionsSetup) -> Self:
        path = Path(spec)
        digest = digest_of(path)
        calls = {name: _functions(row) for name, row in read_unique(path, "functions").items()}
        return cls(f"{cls.kind}:{path.name}", OutputFile(path, calls, frozenset(setup.dataset.by_id), digest))

    async def act(self, item: LabelledQuestion, seed: int, llm: LLM) -> list[str]:
        return self.file.output(item.id)


def _functions(row: Row) -> list[str]:
    functions = row.content["functions"]
    if not isinstance(functions, list) or not all(isinstance(one, str) for one in functions):
        raise InvalidInput(f"{row.location}: functions: expected a list of names, such as {list(FUNCTIONS[:1])}.")
    for name in functions:
        if name not in FUNCTIONS:
            raise InvalidInput(f"{row.location}: {UnknownName('function', name, FUNCTIONS)}")
    return sorted(set(functions))
