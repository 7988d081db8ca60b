"""Adds labelled answers to the files of a course."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.errors import InvalidInput
from core.files import write_atomically
from core.types import Question
from core.validation import problems_in
from eval.datasets.answers import AnswerLabel, LabelledAnswer, answer_questions, read_answer_labels
from eval.datasets.questions import LABELS, QUESTIONS

_OWN_ID = re.compile(r"a(\d+)")
DIGITS = 3


def new_label(fields: dict[str, Any]) -> AnswerLabel:
    """The label with these fields. Raises `InvalidInput` naming what does not fit."""
    try:
        return AnswerLabel.model_validate(fields)
    except ValidationError as error:
        raise InvalidInput(f"The label is not valid: {problems_in(error)}.") from error


def append_message(folder: Path, question: Question, split: str, fields: dict[str, Any]) -> LabelledAnswer:
    """Add a message with its label to the folder of labelled answers, under the next free id.

    Each file is replaced as a whole; concurrent additions wait for each other. Raises `InvalidInput` if the label is
    not valid, if the message is labelled already, or if the existing files are not valid.
    """
    with _locked(folder):
        existing = _existing(folder)
        if twice := [one.id for one in existing if one.question == question]:
            raise InvalidInput(f"The message is labelled already, as {twice[0]}. Edit {folder / LABELS} instead.")
        label = new_label({**fields, "id": _next_id(answer_questions(folder))})
        asked = question.model_dump(mode="json", exclude_defaults=True)
        _append(folder / QUESTIONS, {"id": label.id, "split": split, "question": {"title": "", **asked}})
        _append(folder / LABELS, label.model_dump(mode="json"))
    return LabelledAnswer(**label.model_dump(), split=split, question=question)


def append_label(folder: Path, name: str, fields: dict[str, Any]) -> LabelledAnswer:
    """Add the label of a question that stands in a file already.

    Raises `InvalidInput` as `append_message` does, and if there is no such question or it has a label.
    """
    with _locked(folder):
        if name in {one.id for one in _existing(folder)}:
            raise InvalidInput(f"The question {name!r} has a label already. Edit {folder / LABELS} instead.")
        questions = answer_questions(folder)
        if name not in questions:
            raise InvalidInput(f"There is no question {name!r} in the files of {folder.parent}.")
        label = new_label({**fields, "id": name})
        _append(folder / LABELS, label.model_dump(mode="json"))
    return next(one for one in read_answer_labels(folder) if one.id == name)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Locks the folder itself, which leaves no file behind."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _existing(folder: Path) -> list[LabelledAnswer]:
    return read_answer_labels(folder) if (folder / LABELS).is_file() else []


def _next_id(ids: Iterable[str]) -> str:
    numbers = [int(match[1]) for one in ids if (match := _OWN_ID.fullmatch(one))]
    return f"a{max(numbers, default=0) + 1:0{DIGITS}}"


def _append(path: Path, row: dict[str, Any]) -> None:
    """Add one line, replacing the file as a whole."""
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    separator = "" if not before or before.endswith("\n") else "\n"
    line = json.dumps(row, ensure_ascii=False)
    write_atomically(path, f"{before}{separator}{line}\n".encode(), private=False)
