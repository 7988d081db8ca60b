"""`/openai/v1`: chat clients ask a course as they ask a model of OpenAI."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.answering.delivery import IdempotencyHeader
from app.doors.addresses import base_of
from app.doors.asking import prepare_answer
from app.doors.openai.replies import (
    chat_chunks,
    chat_completion,
    chat_errand,
    errand_chunks,
    response_events,
    response_object,
    streamed,
)
from app.doors.openai.requests import (
    ChatRequest,
    ResponsesRequest,
    errand_reply,
    model_parts,
    parameters_of,
    question_of,
)
from app.routes.parameters import Asker
from app.routes.services import Wired
from app.wiring import Services
from core.access import Access, Permission
from core.errors import NotFound, UnknownName
from pipelines import PIPELINES

router = APIRouter(prefix="/openai/v1", include_in_schema=False)
CREATED = 1
"""Every model's time of creation: clients demand one."""


@router.get("/models")
async def list_models(services: Wired, access: Asker) -> dict[str, Any]:
    """Every course that the key may ask, and each with every pipeline."""
    courses = await _courses(services, access)
    names = [name for course in courses for name in (course, *(f"{course}/{one.name}" for one in PIPELINES))]
    return {"object": "list", "data": [_model(name) for name in names]}


@router.get("/models/{model:path}")
async def read_model(model: str, services: Wired, access: Asker) -> dict[str, Any]:
    """One of them. Raises `NotFound`."""
    await _parts(services, access, model)
    return _model(model)


@router.post("/chat/completions")
async def chat(
    request: ChatRequest, services: Wired, access: Asker, http: Request, key: IdempotencyHeader = None
) -> Response:
    """Answer the last message of a conversation."""
    course, pipeline = await _parts(services, access, request.model)
    if (errand := errand_reply(request)) is not None:
        if not request.stream:
            return JSONResponse(chat_errand(errand, request.model))
        done: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        done.set_result(errand)
        return await streamed(done, partial(errand_chunks, model=request.model), http.url.path, named=False)
    question, parameters = question_of(request, course), parameters_of(pipeline, request.seed)
    work = await prepare_answer(services, access, question, parameters, base_of(http), key)
    if not request.stream:
        return JSONResponse(chat_completion(await work(), request.model))
    with_usage = request.stream_options is not None and request.stream_options.include_usage
    pieces = partial(chat_chunks, model=request.model, with_usage=with_usage)
    return await streamed(asyncio.ensure_future(work()), pieces, http.url.path, named=False)


@router.post("/responses")
async def create_response(
    request: ResponsesRequest, services: Wired, access: Asker, http: Request, key: IdempotencyHeader = None
) -> Response:
    """The same in the form of OpenAI's newer API."""
    course, pipeline = await _parts(services, access, request.model)
    question = question_of(request.as_chat(), course)
    work = await prepare_answer(services, access, question, parameters_of(pipeline), base_of(http), key)
    if not request.stream:
        return JSONResponse(response_object(await work(), request.model))
    pieces = partial(response_events, model=request.model)
    return await streamed(asyncio.ensure_future(work()), pieces, http.url.path, named=True)


async def _courses(services: Services, access: Access) -> list[str]:
    return [course.id for course in await services.store.courses.all(access.courses(Permission.ANSWER))]


async def _parts(services: Services, access: Access, model: str) -> tuple[str, str | None]:
    """Raises `NotFound`, naming the models that there are for this key."""
    try:
        return model_parts(model, await _courses(services, access), [one.name for one in PIPELINES])
    except UnknownName as error:
        raise NotFound(str(error)) from error


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "edumod"}
