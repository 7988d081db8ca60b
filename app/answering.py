"""From a validated request to a stored draft: consent, idempotency, the run, and what is kept when it fails."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from app.fallback import WatchRun, answered_anyhow
from app.images import decoded
from app.schemas import AnswerParameters, AnswerRequest, AnswerResponse, ConfigurationOut
from core.concurrency import in_thread
from core.course import Course
from core.errors import EduModError, InvalidInput, TooLarge, UnknownName
from core.settings import Settings
from core.store.courses import StoredCourse
from core.store.drafts import Claim
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, TraceRow, now
from core.types import Answer, BodyFormat, FunctionCall, Message, Question, Status, Step, Usage
from ingestion.loaders.bodies import plain
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration, resolve
from pipelines.public import PublicTrace, public_trace
from pipelines.run import Run

LONGEST_THREAD = 10
"""Question, code and thread together may be this many times as long as a question."""

INTERRUPTED = "interrupted"
LEFT = "The connection was closed before the answer was there, so the work was stopped."
BROKEN = "The run did not end; see the server's log."

T = TypeVar("T")


def unwatched(run: Run, told: FunctionCall | Step) -> None:
    """For whoever waits for the answer alone."""


@dataclass(frozen=True)
class Answering:
    store: Store
    assistant: Assistant
    settings: Settings
    _read: dict[str, tuple[StoredCourse, Course]] = field(default_factory=dict, init=False, repr=False)

    async def answer(
        self,
        request: AnswerRequest,
        parameters: AnswerParameters,
        idempotency_key: str | None = None,
        watch: WatchRun = unwatched,
    ) -> AnswerResponse:
        """Answer one forum question and keep the draft with its trace; `watch` is told of each call and step.

        Raises typed errors. Where a run fails, the question is kept in a failed draft, whose id the error carries.
        """
        self._check_sizes(request)
        course = await self.course(request.course)
        configuration = self.configuration(course, parameters)
        if refused(course, request):
            return await self._refuse(course, configuration)
        question = to_question(request) if _is_markdown(request) else await in_thread(to_question, request)
        pictures = request.question.images
        images = await in_thread(decoded, pictures, self.settings.max_image_bytes) if pictures else ()
        draft = DraftRow(
            id=uuid4().hex,
            course_id=course.id,
            created_at=now(),
            state=DraftState.WORKING,
            request=_kept(request),
            idempotency_key=idempotency_key,
        )
        if idempotency_key is None:
            # Goes to disk while the model is being asked: both take their time, neither needs the other.
            begun = self.store.drafts.begin(draft)
        else:
            begun = None
            claim = await self._claimed(draft, idempotency_key, _fingerprint(request, parameters), configuration)
            if claim.response is not None:
                return AnswerResponse.model_validate(claim.response)
            draft.id = claim.draft_id
        return await self._run(course, question, configuration, draft, begun, images, watch)

    async def course(self, course_id: str) -> Course:
        """The course's file. Raises `UnknownName`."""
        stored = await self.store.courses.get(course_id)
        read = self._read.get(course_id)
        if read is None or read[0] is not stored:
            read = self._read[course_id] = (stored, Course.model_validate(stored.config))
        return read[1]

    def configuration(self, course: Course, parameters: AnswerParameters) -> Configuration:
        """The request's choices, the course's defaults for the rest. Raises `UnknownName` and `InvalidInput`."""
        own = self.assistant.llm.model
        configuration = resolve(course.defaults.model_dump(), parameters.model_dump(by_alias=True), own)
        if configuration.model not in (allowed := self.settings.models(own)):
            raise UnknownName("model", configuration.model, allowed)
        return configuration

    async def _run(
        self,
        course: Course,
        question: Question,
        configuration: Configuration,
        draft: DraftRow,
        begun: asyncio.Future[None] | None,
        images: tuple[bytes, ...],
        watch: WatchRun,
    ) -> AnswerResponse:
        run = self.assistant.start(course, question, configuration, images)
        run.watch(partial(watch, run))
        try:
            run, answer = await answered_anyhow(self.assistant, run, configuration, draft.id, images, watch)
        except EduModError as error:
            _fail(draft, error.code, error.public, configuration)
            await _to_the_end(self._failed(draft, begun, run))
            raise error.of_draft(draft.id) from error
        except BaseException as error:
            left = isinstance(error, asyncio.CancelledError)
            _fail(draft, INTERRUPTED, LEFT if left else BROKEN, configuration)
            await _to_the_end(self._failed(draft, begun, run))
            raise
        answered = self._answered(course, answer, configuration, draft, begun, run)
        # Without secrets nothing is awaited before both writes are queued, and a queued draft needs nobody.
        return await (_to_the_end(answered) if run.holds_secrets() else answered)

    async def _answered(
        self,
        course: Course,
        answer: Answer,
        configuration: Configuration,
        draft: DraftRow,
        begun: asyncio.Future[None] | None,
        run: Run,
    ) -> AnswerResponse:
        shown = await _public(run)
        trace = _trace(draft, shown.steps, run.usage)
        response = AnswerResponse.of(
            _with_sentence(course, answer),
            function_calls=shown.calls,
            usage=run.usage,
            configuration=_shown(configuration),
            draft_id=draft.id,
            trace_id=trace.id,
            trace=shown.steps,
            warnings=answer.warnings,
        )
        draft.state = DraftState.PENDING
        draft.response = response.model_dump(mode="json")
        await self._keep(draft, begun, trace)
        return response

    async def _failed(self, draft: DraftRow, begun: asyncio.Future[None] | None, run: Run) -> None:
        shown = await _public(run)
        await self._keep(draft, begun, _trace(draft, shown.steps, run.usage))

    async def _keep(self, draft: DraftRow, begun: asyncio.Future[None] | None, trace: TraceRow) -> None:
        # Both at once: where the answer was quick, one transaction holds its beginning and its end.
        ended = self.store.drafts.end(draft, trace)
        await asyncio.gather(*([begun] if begun is not None else []), ended)

    async def _claimed(self, draft: DraftRow, key: str, fingerprint: str, configuration: Configuration) -> Claim:
        """The key's claim; given back where the request is cancelled meanwhile, so that the key can be used again."""
        claiming = asyncio.create_task(self.store.drafts.claim(draft.course_id, key, fingerprint, draft.request or {}))
        try:
            return await _to_the_end(claiming)
        except asyncio.CancelledError:
            if claiming.exception() is None and claiming.result().response is None:
                draft.id = claiming.result().draft_id
                _fail(draft, INTERRUPTED, LEFT, configuration)
                await _to_the_end(self._keep(draft, None, _trace(draft, (), Usage())))
            raise

    async def _refuse(self, course: Course, configuration: Configuration) -> AnswerResponse:
        """Without consent nothing of the request is stored, and no model is asked."""
        draft = DraftRow(id=uuid4().hex, course_id=course.id, state=DraftState.REFUSED)
        await self.store.drafts.begin(draft)
        answer = Answer(status=Status.CONSENT_REQUIRED, markdown=course.sentence(Status.CONSENT_REQUIRED))
        return AnswerResponse.of(
            answer,
            function_calls=(),
            usage=Usage(),
            configuration=_shown(configuration),
            draft_id=draft.id,
            trace_id=None,
            trace=(),
        )

    def _check_sizes(self, request: AnswerRequest) -> None:
        limit = self.settings.max_question_chars
        texts = {"question.body": request.question.body, "code": request.code or ""}
        texts |= {f"thread.{n}.body": message.body for n, message in enumerate(request.thread)}
        for where, text in texts.items():
            if len(text) > limit:
                raise TooLarge(
                    f"{where} has {len(text):,} characters; at most {limit:,} are allowed. "
                    "Shorten it, or raise EDUMOD_MAX_QUESTION_CHARS."
                )
        if (total := sum(map(len, texts.values()))) > (most := LONGEST_THREAD * limit):
            raise TooLarge(f"Question, code and thread have {total:,} characters; at most {most:,} are allowed.")


