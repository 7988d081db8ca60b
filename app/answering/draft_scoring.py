"""Scores drafts by the judge of their course, in the background: no answer waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from datetime import timedelta

from pydantic import ValidationError

from app.answering.question import asked_again
from app.answering.service import Answering
from app.response import AnswerResponse
from app.rounds import Rounds
from core.concurrency import in_thread
from core.course import Course
from core.errors import EduModError
from core.llm.metered import Metered
from core.quotas import Counted, Subject, charges_of_question, may_cost, subject_of_course
from core.review import DraftJudge
from core.score import Score
from core.store.judgements import TakenDraft
from core.store.store import Store
from core.store.tables import DraftRow, JudgementRow, now
from core.types import Status
from judging import judge_named
from judging.answers import JudgedAnswer
from judging.base import AnyJudge
from judging.options import JudgeOptions

POLL_SECONDS = 2.0
AT_ONCE = 4
LEASE = timedelta(minutes=5)
"""How long a process has for the drafts that it took; afterwards they are taken again."""
MAX_TRIES = 5
NO_ANSWER = "The draft gives no answer."
NO_QUESTION = "The draft's question was stored by a version that had other fields."
log = logging.getLogger("edumod")


class DraftScoring:
    """One per process of the service; several may share the drafts."""

    def __init__(self, answering: Answering, lease: timedelta = LEASE) -> None:
        self.answering = answering
        """Has the models; replaced where these change."""
        self._lease = lease
        self._rounds = Rounds("Scoring drafts", self._next, POLL_SECONDS)

    @property
    def _store(self) -> Store:
        return self.answering.store

    def start(self) -> None:
        """Score drafts from now on, in the background."""
        self._rounds.start()

    async def aclose(self) -> None:
        """Stop. Drafts that are being scored are scored again later."""
        await self._rounds.aclose()

    async def _next(self) -> bool:
        return await self.round() > 0

    async def round(self) -> int:
        """Score some of the drafts that wait; how many."""
        courses: defaultdict[DraftJudge, dict[str, Course]] = defaultdict(dict)
        for stored in await self._store.courses.all():
            course = stored.course if stored.config.get("judge") else None
            if course is not None and course.judge is not None:
                courses[course.judge][course.id] = course
        count = 0
        for judge, of_judge in courses.items():
            taken = await self._store.judgements.take(judge, of_judge, now(), self._lease, AT_ONCE)
            await asyncio.gather(*(self._judge(one, of_judge[one.draft.course_id]) for one in taken))
            count += len(taken)
        return count

    async def _judge(self, taken: TakenDraft, course: Course) -> None:
        draft = taken.draft
        judge = judge_named(str(course.judge), JudgeOptions(model=course.defaults.model))
        try:
            score = await self._score(judge, draft, course)
        except EduModError as error:
            log.warning("The draft %s was not scored by %s: %s", draft.id, judge.name, error.code)
            if taken.tries < MAX_TRIES:
                return
            score = Score(unscored=error.public)
        row = JudgementRow(
            draft_id=draft.id,
            judge=judge.name,
            course_id=draft.course_id,
            rubric=judge.version,
            score=None if score.value is None else judge.scale.share(score.value),
            unscored=score.unscored,
            explanation=score.explanation,
            parts=score.parts,
            judged_at=now(),
        )
        await self._store.judgements.record(row)

    async def _score(self, judge: AnyJudge, draft: DraftRow, course: Course) -> Score:
        """Raises the model's error, and `QuotaExceeded` where the course has used up its dollars."""
        answer = AnswerResponse.model_validate(draft.response) if draft.response else None
        if answer is None or answer.status is not Status.ANSWERED or draft.request is None:
            return Score(unscored=NO_ANSWER)
        try:
            asked = await asked_again(draft.request)
        except ValidationError:
            return Score(unscored=NO_QUESTION)
        asked = await asked.mask(await self.answering.detectors.of(course, asked.people))
        item = JudgedAnswer(
            id=draft.id,
            question=asked.question.text,
            answer=await in_thread(asked.masks.hide, answer.answer),
            passages=await self._passages(draft, answer),
        )
        score = await self._metered(judge, item, course)
        return score.model_copy(update={"explanation": asked.masks.restore(score.explanation)})

    async def _passages(self, draft: DraftRow, answer: AnswerResponse) -> tuple[str, ...]:
        """The texts that the answer was written from, as far as the course still has them."""
        found = [one.block_id for step in answer.trace for one in step.passages]
        ids = list(dict.fromkeys([*(one.block_id for one in answer.citations), *found]))
        blocks = await self._store.material.blocks_by_id(draft.course_id, ids)
        texts = [blocks[one].passage.text for one in ids if one in blocks]
        return tuple(texts or [one.quote for one in answer.citations if one.quote])

    async def _metered(self, judge: AnyJudge, item: JudgedAnswer, course: Course) -> Score:
        """The score; what it has cost counts for the course."""
        subject = Subject(subject_of_course(course.id), f"The course {course.id}", course.quotas)
        models, settings = self.answering.assistant.models, self.answering.settings
        dollars = may_cost(models.prices.get(course.defaults.model or models.model), settings.prompt_chars)
        spending = [charge for charge in charges_of_question(subject, dollars) if charge.counted is Counted.DOLLARS]
        taken = await self._store.usage.take(spending)
        llm = Metered(models, models.prices)
        try:
            return await judge.judge(item, llm)
        finally:
            if llm.total.cost_usd:
                await self._store.usage.spend([subject.id], llm.total.cost_usd)
            await self._store.usage.release(taken)
