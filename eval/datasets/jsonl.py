"""JSON Lines files of data sets and labels: one object per line, identified by its `id`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.errors import InvalidInput
from core.validation import problems_in

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonLine:
    """An object and its line in the file, from 1. `id` is text, here as in the object."""

    path: Path
    line: int
    id: str
    content: dict[str, Any]

    @property
    def location(self) -> str:
        """File and line, for messages."""
        return f"{self.path} line {self.line}"


def read_rows(path: Path, *fields: str) -> Iterator[JsonLine]:
    """The rows in order; each has the given fields besides its id.

    Raises `InvalidInput` if the file does not exist, and naming a line that is not such an object.
    """
    wanted = " and ".join(("id", *fields))
    text = _read(path)
    if not text.strip():
        raise InvalidInput(f"{path} is empty. It needs one JSON object per line, with {wanted}.")
    # Not splitlines(): a JSON string may hold line separators other than the line feed.
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        try:
            content = json.loads(line)
            name = str(content["id"])
            if any(field not in content for field in fields):
                raise KeyError(fields)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InvalidInput(f"{path} line {number}: not a JSON object with {wanted}.") from error
        yield JsonLine(path, number, name, {**content, "id": name})


def read_unique(path: Path, *fields: str) -> dict[str, JsonLine]:
    """The rows of `read_rows` by id. Raises `InvalidInput` if two have the same id."""
    rows: dict[str, JsonLine] = {}
    for row in read_rows(path, *fields):
        if (first := rows.setdefault(row.id, row)) is not row:
            raise InvalidInput(f"{row.location}: the id {row.id!r} is also on line {first.line}. Remove one.")
    return rows


def validated(row: JsonLine, model: type[M]) -> M:
    """The row as that model. Raises `InvalidInput` naming its file and line."""
    try:
        return model.model_validate(row.content)
    except ValidationError as error:
        raise InvalidInput(f"{row.location}: {problems_in(error, 1)}.") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no {path}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
