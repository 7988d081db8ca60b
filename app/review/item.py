"""One draft with all that its reviewer needs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.response import AnswerResponse
from app.review.deciding import Reviewer, answer_of, mark_of
from app.review.edits import digest_of, form_of
from app.review.evidence import CitedBlock, evidence_for
from app.review.merging import Conflict, TextPart, joined, parts_of
from app.review.queue import QueueFilter, Row, next_draft
from app.review.stored_draft import ReadDraft, read_draft
from app.review.working_text import WorkingBlock, WorkingText
from app.schemas import AnswerRequest
from app.web.numbered import NumberedWork, work_of
from app.web.sentences import Notes, block_html, words_of
from core.access import Person
from core.course import Course
from core.errors import EduModError
from core.homework import CRITERION_NAMES, Feedback
from core.review import EditPurpose, Posting
from core.store.store import Store
from core.store.tables import DraftState, EditRow, VoteRow
from core.text.changes import Change, changes
from core.text.marks import REPEATS_STAFF, marked_sentences
from core.text.sentences import units
from core.types import Audience, Passage, Source, StepKind
from homework.task import HomeworkTask
from pipelines.assistant import Assistant

SIMILAR = 3
"""Threads that are shown beside a question."""
SIMILAR_FROM = 0.5
"""Cosine similarity from which on a thread counts as similar."""
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class Ground:
    """What feedback on homework says by one criterion, the item of the draft that says it, and the line in question."""

    name: str
    title: str
    verdict: str
    evidence: str
    item: str
    line: int | None
    confidence: float | None = None
    waits: bool = False


@dataclass(frozen=True)
class ReviewItem:
    """A draft under review; `asked` is None for requests of older versions."""

    read: ReadDraft
    row: Row
    asked: AnswerRequest | None
    answer: AnswerResponse | None
    alternative: AnswerResponse | None
    evidence: list[CitedBlock]
    exercise: HomeworkTask | None
    """What the question is about, with the official solution as checks read it."""
    similar: list[Passage]
    votes: list[VoteRow]
    pictures: list[int]
    """Numbers of the question's pictures that are stored."""
    readers: list[Person]
    """Who else has the draft open."""
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
    def takes_alike(self) -> bool:
        """True of a question whose answer may serve others: no homework, and no drafts in the shadow."""
        is_shadow = self.course.posting is Posting.SHADOW
        return self.is_open and self.asked is not None and not is_shadow and not self.grounds

    @property
    def read_in_pictures(self) -> list[str]:
        """What was read in the question's pictures."""
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
        return draft_text(self.read)

    @property
    def grounds(self) -> list[Ground]:
        return grounds_of(self.read)

    def html_of(self, block: WorkingBlock, number: int) -> Markup:
        """A block of the working text, its sentences as checkboxes."""
        return block_html(block.text, number, notes_of(self.read, self.evidence, block.struck))

    def changes_to(self, text: str) -> list[Change]:
        return changes(self.markdown, text)


def draft_text(read: ReadDraft) -> str:
    """The draft's Markdown; empty where it has no answer, or is hidden."""
    return answer_of(read.draft, read.course) if read.draft.response and not read.is_hidden else ""


def original_text(read: ReadDraft, purpose: EditPurpose) -> str:
    """The text that a reviewer begins with: the draft's, or for a correction the one that was sent."""
    is_correction = purpose is EditPurpose.CORRECTION and read.decision is not None
    return read.decision.text if is_correction and read.decision else draft_text(read)


def notes_of(read: ReadDraft, evidence: Sequence[CitedBlock], struck: Collection[int] = ()) -> Notes:
    """What is said of the draft's sentences; `struck` are numbers in the block that is shown."""
    if read.draft.response is None or read.is_hidden:
        return Notes(struck=struck)
    answer, mark = str(read.draft.response.get("answer", "")), mark_of(read.draft, read.course)
    unverified, repeated = (marked_sentences(answer, one) for one in (mark, REPEATS_STAFF))
    grounds = {
        unit.text.strip(): (ground.name, ground.line)
        for ground in grounds_of(read)
        for unit in units(f"- {ground.item}")
    }
    passages = {one.citation.number: words_of(one.text) for one in evidence}
    return Notes(mark, unverified, REPEATS_STAFF, repeated, grounds, struck, passages)


