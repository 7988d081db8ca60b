"""`answers:PATH[,PATH...]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import ValidationError

from core.errors import InvalidInput, NotFound
from core.llm.base import LLM
from core.types import Status
from core.validation import problems_in
from eval.actors.base import ActorKind
from eval.actors.files import OutputFile, digest_of
from eval.datasets.answers import KIND, LabelledAnswer
from eval.datasets.jsonl import JsonLine, read_unique
from eval.datasets.outputs import AnswerOutput, CitedPassage
from eval.setups.product import ProductSetup

COMMA = ","


@dataclass(frozen=True)
class AnswersFile(ActorKind[LabelledAnswer]):
    """Answers of people or of another program: one JSON object per line, with `id` and `answer`.

    A line may have `citations` (locations, the most important first), a `status`, and the `question` that was answered.
    Of several files, the best answer to each message counts, as the first judge scores them: the best available human
    (CS1 question-answering study).
    """

    kind: ClassVar[str] = "answers"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "PATH[,PATH...]"
    timed: ClassVar[bool] = False

    name: str
    files: tuple[OutputFile[AnswerOutput], ...]

    @property
    def identity(self) -> str:
        return " ".join(file.digest for file in self.files)

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(remark for file in self.files for remark in file.remarks())

    @classmethod
    def located(cls, spec: str, folder: Path) -> str:
        return COMMA.join(str(folder / path) for path in _paths(spec))

    @classmethod
    def made(cls, spec: str, setup: ProductSetup[LabelledAnswer]) -> Self:
        """Raises `InvalidInput` naming file and line of what cannot be used."""
        paths = _paths(spec)
        items = setup.dataset.by_id
        files = tuple(OutputFile(path, _read(path, items), frozenset(items), digest_of(path)) for path in paths)
        return cls(f"{cls.kind}:{COMMA.join(path.name for path in paths)}", files)

    async def act(self, item: LabelledAnswer, seed: int, llm: LLM) -> dict[str, Any]:
        found = [file.outputs[item.id] for file in self.files if item.id in file.outputs]
        if not found:
            raise NotFound(f"{COMMA.join(file.path.name for file in self.files)} has no answer to it.")
        answered = [one for one in found if one.is_answered]
        first, *others = answered or found
        alternatives = tuple(one.model_copy(update={"alternatives": ()}) for one in others if one.is_answered)
        return first.model_copy(update={"alternatives": alternatives}).model_dump(mode="json")


def _paths(spec: str) -> list[Path]:
    return [Path(part.strip()) for part in spec.split(COMMA) if part.strip()]


def _read(path: Path, items: Mapping[str, LabelledAnswer]) -> dict[str, AnswerOutput]:
    digest_of(path)
    rows = read_unique(path, "answer")
    if not rows.keys() & items.keys():
        first = next(iter(rows.values()))
        raise InvalidInput(
            f"{first.location}: neither {first.id!r} nor any other id is one of a message. Choose another split of the "
            "messages (--split), or correct the ids."
        )
    for row in rows.values():
        if row.id in items:
            _check_question(row, items[row.id])
    return {name: _output(row) for name, row in rows.items()}


def _check_question(row: JsonLine, item: LabelledAnswer) -> None:
    """Raises `InvalidInput` if the answer is to another wording of the message."""
    asked = row.content.get("question")
    wordings = (item.text, item.question.text, item.question.body)
    if asked is not None and str(asked).split() not in [text.split() for text in wordings]:
        raise InvalidInput(
            f"{row.location}: the answer {row.id!r} is to another wording of the question than the labels have: the "
            "message was edited since. Answer it again, or remove the line."
        )


def _output(row: JsonLine) -> AnswerOutput:
    answer = row.content["answer"]
    given = row.content.get("citations")
    try:
        return AnswerOutput(
            status=row.content.get("status", Status.ANSWERED if str(answer).strip() else Status.ABSTAINED),
            answer=answer,
            citations=None if given is None else tuple(CitedPassage(location=at, verified=True) for at in given),
        )
    except (ValidationError, TypeError) as error:
        what = problems_in(error) if isinstance(error, ValidationError) else "citations: not a list of locations"
        raise InvalidInput(f"{row.location}: the answer {row.id!r} is not valid: {what}.") from error
