"""A request's question: limits and texts, and the form in which it is stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from app.answering.asked_question import AskedQuestion, IdempotencyKey
from app.answering.images import decoded
from app.schemas import AnswerParameters, AnswerRequest, CodeTestIn
from app.webhooks.targets import check_url
from core.access import LOCAL, Access, Permission
from core.code import CodeTest, LintMessage
from core.concurrency import in_thread
from core.errors import InvalidInput, TooLarge
from core.privacy.names import KnownPerson
from core.settings import Settings
from core.text.lines import tidy_text
from core.types import BodyFormat, Message, Question

P = ParamSpec("P")
T = TypeVar("T")

MAX_THREAD_QUESTIONS = 10
"""Maximum length of question, code and thread together, as a multiple of the limit for one question."""


async def asked_in(request: AnswerRequest, settings: Settings, access: Access) -> AskedQuestion:
    """The request's question.

    Raises `TooLarge` if its texts are longer than the settings allow, `InvalidInput` if it has no text, or an image or
    the callback's address is not valid.
    """
    if request.callback_url is not None:
        check_url(request.callback_url, settings.webhook_hosts)
    _check_sizes(request, settings.max_question_chars)
    pictures = request.question.images
    images = await in_thread(decoded, pictures, settings.max_image_bytes) if pictures else ()
    return await _asked(request, await _beside_others(_stored, request), images, access=access)


async def asked_again(stored: dict[str, Any], images: tuple[bytes, ...] = ()) -> AskedQuestion:
    """The question of a stored request, with those of its images that are stored beside it.

    Raises pydantic's `ValidationError` if the request does not have the fields of today's.
    """
    question = {name: value for name, value in stored["question"].items() if name != "images"}
    request = AnswerRequest.model_validate({**stored, "question": question})
    lost = len(stored["question"].get("images", ())) - len(images)
    note = f"The question had {lost} image(s), which were not stored. It was answered without them."
    return await _asked(request, stored, images, notes=(note,) if lost > 0 else ())


async def _asked(
    request: AnswerRequest,
    stored: dict[str, Any],
    images: tuple[bytes, ...] = (),
    notes: tuple[str, ...] = (),
    access: Access | None = None,
) -> AskedQuestion:
    question = to_question(request) if _is_markdown(request) else await in_thread(to_question, request)
    return AskedQuestion(
        request.course,
        question,
        stored,
        asked_by=access.actor.id if access else None,
        key=access.key if access else None,
        limited_as=_limited_as(request, access) if access else None,
        asker_is_staff=bool(access and access.may(Permission.DRAFTS_READ, request.course)),
        people=tuple(KnownPerson.model_validate(one.model_dump()) for one in request.people),
        pseudonym=request.author.pseudonym,
        thread_id=request.thread_id,
        callback_url=request.callback_url,
        consent=request.author.consent,
        images=images,
        notes=notes,
    )


def _limited_as(request: AnswerRequest, access: Access) -> str | None:
    """Whose attempts at homework are counted: whoever signed in, or whom a program asks for. Staff's are not."""
    if access.may(Permission.DRAFTS_READ, request.course):
        return None
    return f"{access.actor.id}\0{request.author.pseudonym}" if access.key else access.actor.id


def to_question(request: AnswerRequest) -> Question:
    """The request's texts as a question: Markdown unchanged, HTML as plain text.

    Raises `InvalidInput` if no text is left, or if the code has fewer lines than the one that it is about.
    """
    asked = request.question
    lines = len(request.code.splitlines()) if request.code else 0
    if request.line and lines and request.line > lines:
        raise InvalidInput(f"line is {request.line}, and code has {lines} line(s). Lines are counted from 1.")
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
        exercise=request.exercise,
        line=request.line,
        tests=_tests(request.tests),
        linting=tuple(LintMessage(**one.model_dump()) for one in request.linting),
        programming_language=request.programming_language,
        thread=tuple(Message(role=m.role, body=text, endorsed=m.endorsed) for m, text in thread if text),
        asked_at=asked.asked_at,
    )


def _tests(given: list[CodeTestIn] | str | dict[str, Any]) -> tuple[CodeTest, ...]:
    """The tests' results. Raises `InvalidInput` for a report of an unknown form."""
    if isinstance(given, list):
        return tuple(CodeTest(**one.model_dump()) for one in given)
    from student_code.results import read_results  # Few requests have a report, and its parsers take a while.

    return read_results(given)


def _is_markdown(request: AnswerRequest) -> bool:
    """True if every text is used unchanged; parsing another format takes longer than switching threads."""
    return {request.question.body_format, *(one.body_format for one in request.thread)} == {BodyFormat.MARKDOWN}


def _text(body: str, body_format: BodyFormat) -> str:
    if body_format is BodyFormat.HTML:
        from core.text.html import html_text  # Few forums send HTML, and its parser takes a while to import.

        return html_text(body).strip()
    return body.strip() if body_format is BodyFormat.MARKDOWN else tidy_text(body)


def _stored(request: AnswerRequest) -> dict[str, Any]:
    """The request as it is stored: with a description in place of each image's data."""
    stored: dict[str, Any] = request.model_dump(mode="json", exclude_defaults=True)
    for image in stored["question"].get("images", []):
        data = image.pop("data")
        image |= {"chars": len(data), "sha256": hashlib.sha256(data.encode()).hexdigest()}
    return stored


async def idempotency_key(
    value: str | None, request: AnswerRequest, parameters: AnswerParameters, access: Access
) -> IdempotencyKey | None:
    """The client's key, if it sent one, with a hash of its request. Each client has keys of its own."""
    if value is None:
        return None
    client = access.person
    own = value if client is None or client == LOCAL else f"{client.id}/{value}"
    return IdempotencyKey(own, await _beside_others(_fingerprint, request, parameters))


def _fingerprint(request: AnswerRequest, parameters: AnswerParameters) -> str:
    return hashlib.sha256(f"{request.model_dump_json()}{parameters.model_dump_json()}".encode()).hexdigest()


async def _beside_others(
    work: Callable[Concatenate[AnswerRequest, P], T], request: AnswerRequest, *args: P.args, **kwargs: P.kwargs
) -> T:
    """In a thread where the request has images: to go through megabytes takes tens of milliseconds."""
    if request.question.images:
        return await in_thread(work, request, *args, **kwargs)
    return work(request, *args, **kwargs)


def _sent(tests: list[CodeTestIn] | dict[str, Any]) -> Any:
    return [one.model_dump() for one in tests] if isinstance(tests, list) else tests


def _check_sizes(request: AnswerRequest, limit: int) -> None:
    """Raises `TooLarge` if a text has more than `limit` characters, or all texts together have too many."""
    texts = {"question.body": request.question.body, "code": request.code or ""}
    texts["tests"] = request.tests if isinstance(request.tests, str) else json.dumps(_sent(request.tests))
    texts["linting"] = "".join(one.message for one in request.linting)
    texts |= {f"thread.{n}.body": message.body for n, message in enumerate(request.thread)}
    for where, text in texts.items():
        if len(text) > limit:
            raise TooLarge(
                f"{where} has {len(text):,} characters; at most {limit:,} are allowed. "
                "Shorten it, or raise EDUMOD_MAX_QUESTION_CHARS."
            )
    if (total := sum(map(len, texts.values()))) > (maximum := MAX_THREAD_QUESTIONS * limit):
        raise TooLarge(f"Question, code and thread have {total:,} characters; at most {maximum:,} are allowed.")
