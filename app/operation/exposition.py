"""Shows the metrics to Prometheus: on the service's own address to this machine, or on an address of their own.

Several workers keep their figures in files of one folder, which `PROMETHEUS_MULTIPROC_DIR` names to prometheus_client;
whoever is asked adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from core.errors import SetupError
from core.settings import Settings
from core.store.processes import is_running

MEDIA_TYPE = CONTENT_TYPE_LATEST
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_by_workers() -> Iterator[None]:
    """While it lasts, processes that are started keep their figures in files. To be entered before they start."""
    with TemporaryDirectory(prefix="edumod-metrics-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


def is_shared() -> bool:
    """True in a process that shares its figures with others."""
    return FOLDER in os.environ


def exposition(registry: CollectorRegistry) -> bytes:
    """The figures in Prometheus's text format, of all workers where there are several."""
    return generate_latest(_all_workers() if is_shared() else registry)


@contextmanager
def on_own_address(settings: Settings, registry: CollectorRegistry | None = None) -> Iterator[None]:
    """Serves the figures on the address that the settings name, if they name one. Raises `SetupError`.

    Without `registry`, those of all workers.
    """
    if (address := settings.metrics_address) is None:
        yield
        return
    host, port = address
    try:
        server, thread = start_http_server(port, host, registry or _all_workers())
    except OSError as error:
        problem = f"EDUMOD_METRICS: the address {host}:{port} cannot be used: {error.strerror or error}."
        raise SetupError(f"{problem} Choose another one.") from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _all_workers() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Workers(os.environ[FOLDER]))
    return registry


class _Workers(Collector):
    """Adds up what the workers have written. What a dead one last showed of its load is dropped first."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        for pid in {_pid(file) for file in Path(self._folder).glob("gauge_live*.db")}:
            if not is_running(pid):
                mark_process_dead(pid, self._folder)  # type: ignore[no-untyped-call]
        metrics: Iterable[Metric] = MultiProcessCollector(None, self._folder).collect()  # type: ignore[no-untyped-call]
        return metrics


def _pid(file: Path) -> int:
    return int(file.stem.rpartition("_")[2])
