"""Chooses whether models are recorded or replayed, by the settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from core.errors import InvalidInput, SetupError
from core.llm.recording.exchange import read_recording
from core.llm.recording.tape import Player, Recorder
from core.settings import Settings


@dataclass(frozen=True)
class Tapes:
    """The player or the recorders of one process."""

    settings: Settings

    @cached_property
    def player(self) -> Player | None:
        """None unless replies are replayed. Raises `SetupError` if they are to be recorded as well, and the errors of
        `read_recording`."""
        path = self.settings.llm_replay
        if path is None:
            return None
        if self.settings.llm_record is not None:
            raise SetupError("EDUMOD_LLM_RECORD is set while replies are replayed. Unset it, or ask a model.")
        recording = read_recording(path)
        if not recording.models:
            raise InvalidInput(f"{path} holds no exchange with a model, so there is nothing to replay.")
        return Player(recording)

    def recorder(self, alias: str | None = None) -> Recorder | None:
        """A new one for the model of that alias; None unless replies are recorded."""
        path = self.settings.llm_record
        if path is None:
            return None
        if path.suffix == ".gz":
            raise SetupError(f"EDUMOD_LLM_RECORD: {path} cannot grow. Record to a .jsonl file, and compress it later.")
        recorded = read_recording(path) if path.exists() else None
        return Recorder(path, recorded, origin=self.settings.llm_record_origin, alias=alias)
