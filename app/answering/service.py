"""From a question to a stored draft: consent, idempotency, the run, and the draft of a failed run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

from app.answering.asked_question import AskedQuestion, IdempotencyKey
from app.answering.audience import audience_of
from app.answering.fallback import WatchRun, extract
from app.answering.outcome import fail, response_of, restored, trace_row, visible_trace, with_sentence
from app.answering.outcome_store import OutcomeStore, outage_of
from app.operation.runs import INTERRUPTED, Runs
from app.people.detectors import Detectors
from app.response import AnswerResponse, ConfigurationOut
from app.review.deciding import decide_alone
from app.review.kinds import kind_of
from core.attempts import Attempt, attempt_of
from core.concurrency import completed
from core.course import Course
from core.errors import EduModError, ModelUnavailable, NotRetryable, StorageUnavailable
from core.homework import Verdict
from core.privacy.masks import Masks
from core.quotas import Subject, may_cost
from core.settings import Settings
from core.store.drafts.ownership import OpenDraft
from core.store.people.usage import Taken
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, TraceRow, now
from core.types import Answer, FunctionCall, Status, Step, Usage
from core.work.callers import working_for
from pipelines import FEEDBACK_PIPELINES
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration, demand_homework, demand_own, resolve
from pipelines.run import Run
from pipelines.running.public_steps import with_texts

DISCONNECTED = "The connection was closed before the answer was complete, so the work was stopped."
UNEXPECTED = "The run ended with an unexpected error; see the server's log."


@dataclass(frozen=True)
class DraftWork:
    """A draft at work, its beginning if that is still being stored, and what its placeholders stand for."""

    draft: DraftRow
    begun: asyncio.Future[None] | None
    masks: Masks
    key: Subject | None = None
    """Which pays for it."""
    images: tuple[bytes, ...] = ()


def unwatched(run: Run, event: FunctionCall | Step) -> None:
    """A `watch` that ignores calls and steps, for callers that need only the answer."""


@dataclass(frozen=True)
class Answering:
    store: Store
    assistant: Assistant
    settings: Settings
    detectors: Detectors
    runs: Runs = field(default_factory=Runs, repr=False)

    @property
    def _outcomes(self) -> OutcomeStore:
        return OutcomeStore(self.store)

    async def answer(
        self,
        asked: AskedQuestion,
        choices: Mapping[str, Any],
        key: IdempotencyKey | None = None,
        watch: WatchRun = unwatched,
        accepted: Callable[[str], None] | None = None,
    ) -> AnswerResponse:
        """Answer one forum question and store the draft with its trace; `watch` is called for each call and step.

        `accepted` is called with the draft's id as soon as the question is durable.

        `choices` are the request's parameters, by the names of `pipelines.configuration.NAMES`. Raises typed errors. If
        a run fails, the question is stored in a failed draft, whose id is in the error.
        """
        course = await self.course(asked.course_id)
        configuration = self.configuration(course, choices)
        demand_own(choices, configuration.pipeline)
        demand_homework(asked.question, configuration.pipeline)
        if asked.lacks_consent(course):
            return await self._refuse(course, configuration, key, asked.asked_by)
        asked = await asked.mask(await self.detectors.of(course, asked.people))
        draft = DraftRow(
            id=uuid4().hex,
            course_id=course.id,
            created_at=now(),
            state=DraftState.WORKING,
            request=dict(asked.stored),
            parameters=dict(choices),
            category=asked.question.category,
            kind=kind_of(asked.question),
            idempotency_key=key.value if key else None,
            asked_by=asked.asked_by,
            pseudonym=asked.pseudonym,
            thread_id=asked.thread_id,
            callback_url=asked.callback_url,
        )
        if key is not None:
            draft.fingerprint = key.fingerprint
            if (response := await self._earlier_answer(draft)) is not None:
                return response
        attempts = self._attempts(course, asked, configuration)
        async with self._charge(asked, course, configuration, attempts) as taken:
            if key is None:
                # Written to disk while the model is called: neither depends on the other.
                begun = self.store.drafts.begin(draft)
            else:
                begun = None
                if (response := await self._open_draft(draft, configuration, taken)) is not None:
                    return response
            if accepted is not None:
                if begun is not None:
                    await begun
                    begun = None
                accepted(draft.id)
            work = DraftWork(draft, begun, asked.masks, asked.key, asked.images)
            try:
                response = await self._run_pipeline(course, asked, configuration, work, watch)
            except EduModError:
                await self.store.usage.give_back(Taken(attempts))
                raise
            if attempts and _tells_nothing(response):
                await self.store.usage.give_back(Taken(attempts))
            return response

    def _attempts(self, course: Course, asked: AskedQuestion, configuration: Configuration) -> list[Attempt]:
        """What homework is compared with before it is checked."""
        if configuration.pipeline not in {pipeline.name for pipeline in FEEDBACK_PIPELINES}:
            return []
        return attempt_of(course.homework, course.id, asked.limited_as, asked.question.exercise)

    @asynccontextmanager
    async def _charge(
        self, asked: AskedQuestion, course: Course, configuration: Configuration, attempts: Sequence[Attempt] = ()
    ) -> AsyncIterator[Taken]:
        """The question counts, and what it may cost is reserved until the context ends. Raises `QuotaExceeded`."""
        price = self.assistant.models.prices.get(configuration.model)
        dollars = may_cost(price, self.settings.prompt_chars)
        taken = await self.store.usage.take([*asked.charges(course, dollars), *attempts])
        try:
            yield taken
        finally:
            if taken.reservation is not None:
                await completed(self._outcomes.release(taken))

    async def _earlier_answer(self, draft: DraftRow) -> AnswerResponse | None:
        """The answer that was given for the draft's idempotency key: it costs nothing, so it is not counted."""
        try:
            earlier = await completed(self.store.drafts.find_answer(draft))
        except StorageUnavailable:
            return None  # The question is kept in memory as soon as it is opened.
        if earlier is None or earlier.response is None:
            return None
        return AnswerResponse.model_validate(earlier.response).as_replay()

    async def _open_draft(self, draft: DraftRow, configuration: Configuration, taken: Taken) -> AnswerResponse | None:
        """The answer that another request with the same key was given just now; None if the draft is opened.

        A question that is not answered now does not count.
        """
        try:
            opened = await self._claim_draft(draft, self.store.drafts.open(draft), configuration)
        except EduModError:
            await self.store.usage.give_back(taken)
            raise
        if opened.response is None:
            return None
        await self.store.usage.give_back(taken)
        return AnswerResponse.model_validate(opened.response).as_replay()

    async def answer_draft(self, draft: DraftRow, asked: AskedQuestion, choices: Mapping[str, Any]) -> AnswerResponse:
        """Answer a failed draft's question again, in the same draft.

        Raises `NotRetryable` if the draft is in work, has an answer or lacks the consent that its course requires, and
        the errors of `answer`.
        """
        course = await self.course(draft.course_id)
        if asked.lacks_consent(course):
            raise NotRetryable(f"The student has not agreed to an answer, which course {course.id} now asks for.")
        configuration = self.configuration(course, choices)
        asked = await asked.mask(await self.detectors.of(course, asked.people))
        async with self._charge(asked, course, configuration):
            await self._claim_draft(draft, self.store.drafts.reopen(draft.id), configuration)
            work = DraftWork(draft, None, asked.masks, asked.key)
            return await self._run_pipeline(course, asked, configuration, work, unwatched)

    async def try_again(
        self, draft: DraftRow, asked: AskedQuestion, choices: Mapping[str, Any]
    ) -> tuple[AnswerResponse, TraceRow]:
        """Another answer to a draft's question, and the trace of its run. Stores neither. Raises as `answer`."""
        course = await self.course(draft.course_id)
        configuration = self.configuration(course, choices)
        demand_own(choices, configuration.pipeline)
        asked = await asked.mask(await self.detectors.of(course, asked.people))
        async with self._charge(asked, course, configuration):
            return await self._run_beside(course, asked, configuration, draft)

    async def _run_beside(
        self, course: Course, asked: AskedQuestion, configuration: Configuration, draft: DraftRow
    ) -> tuple[AnswerResponse, TraceRow]:
        with self.runs.one(draft.id, course.id, configuration.pipeline) as ending:
            run = await self._start(course, asked, configuration)
            try:
                with working_for(draft.asked_by, asked.pseudonym):
                    answer = await self.assistant.answer(run, configuration, draft.id)
            finally:
                await completed(self._outcomes.spend(draft, run.usage.cost_usd, asked.key))
            trace = await visible_trace(run, asked.masks)
            row = trace_row(draft, trace.steps, run.usage)
            answer = restored(with_sentence(course, answer, run.question), asked.masks)
            response = response_of(answer, configuration, row, trace, run)
            ending.outcome = response.status.value
        return response, row

    async def course(self, course_id: str) -> Course:
        """The course's file. Raises `UnknownName`."""
        return await self.store.courses.read(course_id)

    def configuration(self, course: Course, choices: Mapping[str, Any]) -> Configuration:
        """The request's parameters, completed by the course's defaults. Raises `UnknownName` and `InvalidInput`."""
        models = self.assistant.models
        configuration = resolve(course.defaults.model_dump(), choices, models.model)
        models.demand(configuration.model)
        return configuration

    async def _run_pipeline(
        self, course: Course, asked: AskedQuestion, configuration: Configuration, work: DraftWork, watch: WatchRun
    ) -> AnswerResponse:
        """Answer in the draft. Raises typed errors, with the draft's id, once the failed draft is stored."""
        draft, run = work.draft, None
        with (
            self.runs.one(draft.id, course.id, configuration.pipeline) as ending,
            working_for(draft.asked_by, asked.pseudonym),
        ):
            try:
                run = await self._start(course, asked, configuration)
                for note in asked.notes:
                    run.note(note)
                watch = partial(self._watch_event, watch, asked.masks)
                run.watch(partial(watch, run))
                try:
                    answer = await self.assistant.answer(run, configuration, draft.id)
                except ModelUnavailable as error:
                    run, answer = await extract(self.assistant, run, configuration, draft.id, asked, watch, error)
            except EduModError as error:
                fail(draft, error.code, error.public, configuration)
                await completed(self._store_failure(work, run))
                raise error.of_draft(draft.id) from error
            except BaseException as error:
                is_cancelled = isinstance(error, asyncio.CancelledError)
                fail(draft, INTERRUPTED, DISCONNECTED if is_cancelled else UNEXPECTED, configuration)
                await completed(self._store_failure(work, run))
                raise
            finishing = self._finish(with_sentence(course, answer, run.question), configuration, work, run)
            # Without secrets nothing is awaited before both writes are queued, and queued writes need no caller.
            response = await (completed(finishing) if run.holds_secrets() else finishing)
            ending.outcome = response.status.value
        return response

    def _watch_event(self, watch: WatchRun, masks: Masks, run: Run, event: FunctionCall | Step) -> None:
        if isinstance(event, Step):
            self.runs.measures.stepped(event)
        if watch is not unwatched:
            watch(run, with_texts(event, masks.restore) if len(masks) else event)

    async def _start(self, course: Course, asked: AskedQuestion, configuration: Configuration) -> Run:
        audience = audience_of(course, asker_is_staff=asked.asker_is_staff)
        return await self.assistant.start(
            course, asked.question, configuration, asked.pictures, audience=audience, today=f"{now():%A, %Y-%m-%d}"
        )

    async def _finish(self, answer: Answer, configuration: Configuration, work: DraftWork, run: Run) -> AnswerResponse:
        draft = work.draft
        trace = await visible_trace(run, work.masks)
        row = trace_row(draft, trace.steps, run.usage)
        response = response_of(restored(answer, work.masks), configuration, row, trace, run)
        draft.state, draft.error = DraftState.PENDING, None
        draft.response = response.model_dump(mode="json")
        draft.confidence = response.confidence
        draft.kind = kind_of(run.question, (citation.source for citation in response.citations))
        outage = await self._outcomes.keep(draft, work.begun, row, work.key)
        if outage is not None:
            return self._outcomes.unstored(response, outage)
        await self._outcomes.keep_pictures(draft, work.images)
        await decide_alone(self.store, run.course, draft)
        return response

    async def _store_failure(self, work: DraftWork, run: Run | None) -> None:
        steps, usage = ((await visible_trace(run, work.masks)).steps, run.usage) if run else ((), Usage())
        await self._outcomes.keep(work.draft, work.begun, trace_row(work.draft, steps, usage), work.key)
        await self._outcomes.keep_pictures(work.draft, work.images)

    async def _claim_draft(
        self, draft: DraftRow, taking: Coroutine[Any, Any, OpenDraft], configuration: Configuration
    ) -> OpenDraft:
        """The opened draft; failed if the request is cancelled meanwhile, so that it can be opened again."""
        task = asyncio.create_task(taking)
        try:
            opened = await completed(task)
        except asyncio.CancelledError:
            if task.exception() is None and task.result().response is None:
                draft.id = task.result().draft_id
                fail(draft, INTERRUPTED, DISCONNECTED, configuration)
                await completed(self._outcomes.keep(draft, None, trace_row(draft, (), Usage())))
            raise
        draft.id = opened.draft_id
        return opened

    async def _refuse(
        self, course: Course, configuration: Configuration, key: IdempotencyKey | None, asked_by: str | None
    ) -> AnswerResponse:
        """Without consent, only the key of the request is stored, and no model is called."""
        draft = DraftRow(id=uuid4().hex, course_id=course.id, state=DraftState.REFUSED, asked_by=asked_by)
        outage, new_id = None, draft.id
        if key is None:
            outage = await outage_of(self.store.drafts.begin(draft))
        else:
            draft.idempotency_key = key.value
            draft.id = (await self.store.drafts.open(draft)).draft_id
        answer = Answer(status=Status.CONSENT_REQUIRED, markdown=course.sentence(Status.CONSENT_REQUIRED))
        response = AnswerResponse.of(
            answer,
            function_calls=(),
            usage=Usage(),
            configuration=ConfigurationOut.of(configuration),
            draft_id=draft.id,
            trace_id=None,
            trace=(),
        )
        if outage is not None:
            return self._outcomes.unstored(response, outage)
        return response if draft.id == new_id else response.as_replay()


def _tells_nothing(response: AnswerResponse) -> bool:
    """True of feedback that says nothing of the final answer: such an attempt does not count."""
    feedback = response.feedback
    return feedback is not None and feedback.criteria["final_answer"].verdict is Verdict.CANNOT_TELL
