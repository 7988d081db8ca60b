"""The service's log: one line per event on stderr, as text or as JSON, with the ids of the request and its draft.

Lines are about addresses, times and ids. No line quotes a question, a search query or an answer.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from app import request_id
from core.settings import Settings

ACCESS = "edumod.access"
"""Logger of the lines of requests."""
OURS = ("edumod", "uvicorn")
"""Loggers whose level is that of the settings."""
DETAILS = ("method", "route", "status", "ms", "bytes")
"""What an access line has as fields of its own in JSON."""


def access_line(
    log: logging.Logger, *, method: str | None, route: str | None, status: int, ms: float, sent: int
) -> None:
    """Logs one request. `route` is the template of its address; None where there is no such address."""
    if log.isEnabledFor(logging.INFO):
        details = dict(zip(DETAILS, (method, route, status, round(ms, 1), sent), strict=True))
        log.info("%s %s %d %.1f ms %d bytes", method or "-", route or "-", status, ms, sent, extra=details)


def refusal_line(log: logging.Logger, status: int, own_id: str) -> None:
    """Logs a request that was refused before the app saw it: it has no route, and perhaps not even a method."""
    log.info("%d to a connection or a header beyond the limits", status, extra={"status": status, "request_id": own_id})


def log_config(settings: Settings) -> dict[str, Any]:
    """The configuration of logging, for `logging.config.dictConfig`; uvicorn applies it in each of its processes.

    The level is that of EduMod and uvicorn. Other libraries log from warnings upwards.
    """
    level = settings.log_level.upper()
    formatter = {"text": "app.operation.logs.TextLines", "json": "app.operation.logs.JsonLines"}[settings.log_format]
    handler = {"()": "app.operation.logs.on_stderr", "formatter": "lines", "filters": ["ids"]}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"ids": {"()": "app.operation.logs.WithIds"}},
        "formatters": {"lines": {"()": formatter}},
        "handlers": {"stderr": handler},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {name: {"level": level} for name in OURS},
    }


def on_stderr() -> logging.Handler:
    """Python's warnings become lines too: printed as they are, they would be the only ones that are not JSON."""
    logging.captureWarnings(True)
    return logging.StreamHandler(sys.stderr)


class WithIds(logging.Filter):
    """Adds the ids to each record, in the context that logs it, and drops other libraries' records below warnings.

    Some set a level of their own, so that the level of the root logger does not hold for them.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = getattr(record, "request_id", None) or request_id.current()
        record.draft_id = request_id.current_draft()
        return record.levelno >= logging.WARNING or record.name.partition(".")[0] in OURS


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = vars(record)
        line: dict[str, Any] = {"time": _time(record), "level": record.levelname.lower(), "logger": record.name}
        line["message"] = record.getMessage()
        names = ("request_id", "draft_id", *(DETAILS if record.name == ACCESS else ()))
        line |= {name: fields[name] for name in names if fields.get(name) is not None}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """Time, level, logger, message and ids. Line breaks in a message are escaped, so that no text can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        ids = {"request": getattr(record, "request_id", None), "draft": getattr(record, "draft_id", None)}
        shown = ", ".join(f"{name} {value}" for name, value in ids.items() if value)
        line = f"{_time(record)} {record.levelname} {record.name}: {message}{f' [{shown}]' if shown else ''}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _time(record: logging.LogRecord) -> str:
    """UTC, to the millisecond, as in 2026-03-01T12:00:00.123Z."""
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
