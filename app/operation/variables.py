"""The variables that settings and keys are read from, and those among them that mean nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from dotenv import dotenv_values

from core.settings import Settings

PREFIX = "EDUMOD_"
FORUM_SECRETS = re.compile(r"EDUMOD_FORUM_\w+_(?:TOKEN|SECRET)(?:_FILE)?")
"""Variables that hold the secrets of forums, see `core.course.forum`."""
LIKENESS = 0.75
"""How alike two names are, from 0 to 1, for one to be taken for a misspelling of the other."""


def environment() -> dict[str, str]:
    """Where keys are looked up: the process's variables, and those of `.env` that it does not have."""
    in_file = {name: value for name, value in dotenv_values(".env").items() if value}
    return {**in_file, **os.environ}


class UnknownVariable(NamedTuple):
    """A variable that looks like a setting and is none, and the setting that was probably meant."""

    name: str
    nearest: str | None

    def __str__(self) -> str:
        hint = f"Did you mean {self.nearest}?" if self.nearest else "docs/settings.md lists all settings."
        return f"{self.name} is not a setting and has no effect. {hint}"


def unknown_variables(variables: Mapping[str, str]) -> list[UnknownVariable]:
    """The variables `EDUMOD_*` that are not settings. The models file may name others, as those that hold keys."""
    settings = [f"{PREFIX}{name}".upper() for name in Settings.model_fields]
    strange = [name for name in variables if name.upper().startswith(PREFIX) and _setting(name) not in settings]
    if not strange:
        return []
    keys = _text(variables.get(f"{PREFIX}MODELS_FILE"))
    strange = [name for name in strange if name not in keys and not FORUM_SECRETS.fullmatch(name)]
    return [UnknownVariable(name, _nearest(name, settings)) for name in sorted(strange)]


def _setting(variable: str) -> str:
    """The setting of a variable: parts of one are set as in EDUMOD_LLM_PRICES__NAME."""
    return PREFIX + variable.upper().removeprefix(PREFIX).partition("__")[0]


def _nearest(variable: str, settings: Iterable[str]) -> str | None:
    names = {setting.removeprefix(PREFIX): setting for setting in settings}
    nearest = get_close_matches(_setting(variable).removeprefix(PREFIX), names, n=1, cutoff=LIKENESS)
    return names[nearest[0]] if nearest else None


def _text(path: str | None) -> str:
    """The models file as it is; whoever uses it says what is wrong with it."""
    try:
        return Path(path).read_text(encoding="utf-8") if path else ""
    except (OSError, ValueError):
        return ""
