"""SIGHUP makes a running service read its models file again."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.wiring import Services


@contextmanager
def reloading_models(services: Services) -> Iterator[None]:
    """While it lasts, SIGHUP reloads the models; only in the main thread, and not on Windows."""
    is_main = threading.current_thread() is threading.main_thread()
    if services.settings.models_file is None or not is_main or not hasattr(signal, "SIGHUP"):
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, services.reload_models)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
