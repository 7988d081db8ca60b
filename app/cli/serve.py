"""`edumod serve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import errors
from core.errors import SetupError
from core.settings import read_settings

if TYPE_CHECKING:
    import uvicorn


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Serve the API and the page."""
    import uvicorn

    read_settings()  # A wrong one is named here, instead of by every process.
    address = f"http://{host}:{port}"
    errors.print(f"Ask a question:  [bold]{address}/[/]")
    errors.print(f"API description: [bold]{address}/docs[/]")
    config = uvicorn.Config(
        "app.main:create_app", factory=True, host=host, port=port, workers=workers, log_level="warning"
    )
    try:
        started = _started(config)
    except SystemExit:  # uvicorn's own way out; exit codes are ours to choose.
        started = False
    except KeyboardInterrupt:
        return
    if not started:
        raise SetupError("The server did not start; the reason stands above.")


def _started(config: uvicorn.Config) -> bool:
    """Serves until it is told to stop; false where it could not start."""
    from uvicorn import Server
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    if config.workers == 1:
        server = Server(config)
        server.run()
        return server.started
    supervisor = Multiprocess(config, [config.bind_socket()])
    supervisor.run()
    return all(process.exitcode != STARTUP_FAILURE for process in supervisor.processes)
