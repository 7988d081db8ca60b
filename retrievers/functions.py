"""The course functions a model may call (EduMod-LLM, section 3.1), one for each source.

Adding one: a member of `core.types.Source`, and an entry in `COURSE_FUNCTIONS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.concurrency import in_thread
from core.errors import UnknownName
from core.llm.base import LLM
from core.store.tables import now
from core.types import Audience, FunctionSpec, Passage, Source
from retrievers import RetrieverSpec, retriever_named
from retrievers.calendar.lookup import look_up
from retrievers.calendar.overruled import without_overruled
from retrievers.index.indexes import Indexes
from retrievers.options import DEFAULT_OPTIONS, RetrieverOptions
from retrievers.passages import to_passage

MAX_TOP_K = 20
MAX_QUERY_CHARS = 2_000

_QUERY: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_QUERY_CHARS,
}
_TOP_K: dict[str, Any] = {
    "type": "integer",
    "minimum": 1,
    "maximum": MAX_TOP_K,
    "description": "Leave it out if in doubt.",
}


async def retrieve(
    indexes: Indexes,
    course_id: str,
    source: Source | None,
    query: str,
    *,
    retriever: str | RetrieverSpec,
    top_k: int,
    llm: LLM | None,
    options: RetrieverOptions = DEFAULT_OPTIONS,
    audience: Audience = Audience.STUDENTS,
    asked_at: datetime | None = None,
) -> list[Passage]:
    """The best passages of a course, or of its documents of one kind, best first; empty where it has none of them.

    Among logistics, what the course's calendar says about a question asked at `asked_at` (now by default) comes first.
    Days that the course's staff overruled are left out.

    `retriever` is a name from `RETRIEVERS`, or where to find one of llama-index's own: see `RetrieverSpec`. Raises
    `UnknownName` for a course or retriever that does not exist, and whatever a model raises.
    """
    from retrievers.base import CourseRetriever

    spec = retriever_named(retriever) if isinstance(retriever, str) else retriever
    index = await indexes.get(course_id, source, audience)
    if not index.passages:
        return []
    facts = await _facts(indexes, course_id, query, audience, asked_at) if source is Source.LOGISTICS else []
    made = spec.load()(index, top_k=top_k, llm=llm, options=options)
    if isinstance(made, CourseRetriever):
        found = await made.search(query)
    else:
        found = [to_passage(node) for node in await made.aretrieve(query)]
    if await indexes.has_set_dates(course_id):
        calendar, _ = await indexes.calendar(course_id, audience)
        found = [without_overruled(passage, calendar) for passage in found]
    return _with_facts(found, facts)[:top_k] if facts else found


async def _facts(
    indexes: Indexes, course_id: str, query: str, audience: Audience, asked_at: datetime | None
) -> list[Passage]:
    """The passages that say what the calendar knows about the query, each with what it says, whatever its kind."""
    calendar, zone = await indexes.calendar(course_id, audience)
    today = (asked_at or now()).astimezone(zone).date()
    by_id: dict[str, Passage] = {}
    for found in await in_thread(look_up, calendar, query, today):
        known = by_id.get(found.passage.block_id, found.passage)
        by_id[known.block_id] = known.model_copy(update={"facts": (*known.facts, found.fact)})
    return list(by_id.values())


def _with_facts(found: Sequence[Passage], facts: Sequence[Passage]) -> list[Passage]:
    """The passages with facts first, as good as the best that was found."""
    best = max((passage.score for passage in found), default=1.0)
    known = {passage.block_id: passage for passage in found}
    first = [
        known.get(passage.block_id, passage).model_copy(update={"score": best, "facts": passage.facts})
        for passage in facts
    ]
    ids = {passage.block_id for passage in facts}
    return [*first, *(passage for passage in found if passage.block_id not in ids)]


@dataclass(frozen=True)
class CourseFunction:
    """A function over one kind of course material: how the model sees it, and what it searches."""

    spec: FunctionSpec
    source: Source
    resembles: Source | None = None
    """The source whose routing weights stand in offline until `edumod eval router` learns this function's own."""

    @property
    def name(self) -> str:
        return self.spec.name


def _function(
    source: Source, description: str, *, resembles: Source | None = None, **more: dict[str, Any]
) -> CourseFunction:
    properties = {"query": _QUERY, **more}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": ["query"],
        "additionalProperties": False,
    }
    spec = FunctionSpec(name=f"{source}_retrieval", description=description, parameters=parameters)
    return CourseFunction(spec, source, resembles)


COURSE_FUNCTIONS: tuple[CourseFunction, ...] = (
    _function(
        Source.QA,
        "Questions that students asked before, with the staff's answers. For error messages, tool and autograder "
        "trouble, and clarifications of an assignment that classmates are likely to have asked for.",
        top_k=_TOP_K,
    ),
    _function(
        Source.TEXTBOOK,
        "The textbook and course notes. For the meaning of a term, why something works, a method or a worked example, "
        "independent of any one assignment.",
    ),
    _function(
        Source.ASSIGNMENT,
        "Homework, labs, projects and worksheets. For questions about a particular task: what it asks, what its parts "
        "mean, whether an approach or result is right.",
    ),
    _function(
        Source.LOGISTICS,
        "How the course is run. For deadlines, late work, grading, exams, sections, office hours, rules on working "
        "together, and whom to contact.",
    ),
)


def course_function(name: str) -> CourseFunction:
    """Raises `UnknownName` naming the functions there are."""
    for function in COURSE_FUNCTIONS:
        if function.name == name:
            return function
    raise UnknownName("function", name, [function.name for function in COURSE_FUNCTIONS])
