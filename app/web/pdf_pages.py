"""PDF pages as images with the positions of quotations, cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from app.web.page_drawing import Rectangle, import_pymupdf, page_crop, page_image, page_marks
from core.concurrency import SingleFlight
from core.errors import HostileDocument
from core.work.pool import SUBMISSION_LIMITS, WorkPool
from core.work.process import WorkFailed, WorkStopped
from core.work.serving import WorkLimits

MAX_KEPT_BYTES = 32 * 2**20
MIN_KEPT_BYTES = 2_000
"""What an entry counts at least, so that small ones are not kept in any number."""
FAILURE_SECONDS = 600.0
"""How long a page that could not be drawn is not tried again."""


@dataclass(frozen=True)
class PageMarks:
    """Page size in points, number of pages, and rectangles of the quotation's lines."""

    width: float
    height: float
    pages: int
    lines: tuple[Rectangle, ...]


@dataclass(frozen=True)
class _Kept:
    """A page's result, or a problem until a moment of the clock."""

    value: Any = None
    problem: str = ""
    until: float = float("inf")

    @property
    def size(self) -> int:
        return max(MIN_KEPT_BYTES, len(self.value) if isinstance(self.value, bytes) else 0)


@dataclass
class PdfPages:
    """Draws pages and finds quotations in processes of the pool; those of late are kept, failures too."""

    pool: WorkPool
    limits: WorkLimits = SUBMISSION_LIMITS
    clock: Callable[[], float] = monotonic
    _kept: dict[Hashable, _Kept] = field(default_factory=dict, init=False, repr=False)
    _flights: SingleFlight[_Kept] = field(default_factory=SingleFlight, init=False, repr=False)

    async def image(self, file: Path, number: int) -> bytes | None:
        """The page, from 1, as PNG, or None. Raises `HostileDocument` and what the pool raises."""
        image: bytes | None = await self._get(number, (file, number), partial(page_image, file, number))
        return image

    async def crop(self, file: Path, number: int, boxes: Sequence[Rectangle], quote: str) -> bytes | None:
        """The part of the page around the boxes, as PNG, or None. Raises as `image`."""
        key = ("crop", file, number, tuple(boxes), quote)
        image: bytes | None = await self._get(number, key, partial(page_crop, file, number, tuple(boxes), quote))
        return image

    async def marks(self, file: Path, number: int, quote: str) -> PageMarks | None:
        """Where the quote stands on the page, or None. Raises as `image`."""
        fields = await self._get(number, (file, number, quote), partial(page_marks, file, number, quote))
        return None if fields is None else PageMarks(*fields)

    async def _get(self, number: int, key: Hashable, work: Callable[[], Any]) -> Any:
        entry = self._kept.pop(key, None)
        if entry is None or entry.until < self.clock():
            entry = await self._flights.do(key, partial(self._work, number, work))
        self._keep(key, entry)
        if entry.problem:
            raise HostileDocument(entry.problem)
        return entry.value

    async def _work(self, number: int, work: Callable[[], Any]) -> _Kept:
        try:
            return _Kept(await self.pool.run(work, self.limits, prepare=import_pymupdf))
        except (WorkStopped, WorkFailed) as error:
            reason = str(error) if isinstance(error, WorkStopped) else "The file is broken there."
            return _Kept(
                problem=f"Page {number} cannot be shown as an image. {reason}", until=self.clock() + FAILURE_SECONDS
            )

    def _keep(self, key: Hashable, entry: _Kept) -> None:
        self._kept[key] = entry
        while sum(other.size for other in self._kept.values()) > MAX_KEPT_BYTES:
            del self._kept[next(iter(self._kept))]
