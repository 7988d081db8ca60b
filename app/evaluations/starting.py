"""Evaluations that are started in the browser, and done as jobs."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field, ValidationError

from app.jobs.kind import JobQueue, Lane
from app.jobs.kinds import command_job
from core.access import Access, Permission
from core.errors import InvalidInput, UnknownName
from core.store.store import Store
from core.types import Value
from core.validation import problems_in
from eval.datasets.answers import KIND as ANSWERS
from eval.datasets.queries import KIND as RETRIEVAL
from eval.datasets.questions import KIND as FUNCTIONS
from eval.setups.product import ALL
from pipelines import PIPELINES
from retrievers import RETRIEVERS

MAX_DOLLARS = 1_000.0
LATEST_FAILURES = 3
PIPELINE_NAMES = tuple(pipeline.name for pipeline in PIPELINES)
RETRIEVER_NAMES = tuple(retriever.name for retriever in RETRIEVERS)


@dataclass(frozen=True)
class Startable:
    """A kind of evaluation that a form can start, and what is chosen for it. Its labels have the same name."""

    name: str
    title: str
    has_pipelines: bool
    has_retrievers: bool
    has_splits: bool


STARTABLE = {
    kind.name: kind
    for kind in (
        Startable(ANSWERS, "Answers: what a student would receive", True, True, True),
        Startable(FUNCTIONS, "Functions: which searches a pipeline calls", True, False, True),
        Startable(RETRIEVAL, "Retrieval: what the retrievers find", False, True, False),
    )
}


class StartForm(Value):
    """What a form asks for. Parameters that the kind does not have are ignored."""

    course: str
    kind: str
    pipelines: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    split: str = "test"
    dollars: float = Field(default=1.0, gt=0, le=MAX_DOLLARS, description="Model calls stop at so many US dollars.")


@dataclass(frozen=True)
class Pending:
    """Evaluations under way or waiting on this installation, and those within reach that could not be run."""

    jobs: int
    failures: Sequence[tuple[str, str]]


def read_start_form(values: Mapping[str, object]) -> StartForm:
    """Raises `InvalidInput`."""
    try:
        return StartForm.model_validate(values)
    except ValidationError as error:
        raise InvalidInput(f"The evaluation was not started: {problems_in(error)}.") from error


async def start(store: Store, jobs: JobQueue, form: StartForm) -> bool:
    """Adds the job; False where the same waits already.

    Raises `InvalidInput` for what cannot be measured in this course, and `UnknownName`.
    """
    _demand("kind of evaluation", form.kind, STARTABLE)
    kind = STARTABLE[form.kind]
    labels = await store.evaluations.labels(form.course, kind.name)
    if not labels:
        raise InvalidInput(
            f"The course {form.course} has no labels for {kind.name}. Its file names their folder under `labels`; "
            "`edumod label` helps to make them."
        )
    words = ["eval", kind.name, "--course", form.course]
    if kind.has_pipelines and form.pipelines:
        words += ["--pipeline", _names("pipeline", form.pipelines, PIPELINE_NAMES)]
    if kind.has_retrievers and form.retrievers:
        words += ["--retriever", _names("retriever", form.retrievers, RETRIEVER_NAMES)]
    if kind.has_splits:
        _demand("split", form.split, [ALL, *sorted({str(label.get("split")) for label in labels.values()})])
        words += ["--split", form.split]
    words += ["--max-cost", f"{form.dollars:g}"]
    digest = hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]
    return await jobs.add("command", command_job(words), f"{kind.name} {form.course} {digest}")


async def read_pending(store: Store, jobs: JobQueue, access: Access) -> Pending:
    """What waits, runs and failed."""
    lanes = [lane for lane in await jobs.lanes() if lane.lane is Lane.EVAL]
    failures = []
    for row in await store.failed_jobs.all():
        words: list[str] = row.arguments.get("words", []) if row.kind == "command" else []
        course = _course_in(words)
        if course and access.may(Permission.EVAL, course):
            failures.append((f"{words[1]} of {course}", row.error))
    return Pending(sum(lane.waiting + lane.running for lane in lanes), failures[:LATEST_FAILURES])


def _course_in(words: Sequence[str]) -> str | None:
    """The course that a command measures."""
    position = words.index("--course") + 1 if "--course" in words else len(words)
    return words[position] if position < len(words) else None


def _names(kind: str, names: Sequence[str], allowed: Collection[str]) -> str:
    for name in names:
        _demand(kind, name, allowed)
    return ",".join(dict.fromkeys(names))


def _demand(kind: str, name: str, allowed: Collection[str]) -> None:
    """Raises `UnknownName`."""
    if name not in allowed:
        raise UnknownName(kind, name, allowed)
