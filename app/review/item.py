"""One draft with all that its reviewer needs."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from app.response import AnswerResponse
from app.review.deciding import Reviewer, answer_of, mark_of
from app.review.evidence import CitedBlock, evidence_for
from app.review.queue import Row, next_draft
from app.review.stored_draft import ReadDraft, read_draft
from app.schemas import AnswerRequest
from app.web.numbered import NumberedWork, work_of
from core.course import Course
from core.errors import EduModError
from core.store.store import Store
from core.store.tables import DraftState, VoteRow
from core.text.changes import Change, changes
from core.text.marks import marked_sentences
from core.text.sentences import units
from core.types import Audience, Passage, Source, StepKind
from pipelines.assistant import Assistant

SIMILAR = 3
"""Threads that are shown beside a question."""
SIMILAR_FROM = 0.5
"""Cosine similarity from which on a thread counts as similar."""
_WORD = re.compile(r"\w")
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class DraftSentence:
    """A numbered sentence of the draft, and whether the material supports it."""

    number: int
    markdown: str
    is_unverified: bool


@dataclass(frozen=True)
class ReviewItem:
    """A draft under review; `asked` is None for requests of older versions."""

    read: ReadDraft
    row: Row
    asked: AnswerRequest | None
    answer: AnswerResponse | None
    alternative: AnswerResponse | None
    evidence: list[CitedBlock]
    similar: list[Passage]
    votes: list[VoteRow]
    next: str | None

    @property
    def course(self) -> Course:
        return self.row.course

    @property
    def is_open(self) -> bool:
        return self.read.draft.state in (DraftState.PENDING, DraftState.FAILED)

    @property
    def is_hidden(self) -> bool:
        return self.read.is_hidden

    @property
    def pictures(self) -> list[str]:
        """What was read in the question's pictures, which are not kept."""
        steps = self.answer.trace if self.answer else ()
        readings = [step.note or step.error for step in steps if step.kind is StepKind.READ]
        return [one for one in readings if one]

    @property
    def work(self) -> NumberedWork | None:
        """The student's code or homework with findings, if the draft may be seen."""
        if self.asked is None:
            return None
        answer = None if self.is_hidden else self.answer
        return work_of(
            self.asked.question.body,
            self.asked.code,
            answer.issue if answer else None,
            answer.feedback if answer else None,
        )

    @property
    def markdown(self) -> str:
        """The draft's text as it may be posted."""
        return answer_of(self.read.draft, self.course) if self.answer and not self.is_hidden else ""

    @property
    def mark(self) -> str:
        """What stands behind unverified sentences."""
        return mark_of(self.read.draft, self.course)

    @property
    def sentences(self) -> list[DraftSentence]:
        unverified = marked_sentences(self.answer.answer, self.mark) if self.answer else ()
        sentences = [(number, unit.text.strip()) for number, unit in enumerate(units(self.markdown), start=1)]
        return [DraftSentence(number, text, text in unverified) for number, text in sentences if _WORD.search(text)]

    def changes_to(self, text: str) -> list[Change]:
        """The draft's text merged with another one."""
        return changes(self.markdown, text)


async def read_item(store: Store, assistant: Assistant, draft_id: str, me: Reviewer) -> ReviewItem:
    """The draft with its evidence and what was answered before. Raises `NotFound`."""
    read = await read_draft(store, draft_id, me.reach, me.person)
    draft = read.draft
    answer = AnswerResponse.model_validate(draft.response) if draft.response else None
    asked = AnswerRequest.model_validate(_without_images(draft.request)) if draft.request else None
    return ReviewItem(
        read=read,
        row=Row(draft, read.course, read.decision, read.at, read.judgement),
        asked=asked,
        answer=answer,
        alternative=AnswerResponse.model_validate(draft.alternative) if draft.alternative else None,
        evidence=await evidence_for(store, draft.course_id, answer.citations if answer else ()),
        similar=await _similar(assistant, draft.course_id, asked),
        votes=await store.votes.of_draft(draft_id),
        next=await next_draft(store, draft, me),
    )


def _without_images(request: dict[str, object]) -> dict[str, object]:
    question = request.get("question")
    kept = {name: value for name, value in question.items() if name != "images"} if isinstance(question, dict) else {}
    return {**request, "question": kept}


async def _similar(assistant: Assistant, course_id: str, asked: AnswerRequest | None) -> list[Passage]:
    if asked is None:
        return []
    query = f"{asked.question.title}\n{asked.question.body}".strip()
    try:
        threads = await assistant.retrieve(course_id, Source.QA, "hybrid", query, SIMILAR, Audience.STAFF)
    except EduModError as error:
        log.info("Similar threads of %s cannot be searched: %s", course_id, error.code)
        return []
    return [one for one in threads if one.match is None or one.match.meaning >= SIMILAR_FROM]
