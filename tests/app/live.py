"""A real HTTP server around the app, in a thread of the test process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from app.edge.server import server_config
from app.forums.http import ForumTransport
from app.main import create_app
from app.wiring import Services, build_services
from core.llm.base import LLM
from core.settings import Settings
from tests.fakes import FakeEmbedder
from tests.servers.homes import url_in


@contextmanager
def live(
    settings: Settings, llm: LLM | None = None, *, real_embedder: bool = False, forum: ForumTransport | None = None
) -> Iterator[httpx.Client]:
    """A client of a running server; the server ends with the block."""

    async def build(settings: Settings) -> Services:
        embedder = None if real_embedder else FakeEmbedder()
        return await build_services(settings, llm=llm, embedder=embedder, forum_transport=forum)

    config = server_config(create_app(settings, build), settings, port=0, lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "The server did not start."
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        # A connection kept between requests may be closed by the server at the moment when the next one is sent.
        limits = httpx.Limits(max_keepalive_connections=0)
        # No certificate is asked for, so none is read.
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, limits=limits, verify=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def settings_in(folder: Path, **values: object) -> Settings:
    """Settings that know nothing of the environment."""
    return Settings.model_validate({"home": folder, "database_url": url_in(folder), **values})
