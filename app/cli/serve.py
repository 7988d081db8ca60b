"""`edumod serve`."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from app.cli.output import errors
from core.errors import SetupError


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Serve the API and the page."""
    import uvicorn
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    from app.cli.ports import port_socket

    config = uvicorn.Config("app.main:create_app", factory=True, workers=workers, log_level="warning")
    with port_socket(host, port) as listening:
        address = f"http://{host}:{listening.getsockname()[1]}"
        errors.print(f"Ask a question:  [bold]{address}/[/]")
        errors.print(f"API description: [bold]{address}/docs[/]")
        if workers == 1:
            server = uvicorn.Server(config)
            # What uvicorn leaves with where it could not start; the exit code is ours to say.
            with suppress(KeyboardInterrupt, SystemExit):
                server.run([listening])
            started = server.started
        else:
            supervisor = Multiprocess(config, [listening])
            supervisor.run()
            started = all(process.exitcode != STARTUP_FAILURE for process in supervisor.processes)
    if not started:
        raise SetupError("The server did not start; the reason stands above.")
