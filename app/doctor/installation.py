"""The checks of `edumod doctor`, each with its finding and a remedy."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable

from app.doctor.check import CheckResult, CheckState
from app.doctor.models import model_checks
from app.models.embeddings import AliasEndpoints, build_embeddings
from core.concurrency import in_thread
from core.embedding import Embedding
from core.ocr import find_tesseract
from core.private_files import make_home_private
from core.settings import Settings
from core.store.inspection import inspect_database
from core.store.store import Store

LOW_DISK_BYTES = 2 * 2**30


async def run_checks(settings: Settings) -> list[CheckResult]:
    """Run all checks in order. Never raises."""
    checks: list[tuple[str, Callable[[Settings], Awaitable[CheckResult]]]] = [
        ("embedding", _embedding),
        ("ocr", _ocr),
        ("disk", _disk),
    ]
    return [
        await _run_check("database", check_database, settings),
        *await model_checks(settings),
        *[await _run_check(name, check, settings) for name, check in checks],
    ]


async def _run_check(name: str, check: Callable[[Settings], Awaitable[CheckResult]], settings: Settings) -> CheckResult:
    try:
        return await check(settings)
    except Exception as error:
        # Any error of a check is its finding.
        return CheckResult(
            name=name, state=CheckState.ERROR, finding=str(error) or repr(error), remedy="See the finding."
        )


async def check_database(settings: Settings) -> CheckResult:
    """The database's kind, where it is, and its courses."""
    store = await Store.open(settings.url)
    try:
        courses = [course.id for course in await store.courses.all()]
    finally:
        await store.aclose()
    inspection = await in_thread(inspect_database, settings.url)
    database = f"{inspection.kind}, {inspection.url}"
    if not courses:
        remedy = "Load the sample: edumod course load data/ds101/course.yaml"
        finding = f"{database}: reachable, but it has no course"
        return CheckResult(name="database", state=CheckState.WARNING, finding=finding, remedy=remedy)
    return CheckResult(name="database", state=CheckState.OK, finding=f"{database}; courses: {', '.join(courses)}")


async def _embedding(settings: Settings) -> CheckResult:
    endpoints = AliasEndpoints(settings)
    try:
        encoder = (await in_thread(build_embeddings, settings, endpoints)).configured
        await encoder.passages(["check"])
        embedding = await encoder.embedding()
    finally:
        await endpoints.aclose()
    return await _check_embeddings(settings, embedding)


async def _check_embeddings(settings: Settings, embedding: Embedding) -> CheckResult:
    """Whether all courses are embedded with the configured embedding."""
    finding = f"{embedding.name}, {embedding.dimension} dimensions"
    store = await Store.open(settings.url)
    try:
        courses = await store.courses.all()
    finally:
        await store.aclose()
    others = [course.id for course in courses if course.embedding is not None and course.embedding.id != embedding.id]
    if not others:
        return CheckResult(name="embedding", state=CheckState.OK, finding=finding)
    finding = f"{finding}; embedded with another: {', '.join(others)}"
    remedy = f"They are searched with that one as long as it is to be had. To change: edumod course embed {others[0]}"
    return CheckResult(name="embedding", state=CheckState.WARNING, finding=finding, remedy=remedy)


async def _ocr(settings: Settings) -> CheckResult:
    if find_tesseract():
        return CheckResult(name="ocr", state=CheckState.OK, finding="tesseract is installed")
    remedy = "Install it, as with: apt-get install tesseract-ocr"
    unread = "images that the model fails to read are lost" if settings.llm_vision else "images are not read"
    return CheckResult(name="ocr", state=CheckState.WARNING, finding=f"tesseract is missing: {unread}", remedy=remedy)


async def _disk(settings: Settings) -> CheckResult:
    await in_thread(make_home_private, settings.home)
    free = shutil.disk_usage(settings.home).free
    finding = f"{free / 2**30:.1f} GiB free in {settings.home.resolve()}"
    if free < LOW_DISK_BYTES:
        return CheckResult(
            name="disk", state=CheckState.WARNING, finding=finding, remedy="Free some space, or move EDUMOD_HOME."
        )
    return CheckResult(name="disk", state=CheckState.OK, finding=finding)
