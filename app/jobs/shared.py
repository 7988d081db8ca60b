"""Jobs in PostgreSQL for workers on any machine, by procrastinate (decision 0091).

Its tables are in the schema `edumod_jobs`. One task of procrastinate runs every kind of job, so that a job which only
a later version knows fails with a sentence, and is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from app.jobs.kind import Arguments, JobKind, Lane, LaneState, Workplace
from app.jobs.kinds import KINDS
from app.jobs.running import DIED, WAITS, attempt, kind_of, note_failure
from core.errors import SetupError, StorageUnavailable
from core.store.queue_schema import SCHEMA, prepare_queue
from core.store.tables import now

if TYPE_CHECKING:
    import procrastinate
    from procrastinate import BaseRetryStrategy, RetryDecision
    from procrastinate.jobs import Job


TASK = "job"
HEARTBEAT_SECONDS = 5.0
DEAD_SECONDS = 20.0
"""A worker without a sign of life for so long has died: what it worked on is taken up by others."""
SWEEP_SECONDS = 5.0
POLL_SECONDS = 2.0
"""How often a worker looks for jobs itself: messages of the database make it quicker, but a pooler drops them."""
MAX_DEATHS = len(WAITS)
"""Deaths of workers on one job after which it is left alone."""
AWAY_SECONDS = 10.0
"""Before the next attempt where the database could not be told what became of a job."""
GRACE_SECONDS = 30.0
CONNECTIONS = 2
"""Of a process that adds jobs; a worker has some more."""

log = logging.getLogger("edumod")


class SharedQueue:
    """Adds jobs, and with `work` does them. One per process."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._app: procrastinate.App | None = None
        self._opening = asyncio.Lock()

    async def add(self, name: str, arguments: Arguments, key: str) -> bool:
        return await self._add(kind_of(name), arguments, key)

    async def _add(
        self, kind: JobKind, arguments: Arguments, key: str, *, attempts: int = 0, wait: float | None = None
    ) -> bool:
        from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

        app = await self._open()
        task = app.configure_task(
            TASK,
            queue=kind.lane.value,
            priority=kind.priority,
            queueing_lock=f"{kind.name} {key}",
            schedule_at=now() + timedelta(seconds=wait) if wait else None,
        )
        try:
            await task.defer_async(kind=kind.name, arguments=dict(arguments), key=key, attempts=attempts)
        except AlreadyEnqueued:
            return False
        except ConnectorException as error:
            raise StorageUnavailable("jobs cannot be added") from error
        return True

    async def lanes(self) -> list[LaneState]:
        await self._open()
        rows = await self._workplace.store.queue_state.lanes()
        return [LaneState(*row) for row in rows]

    async def work(self, lanes: Sequence[Lane], concurrency: int) -> None:
        """Work until cancelled; jobs under way then have `GRACE_SECONDS`, and are taken up by others afterwards."""
        app = await self._open(concurrency)
        sweeping = asyncio.create_task(self._sweep_for_ever())
        try:
            while True:
                try:
                    await self._work(app, lanes, concurrency)
                except Exception as error:
                    log.warning("The worker begins anew: %s", error)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)

    async def _work(self, app: procrastinate.App, lanes: Sequence[Lane], concurrency: int) -> None:
        await app.run_worker_async(
            queues=[lane.value for lane in lanes],
            concurrency=concurrency,
            install_signal_handlers=False,
            fetch_job_polling_interval=POLL_SECONDS,
            shutdown_graceful_timeout=GRACE_SECONDS,
            update_heartbeat_interval=HEARTBEAT_SECONDS,
            stalled_worker_timeout=DEAD_SECONDS,
            delete_jobs="always",
        )

    async def sweep(self) -> int:
        """Give jobs of dead workers to others; how many that were. One process does so at a time."""
        app, moved = await self._open(), 0
        async with self._workplace.store.queue_state.alone("sweep") as is_alone:
            if not is_alone:
                return 0
            for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_SECONDS):
                moved += await self._take_up(app, job)
        return moved

    async def aclose(self) -> None:
        if self._app is not None:
            await self._app.close_async()

    async def _take_up(self, app: procrastinate.App, job: Job) -> bool:
        from procrastinate.exceptions import ConnectorException, UniqueViolation
        from procrastinate.jobs import Status

        assert job.id is not None
        # Its worker may have come back, or ended it, since the list was read.
        with suppress(ConnectorException):
            if job.attempts < MAX_DEATHS:
                try:
                    await app.job_manager.retry_job_by_id_async(job.id, retry_at=now())
                except UniqueViolation:
                    # The same work waits already, added since.
                    await app.job_manager.finish_job_by_id_async(job.id, Status.ABORTED, delete_job=True)
                log.warning("The job %s is taken up again: its worker has died.", job.queueing_lock)
                return True
            what: dict[str, Any] = dict(job.task_kwargs)
            error = DIED.format(job.attempts + 1)
            await note_failure(self._workplace, what["kind"], what["arguments"], what["key"], job.attempts + 1, error)
            await app.job_manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=True)
        return False

    async def _sweep_for_ever(self) -> None:
        while True:
            try:
                await self.sweep()
            except Exception as error:
                log.warning("Jobs of dead workers were not looked for: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    async def _open(self, concurrency: int = 0) -> procrastinate.App:
        async with self._opening:
            if self._app is None:
                self._app = await self._opened(concurrency)
        return self._app

    async def _opened(self, concurrency: int) -> procrastinate.App:
        try:
            import procrastinate
        except ImportError as error:
            raise SetupError(
                f"Jobs in PostgreSQL need procrastinate, which cannot be used: {error}. Install it: "
                "pip install 'edumod[postgresql]'"
            ) from error
        database = self._workplace.store.database
        await prepare_queue(database)
        connector = procrastinate.PsycopgConnector(
            min_size=1,
            max_size=CONNECTIONS + (concurrency + 3) // 4,
            kwargs=database.connect_arguments(search_path=SCHEMA),
        )
        app = procrastinate.App(connector=connector)
        self._declare(app)
        await app.open_async()
        return app

    def _declare(self, app: procrastinate.App) -> None:
        async def job(kind: str, arguments: dict[str, Any], key: str, attempts: int = 0) -> None:
            if (wait := await attempt(self._workplace, kind, arguments, key, attempts)) is not None:
                # A new job rather than the same again, which could not wait beside one that was added meanwhile.
                await self._add(KINDS[kind], arguments, key, attempts=attempts + 1, wait=wait)

        app.task(name=TASK, retry=_again())(job)
        for kind in KINDS.values():
            if kind.cron is not None:
                self._repeat(app, kind, kind.cron)

    def _repeat(self, app: procrastinate.App, kind: JobKind, cron: str) -> None:
        async def add(timestamp: int) -> None:
            await self.add(kind.name, {}, str(timestamp))

        task = app.task(name=f"add {kind.name}", queue=kind.lane.value, queueing_lock=f"add {kind.name}")(add)
        app.periodic(cron=cron)(task)


def _again() -> BaseRetryStrategy:
    """What becomes of a job that did not end by itself: it waits again. The worker stops, or the database is away."""
    from procrastinate import BaseRetryStrategy, RetryDecision

    class Again(BaseRetryStrategy):
        def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
            wait = AWAY_SECONDS if isinstance(exception, Exception) else 0.0
            return RetryDecision(retry_at=now() + timedelta(seconds=wait))

    return Again()