async def _to_the_end(work: Awaitable[T]) -> T:
    """What comes of the work, which is not left half done where the request is cancelled; that is raised after it."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled from task.exception()
    return task.result()


async def _public(run: Run) -> PublicTrace:
    """What may be shown of the run, made in a thread where there are secrets to look for."""
    return await in_thread(public_trace, run) if run.holds_secrets() else public_trace(run)


def refused(course: Course, request: AnswerRequest) -> bool:
    """True where consent is denied, and where the course asks for it and it is absent."""
    consent = request.author.consent
    return consent is False or (course.consent_required and consent is not True)


def to_question(request: AnswerRequest) -> Question:
    """The request's texts as a question: Markdown as it is, HTML as plain text.

    Raises `InvalidInput` where nothing is left to answer.
    """
    asked = request.question
    body = _text(asked.body, asked.body_format)
    if not body and not asked.title.strip():
        raise InvalidInput("question.body has no text. Send the student's words.")
    thread = ((message, _text(message.body, message.body_format)) for message in request.thread)
    return Question(
        title=asked.title.strip(),
        body=body or asked.title.strip(),
        category=asked.category,
        code=request.code,
        language=request.language,
        thread=tuple(Message(role=m.role, body=text, endorsed=m.endorsed) for m, text in thread if text),
    )


def _is_markdown(request: AnswerRequest) -> bool:
    """True where every text is taken as it is; to take another format apart takes longer than to change threads."""
    return {request.question.body_format, *(one.body_format for one in request.thread)} == {BodyFormat.MARKDOWN}


def _text(body: str, body_format: BodyFormat) -> str:
    return body.strip() if body_format is BodyFormat.MARKDOWN else plain(body, body_format).strip()


def _kept(request: AnswerRequest) -> dict[str, Any]:
    """The request as it is stored: of pictures, what they were."""
    kept: dict[str, Any] = request.model_dump(mode="json", exclude_defaults=True)
    for image in kept["question"].get("images", []):
        data = image.pop("data")
        image |= {"chars": len(data), "sha256": hashlib.sha256(data.encode()).hexdigest()}
    return kept


def _with_sentence(course: Course, answer: Answer) -> Answer:
    """Statuses without an answer of their own get the course's sentence."""
    if answer.status is Status.ANSWERED or (answer.status is Status.NEEDS_CLARIFICATION and answer.markdown):
        return answer
    return answer.model_copy(update={"markdown": course.sentence(answer.status)})


def _fail(draft: DraftRow, code: str, detail: str, configuration: Configuration) -> None:
    """What went wrong, and with which configuration: there is no response to say so."""
    draft.state = DraftState.FAILED
    draft.error = {"code": code, "detail": detail, "configuration": _shown(configuration).model_dump(mode="json")}


def _trace(draft: DraftRow, steps: Sequence[Step], usage: Usage) -> TraceRow:
    return TraceRow(
        id=uuid4().hex,
        course_id=draft.course_id,
        draft_id=draft.id,
        created_at=now(),
        steps=[step.model_dump(mode="json", exclude_none=True) for step in steps],
        usage=usage.model_dump(mode="json"),
    )


def _shown(configuration: Configuration) -> ConfigurationOut:
    resolved = configuration.model_dump(exclude={"parameters"}) | configuration.parameters
    return ConfigurationOut(**resolved, prompts=configuration.prompts, hash=configuration.hash)


def _fingerprint(request: AnswerRequest, parameters: AnswerParameters) -> str:
    return hashlib.sha256(f"{request.model_dump_json()}{parameters.model_dump_json()}".encode()).hexdigest()
