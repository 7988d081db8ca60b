"""From a question to a stored draft: consent, idempotency, the run, and the draft of a failed run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from app.answering.asked import Asked, IdempotencyKey
from app.answering.fallback import WatchRun, extract
from app.operation.runs import INTERRUPTED, Runs
from app.people.detectors import Detectors
from app.response import AnswerResponse, ConfigurationOut
from app.review.deciding import approve_if_sure
from app.review.kinds import kind_of
from core.access import KEY_PREFIX
from core.concurrency import completed, in_thread
from core.course import Course
from core.errors import EduModError, ModelUnavailable, NotRetryable, StorageUnavailable
from core.privacy.masks import Masks
from core.quotas import Charge, Subject, charges_of_question, subject_of_course, subject_of_key
from core.settings import Settings
from core.store.courses import StoredCourse
from core.store.drafts import Claim
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, TraceRow, now
from core.types import Answer, FunctionCall, Status, Step, Usage
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration, demand_own, resolve
from pipelines.public_trace import PublicTrace, public_trace, with_texts
from pipelines.run import Run

DISCONNECTED = "The connection was closed before the answer was complete, so the work was stopped."
UNEXPECTED = "The run ended with an unexpected error; see the server's log."
STORED_LATER = "It is kept in the server's memory and stored as soon as possible."
NOT_STORED = "Too many drafts are waiting already: keep a copy of the answer."

T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """A draft at work, its beginning if that is still being stored, and what its placeholders stand for."""

    draft: DraftRow
    begun: asyncio.Future[None] | None
    masks: Masks


log = logging.getLogger("edumod")


def unwatched(run: Run, event: FunctionCall | Step) -> None:
    """A `watch` that ignores calls and steps, for callers that need only the answer."""


@dataclass(frozen=True)
class Answering:
    store: Store
    assistant: Assistant
    settings: Settings
    detectors: Detectors
    runs: Runs = field(default_factory=Runs, repr=False)
    _read: dict[str, tuple[StoredCourse, Course]] = field(default_factory=dict, init=False, repr=False)

    async def answer(
        self,
        asked: Asked,
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
        if asked.lacks_consent(course):
            return await self._refuse(course, configuration, key, asked.asked_by)
        asked = asked.masked(await self.detectors.of(course, asked.people))
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
        charges = _charges(course, asked)
        await self.store.usage.take(charges)
        if key is None:
            # Written to disk while the model is called: neither depends on the other.
            begun = self.store.drafts.begin(draft)
        else:
            begun = None
            draft.fingerprint = key.fingerprint
            if (response := await self._claimed(draft, configuration, charges)) is not None:
                return response
        if accepted is not None:
            if begun is not None:
                await begun
                begun = None
            accepted(draft.id)
        return await self._run(course, asked, configuration, draft, begun, watch)

    async def _claimed(
        self, draft: DraftRow, configuration: Configuration, charges: Sequence[Charge]
    ) -> AnswerResponse | None:
        """The answer that was given for the draft's idempotency key; None if there is none, and the draft is claimed.

        A question that is not answered now does not count.
        """
        try:
            claim = await self._taken(draft, self.store.drafts.claim(draft), configuration)
        except EduModError:
            await self.store.usage.give_back(charges)
            raise
        if claim.response is None:
            return None
        await self.store.usage.give_back(charges)
        return AnswerResponse.model_validate(claim.response).replayed()

    async def answer_draft(self, draft: DraftRow, asked: Asked, choices: Mapping[str, Any]) -> AnswerResponse:
        """Answer a failed draft's question again, in the same draft.

        Raises `NotRetryable` if the draft is in work, has an answer or lacks the consent that its course requires, and
        the errors of `answer`.
        """
        course = await self.course(draft.course_id)
        if asked.lacks_consent(course):
            raise NotRetryable(f"The student has not agreed to an answer, which course {course.id} now asks for.")
        configuration = self.configuration(course, choices)
        asked = asked.masked(await self.detectors.of(course, asked.people))
        await self.store.usage.take(_charges(course, asked))
        await self._taken(draft, self.store.drafts.reopen(draft.id), configuration)
        return await self._run(course, asked, configuration, draft, None, unwatched)

    async def try_again(
        self, draft: DraftRow, asked: Asked, choices: Mapping[str, Any]
    ) -> tuple[AnswerResponse, TraceRow]:
        """Another answer to a draft's question, and the trace of its run. Stores neither. Raises as `answer`."""
        course = await self.course(draft.course_id)
        configuration = self.configuration(course, choices)
        demand_own(choices, configuration.pipeline)
        asked = asked.masked(await self.detectors.of(course, asked.people))
        await self.store.usage.take(_charges(course, asked))
        with self.runs.one(draft.id, course.id, configuration.pipeline) as ending:
            run = await self.assistant.start(course, asked.question, configuration, asked.images)
            answer = await self.assistant.answer(run, configuration, draft.id)
            shown = await _public(run, asked.masks)
            trace = _trace(draft, shown.steps, run.usage)
            restored = _restored(_with_sentence(course, answer), asked.masks)
            response = _response(restored, configuration, trace, shown, run)
            ending.outcome = response.status.value
        await self._spend(draft, run.usage.cost_usd)
        return response, trace

    async def course(self, course_id: str) -> Course:
        """The course's file. Raises `UnknownName`."""
        stored = await self.store.courses.get(course_id)
        read = self._read.get(course_id)
        if read is None or read[0] is not stored:
            read = self._read[course_id] = (stored, Course.model_validate(stored.config))
        return read[1]

    def configuration(self, course: Course, choices: Mapping[str, Any]) -> Configuration:
        """The request's parameters, completed by the course's defaults. Raises `UnknownName` and `InvalidInput`."""
        models = self.assistant.models
        configuration = resolve(course.defaults.model_dump(), choices, models.model)
        models.demand(configuration.model)
        return configuration

    async def _run(
        self,
        course: Course,
        asked: Asked,
        configuration: Configuration,
        draft: DraftRow,
        begun: asyncio.Future[None] | None,
        watch: WatchRun,
    ) -> AnswerResponse:
        def measured(run: Run, event: FunctionCall | Step) -> None:
            if isinstance(event, Step):
                self.runs.measures.stepped(event)
            watch(run, with_texts(event, asked.masks.restore) if len(asked.masks) else event)

        with self.runs.one(draft.id, course.id, configuration.pipeline) as ending:
            work = Work(draft, begun, asked.masks)
            response = await self._worked(course, asked, configuration, work, measured)
            ending.outcome = response.status.value
        return response

    async def _worked(
        self, course: Course, asked: Asked, configuration: Configuration, work: Work, watch: WatchRun
    ) -> AnswerResponse:
        run: Run | None = None
        draft = work.draft
        try:
            run = await self.assistant.start(course, asked.question, configuration, asked.images)
            for note in asked.notes:
                run.note(note)
            run.watch(partial(watch, run))
            try:
                answer = await self.assistant.answer(run, configuration, draft.id)
            except ModelUnavailable as error:
                run, answer = await extract(self.assistant, run, configuration, draft.id, asked, watch, error)
        except EduModError as error:
            _fail(draft, error.code, error.public, configuration)
            await completed(self._failed(work, run))
            raise error.of_draft(draft.id) from error
        except BaseException as error:
            is_cancelled = isinstance(error, asyncio.CancelledError)
            _fail(draft, INTERRUPTED, DISCONNECTED if is_cancelled else UNEXPECTED, configuration)
            await completed(self._failed(work, run))
            raise
        answered = self._answered(_with_sentence(course, answer), configuration, work, run)
        # Without secrets nothing is awaited before both writes are queued, and queued writes need no caller.
        return await (completed(answered) if run.holds_secrets() else answered)

    async def _answered(self, answer: Answer, configuration: Configuration, work: Work, run: Run) -> AnswerResponse:
        draft = work.draft
        shown = await _public(run, work.masks)
        trace = _trace(draft, shown.steps, run.usage)
        response = _response(_restored(answer, work.masks), configuration, trace, shown, run)
        draft.state, draft.error = DraftState.PENDING, None
        draft.response = response.model_dump(mode="json")
        draft.confidence = response.confidence
        draft.kind = kind_of(run.question, (one.source for one in response.citations))
        outage = await self._keep(draft, work.begun, trace)
        if outage is not None:
            return self._unstored(response, outage)
        await approve_if_sure(self.store, run.course, draft)
        return response

    async def _failed(self, work: Work, run: Run | None) -> None:
        steps, usage = ((await _public(run, work.masks)).steps, run.usage) if run else ((), Usage())
        await self._keep(work.draft, work.begun, _trace(work.draft, steps, usage))

    async def _keep(
        self, draft: DraftRow, begun: asyncio.Future[None] | None, trace: TraceRow
    ) -> StorageUnavailable | None:
        """Store the outcome of the draft.

        Returns a storage failure instead of raising it: the answer can still be sent, and the draft waits in memory.
        """
        # Both at once: if the answer was quick, one transaction stores the beginning and the end.
        ended = self.store.drafts.end(draft, trace)
        outage = await _outage(*([begun] if begun is not None else []), ended)
        await self._spend(draft, trace.usage["cost_usd"])
        return outage

    async def _spend(self, draft: DraftRow, dollars: float | None) -> None:
        """Count what the run has cost for its course and key. An unknown price cannot be counted."""
        if not dollars:
            return
        subjects = [subject_of_course(draft.course_id)]
        if (asker := draft.asked_by or "").startswith(KEY_PREFIX):
            subjects.append(subject_of_key(asker.removeprefix(KEY_PREFIX)))
        try:
            await self.store.usage.spend(subjects, dollars)
        except StorageUnavailable as error:
            log.error("What draft %s has cost ($%.4f) was not counted. %s", draft.id, dollars, error)

    def _unstored(self, response: AnswerResponse, outage: StorageUnavailable) -> AnswerResponse:
        waits = self.store.drafts.waits(response.draft_id)
        warning = f"This draft could not be stored yet, since the database cannot be used: {outage.reason}. "
        warning += STORED_LATER if waits else NOT_STORED
        return response.model_copy(update={"warnings": (*response.warnings, warning)})

    async def _taken(self, draft: DraftRow, taking: Coroutine[Any, Any, Claim], configuration: Configuration) -> Claim:
        """The claim on a draft; released if the request is cancelled meanwhile, so that it can be claimed again."""
        task = asyncio.create_task(taking)
        try:
            claim = await completed(task)
        except asyncio.CancelledError:
            if task.exception() is None and task.result().response is None:
                draft.id = task.result().draft_id
                _fail(draft, INTERRUPTED, DISCONNECTED, configuration)
                await completed(self._keep(draft, None, _trace(draft, (), Usage())))
            raise
        draft.id = claim.draft_id
        return claim

    async def _refuse(
        self, course: Course, configuration: Configuration, key: IdempotencyKey | None, asked_by: str | None
    ) -> AnswerResponse:
        """Without consent, only the key of the request is stored, and no model is called."""
        draft = DraftRow(id=uuid4().hex, course_id=course.id, state=DraftState.REFUSED, asked_by=asked_by)
        outage, new_id = None, draft.id
        if key is None:
            outage = await _outage(self.store.drafts.begin(draft))
        else:
            draft.idempotency_key = key.value
            draft.id = (await self.store.drafts.claim(draft)).draft_id
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
            return self._unstored(response, outage)
        return response if draft.id == new_id else response.replayed()


