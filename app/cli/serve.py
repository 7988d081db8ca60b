"""`edumod serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.output import errors


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Serve the API and the page."""
    import uvicorn

    address = f"http://{host}:{port}"
    errors.print(f"Ask a question:  [bold]{address}/[/]")
    errors.print(f"API description: [bold]{address}/docs[/]")
    uvicorn.run("app.main:create_app", factory=True, host=host, port=port, workers=workers, log_level="warning")
