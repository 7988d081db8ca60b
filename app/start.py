"""What is checked before the service listens, so that a mistake is one sentence and an exit code."""

from __future__ import annotations

from collections.abc import Mapping

from app.models.chat import read_models_file
from app.operation.variables import unknown_variables
from app.people.first import FirstOperator, first_operator
from app.people.local import serves_only_itself
from app.people.oidc import Provider
from app.wiring import build_telemetry
from core.concurrency import in_thread
from core.errors import SetupError
from core.private_files import make_home_private
from core.settings import Settings
from core.store.store import Store


async def check_start(settings: Settings, variables: Mapping[str, str]) -> FirstOperator | None:
    """Check settings, models file, home folder and database before anything listens, and migrate the database.

    Returns the first operator on the first start of a reachable service. Raises a typed error naming the fault.
    """
    misspelt = [str(one) for one in unknown_variables(variables) if one.nearest]
    if misspelt:
        raise SetupError(" ".join(misspelt))
    read_models_file(settings)
    Provider.of(settings)
    await in_thread(build_telemetry(settings).close)
    try:
        await in_thread(make_home_private, settings.home)
    except OSError as error:
        raise SetupError(
            f"The home folder {settings.home} cannot be used: {error.strerror}. EDUMOD_HOME names another one."
        ) from error
    store = await Store.of(settings)
    try:
        return None if serves_only_itself(settings.allowed_hosts) else await first_operator(store, settings.home)
    finally:
        await store.aclose()
