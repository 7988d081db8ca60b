"""What forums need of the service: a question is asked, its draft decided, and staff's own answer learned from.

It asks as `POST /answer` does: the same admission, quotas, privacy and review.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from app.answering.asked_question import IdempotencyKey
from app.answering.question import asked_in
from app.answering.service import Answering
from app.response import AnswerResponse
from app.review.deciding import DraftReview, Reviewer
from app.review.learning import Learning
from app.review.schemas import DecisionIn
from app.schemas import AnswerParameters, AnswerRequest
from core.access import Access, Permission
from core.errors import EduModError, NotDecidable, NotFound
from core.review import AUTOMATIC, Outcome
from core.store.tables import DraftRow, DraftState, TraceRow, now
from core.text.marks import without_mark
from core.types import BodyFormat, Citation, Message, Role, Status, Visibility
from ingestion.loaders.threads import ThreadQuestion
from ingestion.promotion import promote

FORUM = "forum"
"""What the `Person.id` of a forum begins with, and so who asked."""
FOR_STAFF = "for-staff"
_REFERENCE = re.compile(r"[ \t]*(?<!\w)\[(\d+)\](?!\()")


@dataclass(frozen=True)
class AskedDraft:
    """`is_refused` without the consent that the course requires."""

    id: str
    is_refused: bool = False


@dataclass(frozen=True)
class DecidedText:
    """What a person decided to post, as Markdown."""

    decision_id: str
    text: str


class Desk(Protocol):
    async def ask(self, request: AnswerRequest, parameters: dict[str, Any], key: str) -> AskedDraft:
        """The draft for a question; the same one for the same key. Raises `EduModError` where there is none."""

    async def hand_over(self, request: AnswerRequest, key: str, reason: str) -> str:
        """Put an entry without an answer before staff, which no model sees; its id."""

    async def retire(self, course_id: str, thread: str, reason: str, keep: str = "") -> None:
        """A thread's question has changed or needs no answer: its drafts but `keep` cannot be approved any more."""

    async def is_decided(self, draft_id: str) -> bool:
        """True once somebody decided to post it."""

    async def decided(self, draft_id: str) -> DecidedText | None:
        """The final decision to post something; None without one."""

    async def drafted(self, draft_id: str) -> str:
        """The draft as staff may read it in the forum; empty without an answer."""

    async def learn(self, key: str, request: AnswerRequest, answer: str, body_format: BodyFormat) -> None:
        """Make a question and staff's answer a past question of the course."""


@dataclass(frozen=True)
class Admit:
    """How a permit for a run is taken and given back, see `app.edge.admission`."""

    acquire: Callable[[str], Awaitable[None]]
    release: Callable[[str], None]


