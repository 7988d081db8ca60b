"""Archives that are sent together are held within limits together."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.datastructures import FormData, UploadFile

from app.material.sent_files import UnpackLimits, read_sent_files
from core.course import Course
from core.errors import InvalidInput, OversizedDocument
from core.store.store import Store
from tests.doubles.storm import open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await open_store(tmp_path)
    await store.courses.put("small", Course(id="small").model_dump(mode="json"))
    yield store
    await store.aclose()


def form_of(*files: tuple[str, bytes]) -> FormData:
    return FormData([("file", UploadFile(io.BytesIO(content), filename=name)) for name, content in files])


def zipped(count: int, size: int = 10) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        for number in range(count):
            package.writestr(f"notes/week{number}.md", "x" * size)
    return content.getvalue()


@pytest.mark.parametrize("limits", [UnpackLimits(size=150_000), UnpackLimits(files=3)], ids=["size", "files"])
async def test_two_archives_share_what_one_may_hold(store: Store, limits: UnpackLimits) -> None:
    first, second = ("a.zip", zipped(2, 50_000)), ("b.zip", zipped(2, 50_000))
    assert len((await read_sent_files(store, "small", form_of(first), limits)).rows) == 2
    with pytest.raises(OversizedDocument, match=r"b\.zip"):
        await read_sent_files(store, "small", form_of(first, second), limits)


async def test_two_archives_of_one_name_are_refused(store: Store) -> None:
    with pytest.raises(InvalidInput, match=r"a/notes/week0\.md"):
        await read_sent_files(store, "small", form_of(("a.zip", zipped(1)), ("b/a.zip", zipped(1))))