def grounds_of(read: ReadDraft) -> list[Ground]:
    """What feedback on homework says, criterion by criterion; nothing for other drafts."""
    stored = (read.draft.response or {}).get("feedback")
    if stored is None or read.is_hidden:
        return []
    body = str(((read.draft.request or {}).get("question") or {}).get("body", ""))
    lines = {line.strip(): number for number, line in reversed(list(enumerate(body.split("\n"), 1)))}
    return [
        Ground(
            name=f"ground-{name}",
            title=CRITERION_NAMES[name],
            verdict=given.verdict.words,
            evidence=given.evidence,
            item=item,
            line=lines.get(given.where.strip()) if given.where else None,
            confidence=given.confidence,
            waits=given.waits,
        )
        for name, given, item in Feedback.model_validate(stored).items
    ]


def shown_text(
    read: ReadDraft, edit: EditRow | None, purpose: EditPurpose, *, window: str | None = None
) -> tuple[WorkingText, Conflict | None]:
    """The text that a reviewer goes on with, and what it has to be compared with first.

    `window` is a text of another window of the same person.
    """
    draft = original_text(read, purpose)
    if edit is None:
        return WorkingText.of(draft if window is None else window), None
    typed = WorkingText.of_fields(form_of(edit))
    if window is not None:
        parts = joined(parts_of(window, typed.final, draft))
        return typed, Conflict("Other window", "You have changed this text in another window since.", parts)
    decision = read.decision
    if decision is not None and purpose is EditPurpose.DECISION:
        reason = f"{decision.decided_by_name} decided this draft already: {decision.outcome.value}."
        parts = joined(parts_of(typed.final, decision.text, draft))
        return typed, Conflict(decision.decided_by_name, reason, parts, read.is_final, takes_back=True)
    if edit.base not in ("", digest_of(draft)) and draft and not typed.is_as(draft):
        reason = "The text is another one since you began. Yours belongs to the earlier version."
        return WorkingText.of(draft), Conflict("New", reason, joined(parts_of(typed.final, draft, "")))
    return typed, None


def alternative_parts(item: ReviewItem, working: WorkingText) -> list[TextPart]:
    """The working text beside another answer."""
    other = item.alternative.answer if item.alternative else ""
    return joined(parts_of(working.final, other, ""))


async def read_item(store: Store, assistant: Assistant, draft_id: str, me: Reviewer, wanted: QueueFilter) -> ReviewItem:
    """The draft with its evidence and what was answered before, from a queue with those filters. Raises `NotFound`."""
    read = await read_draft(store, draft_id, me.reach, me.person)
    draft = read.draft
    answer = AnswerResponse.model_validate(draft.response) if draft.response else None
    asked = AnswerRequest.model_validate(_without_images(draft.request)) if draft.request else None
    present = await store.presence.of_many([draft_id], read.at)
    return ReviewItem(
        read=read,
        row=Row(draft, read.course, read.decision, read.at, read.judgement),
        asked=asked,
        answer=answer,
        alternative=AnswerResponse.model_validate(draft.alternative) if draft.alternative else None,
        evidence=await evidence_for(store, draft.course_id, answer.citations if answer else ()),
        exercise=await _exercise(assistant, draft.course_id, asked),
        similar=await _similar(assistant, draft.course_id, asked),
        votes=await store.votes.of_draft(draft_id),
        pictures=await store.pictures.numbers(draft_id),
        readers=[one for one in present.get(draft_id, ()) if one.id != me.person.id],
        next=await next_draft(store, draft, me, wanted),
    )


async def _exercise(assistant: Assistant, course_id: str, asked: AnswerRequest | None) -> HomeworkTask | None:
    if asked is None or not asked.exercise:
        return None
    try:
        return await assistant.exercise_task(course_id, asked.exercise)
    except EduModError as error:
        log.info("The exercise of a draft of %s cannot be read: %s", course_id, error.code)
        return None


def _without_images(request: dict[str, object]) -> dict[str, object]:
    question = request.get("question")
    fields = {name: value for name, value in question.items() if name != "images"} if isinstance(question, dict) else {}
    return {**request, "question": fields}


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
