"""`edumod serve`."""

from __future__ import annotations

import asyncio
import logging
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import output
from core.errors import SetupError, StorageUnavailable
from core.settings import Settings, read_settings

if TYPE_CHECKING:
    import uvicorn

    from app.people.first import FirstOperator

OTHER_FILES = 512
"""Open files of a process besides client connections: database, caches, connections to models."""

log = logging.getLogger("edumod")


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Log as JSON, like EDUMOD_LOG_FORMAT=json.")] = False,
) -> None:
    """Serve the API and the page."""
    from app.edge.server import server_config
    from app.main import create_app
    from app.operation.logs import log_config
    from app.operation.variables import environment
    from app.start import check_start

    settings = read_settings()
    if as_json:
        settings.log_format = "json"
    settings.allowed_hosts = (*settings.allowed_hosts, host)
    _allow_files(settings.max_connections + OTHER_FILES)
    config = server_config(
        partial(create_app, settings),
        settings,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_config=log_config(settings),
        log_level=settings.log_level,
    )
    try:
        # Here, so that mistakes are reported once rather than by every process, and before anything listens.
        first = asyncio.run(check_start(settings, environment()))
    except (SetupError, StorageUnavailable) as error:
        raise SetupError(f"The server did not start. {error}") from error
    _announce(settings, f"http://{host}:{port}")
    if first is not None:
        _welcome(first, port)
    try:
        started = _run_server(config, settings)
    except SystemExit:  # Raised by uvicorn; EduMod uses its own exit codes.
        started = False
    except KeyboardInterrupt:
        return
    if not started:
        raise SetupError("The server did not start; see the messages above.")


def _announce(settings: Settings, address: str) -> None:
    from app.people.local import serves_only_itself

    log.info("Home: %s", settings.home.resolve())
    log.info("Ask a question: %s/", address)
    if serves_only_itself(settings.allowed_hosts):
        log.info("No keys are needed, since only this machine can reach %s; through a proxy they are.", address)
    else:
        log.info("Keys are needed: `edumod keys create` makes one.")
    log.info("API description: %s/docs", address)
    if settings.metrics != "off":
        where = f"http://{settings.metrics}" if settings.metrics_address else address
        log.info("Metrics: %s/metrics", where)


def _welcome(first: FirstOperator, port: int) -> None:
    """Print how the operator gets in. Not logged: a log is kept, and read by others."""
    link = f"http://127.0.0.1:{port}/sign-in/link/{first.token}"
    output.print(f"Sign in as the operator, once and within a day: {link}", highlight=False, soft_wrap=True)
    output.print(f"A key for programs is in {first.key_file.resolve()}.", highlight=False, soft_wrap=True)


def _run_server(config: uvicorn.Config, settings: Settings) -> bool:
    """Serves until it is stopped; false if it could not start.

    Where there is a models file, SIGHUP is passed to every worker.
    """
    from uvicorn import Server
    from uvicorn.config import STARTUP_FAILURE

    from app.edge.supervisor import ReloadingSupervisor, Supervisor
    from app.operation.exposition import on_own_address, shared_by_workers

    if config.workers == 1:
        server = Server(config)
        server.run()
        return server.started
    with ExitStack() as around:
        if settings.metrics != "off":
            around.enter_context(shared_by_workers())
            around.enter_context(on_own_address(settings))
        kind = Supervisor if settings.models_file is None else ReloadingSupervisor
        supervisor = kind(config, [config.bind_socket()])
        supervisor.run()
    return all(process.exitcode != STARTUP_FAILURE for process in supervisor.processes)


def _allow_files(number: int) -> None:
    """Raise the limit on open files as far as allowed; many systems set it below the number of connections."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < number:
        wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
