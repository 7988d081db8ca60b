"""What is checked before the service listens, so that a mistake is one sentence and an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from app.models import read_models_file
from app.wiring import build_telemetry
from core.concurrency import in_thread
from core.errors import SetupError
from core.private_files import make_home_private
from core.settings import Settings
from core.store.store import Store

PREFIX = "EDUMOD_"
LIKENESS = 0.75
"""How alike two names are, from 0 to 1, for one to be taken for a misspelling of the other."""


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
    return [UnknownVariable(name, _nearest(name, settings)) for name in sorted(strange) if name not in keys]


async def check_start(settings: Settings, variables: Mapping[str, str]) -> None:
    """Raises a typed error naming what is wrong with settings, models file, home folder or database.

    Brings the schema of the database up to date, so that several workers need not do it at once.
    """
    misspelt = [str(one) for one in unknown_variables(variables) if one.nearest]
    if misspelt:
        raise SetupError(" ".join(misspelt))
    read_models_file(settings)
    await in_thread(build_telemetry(settings).close)
    try:
        await in_thread(make_home_private, settings.home)
    except OSError as error:
        raise SetupError(
            f"The home folder {settings.home} cannot be used: {error.strerror}. EDUMOD_HOME names another one."
        ) from error
    store = await Store.open(settings.url, settings.database_busy_seconds, settings.database_statement_seconds)
    await store.aclose()


def _setting(variable: str) -> str:
    """The setting of a variable: parts of one are set as in EDUMOD_LLM_PRICES__NAME."""
    return PREFIX + variable.upper().removeprefix(PREFIX).partition("__")[0]


def _nearest(variable: str, settings: Iterable[str]) -> str | None:
    names = {one.removeprefix(PREFIX): one for one in settings}
    found = get_close_matches(_setting(variable).removeprefix(PREFIX), names, n=1, cutoff=LIKENESS)
    return names[found[0]] if found else None


def _text(path: str | None) -> str:
    """The models file as it is; whoever uses it says what is wrong with it."""
    try:
        return Path(path).read_text(encoding="utf-8") if path else ""
    except (OSError, ValueError):
        return ""