async def _outage(*writes: asyncio.Future[None]) -> StorageUnavailable | None:
    """The storage failure of the writes; None if they succeeded. Raises any other error."""
    results = await asyncio.gather(*writes, return_exceptions=True)
    errors = [result for result in results if result is not None]
    for error in errors:
        if isinstance(error, StorageUnavailable):
            return error
    if errors:
        raise errors[0]
    return None


async def _public(run: Run, masks: Masks) -> PublicTrace:
    """The public part of the run's trace, checked in a thread if there are secrets to look for; empty on an error."""
    try:
        shown = await in_thread(public_trace, run) if run.holds_secrets() else public_trace(run)
        return shown.with_texts(masks.restore) if len(masks) else shown
    except Exception:
        # A bug in EduMod: the answer was checked separately, and its draft is stored like any other.
        log.exception("The public trace of a run could not be made, so it is left out")
        return PublicTrace((), ())


def _charges(course: Course, asked: Asked) -> list[Charge]:
    """What the question is compared with: the quotas of its course, and those of the key that was sent."""
    subjects = [Subject(subject_of_course(course.id), f"The course {course.id}", course.quotas)]
    subjects += [asked.key] if asked.key is not None else []
    return [charge for subject in subjects for charge in charges_of_question(subject)]


def _response(
    answer: Answer, configuration: Configuration, trace: TraceRow, shown: PublicTrace, run: Run
) -> AnswerResponse:
    return AnswerResponse.of(
        answer,
        function_calls=shown.calls,
        usage=run.usage,
        configuration=ConfigurationOut.of(configuration),
        draft_id=trace.draft_id,
        trace_id=trace.id,
        trace=shown.steps,
        warnings=answer.warnings,
    )


