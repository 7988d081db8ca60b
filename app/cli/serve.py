"""`edumod serve`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import errors
from core.errors import SetupError
from core.settings import read_settings

if TYPE_CHECKING:
    import uvicorn

OTHER_FILES = 512
"""Open files of a process besides client connections: database, caches, connections to models."""


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
) -> None:
    """Serve the API and the page."""
    from app.edge.server import server_config
    from app.main import create_app
    from app.models import read_models_file

    settings = read_settings()  # Read here, so that errors are reported once rather than by every process.
    read_models_file(settings)  # Likewise.
    settings.allowed_hosts = (*settings.allowed_hosts, host)
    _allow_files(settings.max_connections + OTHER_FILES)
    address = f"http://{host}:{port}"
    errors.print(f"Ask a question:  [bold]{address}/[/]")
    errors.print(f"API description: [bold]{address}/docs[/]")
    config = server_config(partial(create_app, settings), settings, factory=True, host=host, port=port, workers=workers)
    try:
        started = _started(config, reloads=settings.models_file is not None)
    except SystemExit:  # Raised by uvicorn; EduMod uses its own exit codes.
        started = False
    except KeyboardInterrupt:
        return
    if not started:
        raise SetupError("The server did not start; see the messages above.")


def _started(config: uvicorn.Config, *, reloads: bool) -> bool:
    """Serves until it is stopped; false if it could not start. With `reloads`, SIGHUP is passed to every worker."""
    from uvicorn import Server
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    from app.edge.supervisor import ReloadingSupervisor

    if config.workers == 1:
        server = Server(config)
        server.run()
        return server.started
    supervisor = (ReloadingSupervisor if reloads else Multiprocess)(config, [config.bind_socket()])
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
