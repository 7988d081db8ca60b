"""The server around the app: uvicorn, with limits for connections."""

from __future__ import annotations

from typing import Any

from app.edge.protocol import ConnectionLimits, LimitedConfig
from core.settings import Settings

WORKER_SECONDS = 60
"""Without a sign of life, after which a worker process is replaced: on a busy machine one starts for longer than
uvicorn's 5 seconds, and its successors would too."""


def server_config(app: Any, settings: Settings, **options: Any) -> LimitedConfig:
    """The configuration of a server with the limits of `settings`; further `options` are uvicorn's."""
    limits = ConnectionLimits(
        header_seconds=settings.header_seconds,
        body_seconds=settings.body_seconds,
        send_seconds=settings.send_seconds,
        max_connections=settings.max_connections,
    )
    # No WebSockets, and no header that reveals the server's software.
    return LimitedConfig(
        app,
        limits,
        ws="none",
        server_header=False,
        access_log=False,  # EduMod writes its own lines.
        timeout_worker_healthcheck=WORKER_SECONDS,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        **{"log_level": "warning", **options},
    )