def _restored(answer: Answer, masks: Masks) -> Answer:
    """The answer with what its placeholders stand for."""
    texts = {"markdown": masks.restore(answer.markdown), "warnings": tuple(map(masks.restore, answer.warnings))}
    return answer.model_copy(update=texts)


def _with_sentence(course: Course, answer: Answer) -> Answer:
    """Statuses without an answer get the course's sentence."""
    if answer.status is Status.ANSWERED or (answer.status is Status.NEEDS_CLARIFICATION and answer.markdown):
        return answer
    return answer.model_copy(update={"markdown": course.sentence(answer.status)})


def _fail(draft: DraftRow, code: str, detail: str, configuration: Configuration) -> None:
    """Records the failure and its configuration in the draft, which has no response to hold them."""
    draft.state = DraftState.FAILED
    draft.error = {
        "code": code,
        "detail": detail,
        "configuration": ConfigurationOut.of(configuration).model_dump(mode="json"),
    }


def _trace(draft: DraftRow, steps: Sequence[Step], usage: Usage) -> TraceRow:
    return TraceRow(
        id=uuid4().hex,
        course_id=draft.course_id,
        draft_id=draft.id,
        created_at=now(),
        steps=[step.model_dump(mode="json", exclude_none=True) for step in steps],
        usage=usage.model_dump(mode="json"),
    )
