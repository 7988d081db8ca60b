"""The checks of `edumod doctor`, each with its finding and a remedy."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from enum import StrEnum

from app.wiring import build_endpoint
from core.concurrency import in_thread
from core.llm.task import Task
from core.private_files import make_home_private
from core.settings import Settings
from core.store.store import Store
from core.types import Value
from pipelines.images.ocr import find_tesseract
from retrievers.embedding.minilm import MiniLM

LOW_DISK_BYTES = 2 * 2**30


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Check(Value):
    name: str
    state: State
    finding: str
    remedy: str = ""


class SayReady(Task[str]):
    """A minimal request, to test whether the endpoint answers."""

    version = "1"
    instructions = "Reply with the single word: ready"
    text: str = "ready?"


async def run_checks(settings: Settings) -> list[Check]:
    """Run all checks in order. Never raises."""
    checks: list[tuple[str, Callable[[Settings], Awaitable[Check]]]] = [
        ("database", _database),
        ("model", _model),
        ("embedding", _embedding),
        ("ocr", _ocr),
        ("disk", _disk),
    ]
    return [await _guarded(name, check, settings) for name, check in checks]


async def _guarded(name: str, check: Callable[[Settings], Awaitable[Check]], settings: Settings) -> Check:
    try:
        return await check(settings)
    except Exception as error:
        # Any error of a check is its finding.
        return Check(name=name, state=State.ERROR, finding=str(error) or repr(error), remedy="See the finding.")


async def _database(settings: Settings) -> Check:
    store = await Store.open(settings.url)
    try:
        courses = [course.id for course in await store.courses.all()]
    finally:
        await store.aclose()
    if not courses:
        remedy = "Load the sample: edumod course load data/ds101/course.yaml"
        return Check(name="database", state=State.WARNING, finding="reachable, but it has no course", remedy=remedy)
    return Check(name="database", state=State.OK, finding=f"courses: {', '.join(courses)}")


async def _model(settings: Settings) -> Check:
    if settings.offline:
        finding = "offline backend: extractive answers, no model"
        remedy = "For written answers, set EDUMOD_LLM_BASE_URL, EDUMOD_LLM_API_KEY and EDUMOD_LLM_MODEL."
        return Check(name="model", state=State.OK, finding=finding, remedy=remedy)
    llm = build_endpoint(settings.model_copy(update={"llm_cache": False}))
    try:
        reply = await llm.run(SayReady())
    finally:
        await llm.aclose()
    seconds = reply.usage.model_ms / 1000
    return Check(name="model", state=State.OK, finding=f"{reply.model} at {settings.llm_base_url}: {seconds:.1f} s")


async def _embedding(settings: Settings) -> Check:
    embedder = MiniLM(settings.home / "models")
    await in_thread(embedder.embed, ["check"])
    return Check(name="embedding", state=State.OK, finding=f"{embedder.model}, {embedder.dimension} dimensions")


async def _ocr(settings: Settings) -> Check:
    if find_tesseract():
        return Check(name="ocr", state=State.OK, finding="tesseract is installed")
    remedy = "Install it, as with: apt-get install tesseract-ocr"
    unread = "images that the model fails to read are lost" if settings.llm_vision else "images are not read"
    return Check(name="ocr", state=State.WARNING, finding=f"tesseract is missing: {unread}", remedy=remedy)


async def _disk(settings: Settings) -> Check:
    await in_thread(make_home_private, settings.home)
    free = shutil.disk_usage(settings.home).free
    finding = f"{free / 2**30:.1f} GiB free in {settings.home}"
    if free < LOW_DISK_BYTES:
        return Check(name="disk", state=State.WARNING, finding=finding, remedy="Free some space, or move EDUMOD_HOME.")
    return Check(name="disk", state=State.OK, finding=finding)