@dataclass
class ServiceDesk:
    """The desk of a process of the service."""

    answering: Callable[[], Answering]
    review: DraftReview
    learning: Learning
    admit: Admit | None = None

    async def ask(self, request: AnswerRequest, parameters: dict[str, Any], key: str) -> AskedDraft:
        answering, access = self.answering(), access_of(request.course)
        choices = AnswerParameters.model_validate(parameters).choices
        asked = await asked_in(request, answering.settings, access)
        own_key = IdempotencyKey(f"{access.actor.id}/{key}", key)
        try:
            response = await self._admitted(access.actor.id, answering, asked, choices, own_key)
        except EduModError as error:
            if error.draft_id is None:
                raise
            return AskedDraft(error.draft_id)  # A failed draft, which a person answers.
        return AskedDraft(response.draft_id, response.status is Status.CONSENT_REQUIRED)

    async def _admitted(self, requester: str, answering: Answering, *asking: Any) -> AnswerResponse:
        if self.admit is None:
            return await answering.answer(*asking)
        await self.admit.acquire(requester)
        try:
            return await answering.answer(*asking)
        finally:
            self.admit.release(requester)

    async def hand_over(self, request: AnswerRequest, key: str, reason: str) -> str:
        store, access = self.review.store, access_of(request.course)
        draft = DraftRow(
            id=uuid4().hex,
            course_id=request.course,
            state=DraftState.WORKING,
            request=request.model_dump(mode="json", exclude_defaults=True),
            idempotency_key=f"{access.actor.id}/{key}",
            fingerprint=key,
            asked_by=access.actor.id,
            pseudonym=request.author.pseudonym,
            thread_id=request.thread_id,
            category=request.question.category,
        )
        draft.id = (await store.drafts.open(draft)).draft_id
        draft.state, draft.error = DraftState.FAILED, {"code": FOR_STAFF, "detail": reason}
        await store.drafts.end(draft, TraceRow(id=uuid4().hex, course_id=draft.course_id, draft_id=draft.id))
        return draft.id

    async def retire(self, course_id: str, thread: str, reason: str, keep: str = "") -> None:
        for draft_id in await self.review.store.forums.make_stale(course_id, thread, reason, keep):
            decision = DecisionIn(outcome=Outcome.DISCARDED, note=reason)
            try:
                await self.review.decide(draft_id, decision, Reviewer(AUTOMATIC))
            except (NotDecidable, NotFound):
                continue  # Decided or deleted meanwhile, or in work: it cannot be approved.

    async def is_decided(self, draft_id: str) -> bool:
        decision = await self.review.store.decisions.of(draft_id)
        return decision is not None and decision.outcome is not Outcome.DISCARDED

    async def decided(self, draft_id: str) -> DecidedText | None:
        decision = await self.review.store.decisions.of(draft_id)
        if decision is None or decision.outcome is Outcome.DISCARDED or decision.final_at > now():
            return None
        draft = await self.review.store.drafts.get(draft_id)
        return DecidedText(decision.id, with_sources(decision.text, citations_of(draft)))

    async def drafted(self, draft_id: str) -> str:
        draft = await self.review.store.drafts.get(draft_id)
        course = await self.review.store.courses.read(draft.course_id)
        response = draft.response or {}
        answer = without_mark(str(response.get("answer", "")), str(response.get("mark") or course.writing.mark))
        return with_sources(answer, citations_of(draft)) if response.get("status") == Status.ANSWERED else ""

    async def learn(self, key: str, request: AnswerRequest, answer: str, body_format: BodyFormat) -> None:
        question = ThreadQuestion(
            title=request.question.title,
            body=request.question.body,
            body_format=request.question.body_format,
            category=request.question.category,
        )
        message = Message(role=Role.TA, body=_plain(answer, body_format), endorsed=True)
        encoder = await self.learning.encoder(request.course)
        await promote(self.review.store, encoder, request.course, f"{FORUM}-{key}"[:200], question, message)


def _plain(text: str, body_format: BodyFormat) -> str:
    if body_format is BodyFormat.HTML:
        from core.text.html import html_text

        return html_text(text).strip()
    return text.strip()


def access_of(course_id: str) -> Access:
    """What a forum may do: ask in its course, as a student may, and nothing else."""
    from core.access import Person

    person = Person(f"{FORUM}-{course_id}", "Forum")
    return Access(person, {course_id: frozenset({Permission.ANSWER})})


def citations_of(draft: DraftRow) -> list[Citation]:
    """The sources that the draft refers to."""
    return [Citation.model_validate(one) for one in (draft.response or {}).get("citations") or ()]


def with_sources(text: str, citations: list[Citation]) -> str:
    """The text with a list of the sources that it refers to. What only staff may read is not named."""
    by_number = {one.number: one for one in citations if one.visibility is Visibility.STUDENT}
    cited: dict[int, str] = {}

    def keep(match: re.Match[str]) -> str:
        number = int(match[1])
        if number not in by_number:
            return ""
        cited[number] = _source(by_number[number])
        return match[0]

    text = _REFERENCE.sub(keep, text)
    lines = [f"[{number}] {cited[number]}" for number in sorted(cited)]
    return "\n\n".join([text.strip(), "  \n".join(lines)]) if lines else text.strip()


def _source(citation: Citation) -> str:
    parts = [citation.title or citation.document, *citation.heading_path]
    place = " > ".join(dict.fromkeys(" ".join(part.split()) for part in parts if part.strip()))
    return f"{place}, p. {citation.page}" if citation.page else place
