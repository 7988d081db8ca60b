"""Asks through a door: the path of `POST /answer`, and what may be shown to whoever asked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from app.answering.question import asked_in, idempotency_key
from app.response import AnswerResponse
from app.schemas import AnswerParameters, AnswerRequest
from app.views import View
from app.wiring import Services
from core.access import Access, Permission
from core.course import Course
from core.review import Notice
from core.types import Citation, Status, Visibility, pinpoint

SOURCES = "Sources"


@dataclass(frozen=True)
class LinkedCitation:
    """A citation with its address; `start` and `end` are where the text first refers to it, in code points."""

    number: int
    title: str
    url: str
    start: int
    end: int
    citation: Citation


@dataclass(frozen=True)
class DoorAnswer:
    """An answer as whoever asked may read it, with a list of its sources behind the text."""

    text: str
    sources: tuple[LinkedCitation, ...]
    is_waiting: bool
    """Whether the draft is shown to nobody but those who decide."""
    url: str
    response: AnswerResponse


async def prepare_answer(
    services: Services,
    access: Access,
    request: AnswerRequest,
    parameters: AnswerParameters,
    base: str,
    key: str | None = None,
) -> Callable[[], Awaitable[DoorAnswer]]:
    """The work that answers, once what is wrong with the request has been raised.

    A key that may not read drafts gets what a person would: with `posting: review`, word that the draft waits. `base`
    is the service's own address, for links. Raises as `POST /answer`.
    """
    access.demand(Permission.ANSWER, request.course)
    asked = await asked_in(request, services.settings, access)
    own_key = await idempotency_key(key, request, parameters, access)
    # A program that posts into a forum may see drafts (decision 0058); what a door answers is read by who asks.
    reader = replace(access, key=None)
    view = await View.of(reader, request.course, services.store)
    work = view.work(partial(services.answering.answer, asked, parameters.choices, own_key))

    async def answer() -> DoorAnswer:
        return as_seen(await work(), view, base)

    return answer


def as_seen(response: AnswerResponse, view: View, base: str) -> DoorAnswer:
    """The answer with its list of sources; where it waits for a person, a sentence and the address to read it at."""
    course = view.course
    url = f"{base}/answers/{response.draft_id}"
    waiting = course.sentence(Notice.WAITING)
    is_waiting = not response.answer or (response.answer == waiting and not view.has_scores)
    if is_waiting and response.status is not Status.CONSENT_REQUIRED:
        return DoorAnswer(f"{waiting}\n\n{url}", (), True, url, response)
    readable = [one for one in response.citations if view.has_scores or one.visibility is Visibility.STUDENT]
    text, sources = _with_sources(response.answer, readable, course, base)
    return DoorAnswer(text, sources, False, url, response)


def block_url(base: str, course_id: str, block_id: str) -> str:
    """The page of a passage."""
    return f"{base}/courses/{quote(course_id, safe='')}/blocks/{quote(block_id, safe='')}"


def title_of(citation: Citation) -> str:
    """A citation in one line, without signs that Markdown takes for a link."""
    where = " › ".join((citation.title, *citation.heading_path[-1:]))
    return re.sub(r"[\[\]\s]+", " ", where).strip() + pinpoint(citation.page, citation.time)


def _with_sources(
    answer: str, citations: list[Citation], course: Course, base: str
) -> tuple[str, tuple[LinkedCitation, ...]]:
    lines = [f"[{one.number}] {title_of(one)}: {block_url(base, course.id, one.block_id)}" for one in citations]
    text = "\n\n".join([answer, f"{SOURCES}:\n\n" + "  \n".join(lines)]) if lines else answer
    return text, tuple(_source(one, text, course, base) for one in citations)


def _source(citation: Citation, text: str, course: Course, base: str) -> LinkedCitation:
    mark = f"[{citation.number}]"
    start = max(text.find(mark), 0)
    url = block_url(base, course.id, citation.block_id)
    return LinkedCitation(citation.number, title_of(citation), url, start, start + len(mark), citation)
