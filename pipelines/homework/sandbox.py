"""Runs the checks of homework in processes of their own, with limits for each submission."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Self

from core.homework import CRITERIA, Verdict
from pipelines.homework.findings import Check, Checked
from pipelines.homework.limits import MAX_CHARS
from pipelines.homework.task import HomeworkTask
from pipelines.sandbox import MEMORY_MB, SECONDS, LimitExceeded, Sandbox

_WARM_UP = r"v = \frac{1}{2}\cdot(2 + 3)^2 = \sqrt{16} - 1.5\,\text{m/s}"

logger = logging.getLogger(__name__)


class HomeworkChecker:
    """Checks submissions in up to `workers` processes, started with the first submission. An async context manager."""

    def __init__(self, workers: int = 1, *, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> None:
        self._sandbox = Sandbox(_load, workers, seconds=seconds, memory_mb=memory_mb)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the processes; work under way is given up."""
        await self._sandbox.aclose()

    async def check(self, task: HomeworkTask, text: str) -> Checked:
        """The check of each criterion; all are `cannot_tell` where the submission exceeded a limit."""
        if len(text) > MAX_CHARS:
            return unchecked(f"The submission has more than {MAX_CHARS:,} characters and was not computed.")
        try:
            return await self._sandbox.run(_check, task, text)
        except LimitExceeded as error:
            return unchecked(str(error))
        except Exception:
            logger.exception("The checks failed on a submission of %d characters.", len(text))
            return unchecked("The computation failed on this submission.")


def unchecked(reason: str) -> Checked:
    """No verdict by any criterion, and why."""
    return Checked({criterion: Check(Verdict.CANNOT_TELL, evidence=reason) for criterion in CRITERIA})


def _load() -> None:
    _check(HomeworkTask(""), _WARM_UP)


def _check(task: HomeworkTask, text: str) -> Checked:
    """In a process: the libraries that read mathematics take seconds to load, which the service need not wait for."""
    from pipelines.homework.checking import check

    return check(task, text)
