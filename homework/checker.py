"""Checks homework in the pool, with limits for each submission."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache, partial

from pydantic import TypeAdapter

from core.errors import EduModError
from core.homework import CRITERIA, Verdict
from core.work.pool import SUBMISSION_LIMITS, WorkPool
from core.work.process import WorkStopped
from core.work.serving import WorkLimits
from homework.findings import Check, HomeworkChecks
from homework.limits import MAX_CHARS
from homework.task import HomeworkTask

_WARM_UP = r"v = \frac{1}{2}\cdot(2 + 3)^2 = \sqrt{16} - 1.5\,\text{m/s}"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class HomeworkChecker:
    """Checks submissions in processes of the pool."""

    pool: WorkPool
    limits: WorkLimits = SUBMISSION_LIMITS

    async def check(self, task: HomeworkTask, text: str) -> HomeworkChecks:
        """The check of each criterion; all are `cannot_tell` where the submission exceeded a limit.

        Raises `Overloaded` and `Stopping`, see `WorkPool`.
        """
        if len(text) > MAX_CHARS:
            return unchecked(f"The submission has more than {MAX_CHARS:,} characters and was not computed.")
        try:
            checks = await self.pool.run(partial(_check, task, text), self.limits, prepare=_load)
            return _checks().validate_json(checks)
        except WorkStopped as error:
            return unchecked(f"The submission was not computed. {error}")
        except EduModError:
            raise
        except Exception:
            logger.exception("The checks failed on a submission of %d characters.", len(text))
            return unchecked("The computation failed on this submission.")


def unchecked(reason: str) -> HomeworkChecks:
    """No verdict by any criterion, and why."""
    return HomeworkChecks({criterion: Check(Verdict.CANNOT_TELL, evidence=reason) for criterion in CRITERIA})


@cache
def _checks() -> TypeAdapter[HomeworkChecks]:
    return TypeAdapter(HomeworkChecks)


@cache
def _load() -> None:
    _check(HomeworkTask(""), _WARM_UP)


def _check(task: HomeworkTask, text: str) -> bytes:
    """In a process: the libraries that read mathematics take seconds to load, which the service need not wait for."""
    from homework.checking import check

    return _checks().dump_json(check(task, text))
