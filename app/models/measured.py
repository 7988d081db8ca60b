"""What `edumod doctor` found out about models by asking them, remembered in the home folder."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ValidationError

from core.files import write_atomically
from core.llm.formats import ReplyFormat
from core.llm.profile import Speed
from core.types import Value

log = logging.getLogger("edumod")


class ModelMeasurements(Value):
    """Of one model: the strictest format that gave a valid object, and tokens per second. None was not found out."""

    format: ReplyFormat | None = None
    reading: float | None = None
    writing: float | None = None

    @property
    def speed(self) -> Speed | None:
        return Speed(self.reading, self.writing) if self.reading and self.writing else None

    def beginning(self, formats: tuple[ReplyFormat, ...]) -> tuple[ReplyFormat, ...]:
        """The formats from the one that was found on; all where none was."""
        return formats[formats.index(self.format) :] if self.format in formats else formats


class _File(BaseModel):
    models: dict[str, ModelMeasurements] = {}


NOTHING = ModelMeasurements()


def measured_key(alias: str, base_url: str, model: str) -> str:
    """For a model under that alias; changes with what stands behind it."""
    where = hashlib.sha256(f"{base_url.rstrip('/')} {model}".encode()).hexdigest()[:16]
    return f"{alias} {where}"


def read_measured(home: Path) -> Mapping[str, ModelMeasurements]:
    """By `measured_key`; empty where nothing was measured. A file that cannot be read is logged."""
    try:
        return _File.model_validate_json(_path(home).read_bytes()).models
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        log.warning("What was measured of the models cannot be read; run `edumod doctor` again. %s", error)
        return {}


def remember(home: Path, found: Mapping[str, ModelMeasurements]) -> None:
    """Add to what is remembered. Raises `OSError`."""
    known = {**read_measured(home), **found}
    write_atomically(_path(home), _File(models=known).model_dump_json(indent=1).encode())


def _path(home: Path) -> Path:
    return home / "models" / "measured.json"
