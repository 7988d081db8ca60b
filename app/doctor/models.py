"""The checks of the models behind `edumod doctor`: each is asked, and seen to do what the models file says of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

from app.doctor.check import CheckResult, CheckState
from app.doctor.probes import CapabilityFinding, SayReady, measure_speed, probe
from app.models.chat import DEFAULT_MODEL, ModelBuilder
from app.models.embeddings import AliasEndpoints
from app.models.measured import ModelMeasurements, measured_key, remember
from core.errors import EduModError
from core.llm.catalogue import Capability
from core.llm.models import KeylessLLM, Models, NamedModel
from core.llm.offline import OFFLINE_MODEL, OfflineLLM
from core.llm.openai import OpenAILLM
from core.settings import Settings


async def model_checks(settings: Settings) -> list[CheckResult]:
    """The default model as `model`, each other one as `model NAME`, then each `embedding model NAME`. None raises."""
    uncached = settings.model_copy(update={"llm_cache": False})
    try:
        models = ModelBuilder(uncached, OfflineLLM({})).build()
    except EduModError as error:
        return [
            CheckResult(
                name="model", state=CheckState.ERROR, finding=str(error), remedy="Correct what the finding names."
            )
        ]
    try:
        checked = _checked_models(models)
        checks = await asyncio.gather(
            *(_run_check(_title(model, models), partial(_check, model=model)) for model in checked)
        )
        _remember(settings, zip(checked, checks, strict=True))
        return [*checks, *await _embedding_checks(settings)]
    finally:
        await models.aclose()


def _remember(settings: Settings, checks: Iterable[tuple[NamedModel, CheckResult]]) -> None:
    found: dict[str, ModelMeasurements] = {}
    for model, check in checks:
        if check.measured is not None:
            url = model.entry.base_url if model.entry else settings.llm_base_url
            found[measured_key(model.name if model.entry else DEFAULT_MODEL, url or "", model.served)] = check.measured
    if found:
        remember(settings.home, found)


async def _embedding_checks(settings: Settings) -> list[CheckResult]:
    endpoints = AliasEndpoints(settings)
    try:
        names = sorted(endpoints.names)
        checks = [_run_check(f"embedding model {name}", partial(_embedding, endpoints, name)) for name in names]
        return list(await asyncio.gather(*checks))
    finally:
        await endpoints.aclose()


async def _embedding(endpoints: AliasEndpoints, alias: str, title: str) -> CheckResult:
    endpoint = endpoints(alias)
    vectors = await endpoint.embed(["ready?"])
    finding = f"{endpoint.llm.model} at {endpoint.llm.address}: {len(vectors[0])} dimensions"
    return CheckResult(name=title, state=CheckState.OK, finding=finding)


def _checked_models(models: Models) -> list[NamedModel]:
    """The default model first; of others those of the models file."""
    default = models.default
    return [default, *(model for model in models if model.entry is not None and model is not default)]


def _title(model: NamedModel, models: Models) -> str:
    return "model" if model.name == models.model else f"model {model.name}"


async def _run_check(title: str, check: Callable[[str], Awaitable[CheckResult]]) -> CheckResult:
    try:
        return await check(title)
    except Exception as error:
        # A check that trips is a finding, whatever it tripped over.
        return CheckResult(
            name=title, state=CheckState.ERROR, finding=str(error) or repr(error), remedy="See the finding."
        )


async def _check(title: str, model: NamedModel) -> CheckResult:
    if model.name == OFFLINE_MODEL:
        finding = "offline backend: extractive answers, no model"
        remedy = "For written answers, set EDUMOD_LLM_BASE_URL, EDUMOD_LLM_API_KEY and EDUMOD_LLM_MODEL."
        return CheckResult(name=title, state=CheckState.OK, finding=finding, remedy=remedy)
    if isinstance(model.llm, KeylessLLM):
        return CheckResult(name=title, state=CheckState.ERROR, finding=model.llm.problem, remedy="Set that variable.")
    assert isinstance(model.llm, OpenAILLM)
    reply = await model.llm.run(SayReady())
    # First the speed, for which no failure may be behind it.
    speed = await measure_speed(model.llm) if model.entry and model.entry.is_small else None
    capabilities = await probe(model.llm)
    reading, writing = speed or (None, None)
    measured = ModelMeasurements(format=model.llm.format, reading=reading, writing=writing)
    finding = f"{reply.model} at {model.llm.address}: {reply.usage.model_ms / 1000:.1f} s; {_in_words(capabilities)}"
    if measured.speed:
        finding += f"; reads {measured.speed.reading:.0f} and writes {measured.speed.writing:.0f} tokens per second"
    remedy = _remedy(model, capabilities)
    state = CheckState.WARNING if remedy else CheckState.OK
    return CheckResult(
        name=title, state=state, finding=finding, remedy=remedy, capabilities=capabilities, measured=measured
    )


def _in_words(capabilities: Mapping[Capability, CapabilityFinding]) -> str:
    """As in `can: tools, logprobs; cannot: vision; unclear: json_schema`."""
    sorts = {"can": True, "cannot": False, "unclear": None}
    named = {
        sort: [name.value for name, finding in capabilities.items() if finding.has is has]
        for sort, has in sorts.items()
    }
    return "; ".join(f"{sort}: {', '.join(names)}" for sort, names in named.items() if names)


def _remedy(model: NamedModel, capabilities: Mapping[Capability, CapabilityFinding]) -> str:
    """What to correct in the models file, where it lists what the model lacks."""
    if model.entry is None:
        return ""
    lacking = [name for name in model.entry.capabilities if capabilities[name].has is False]
    if not lacking:
        return ""
    why = "; ".join(f"{name.value}: {capabilities[name].reason}" for name in lacking)
    return f"Remove {', '.join(lacking)} from the capabilities of {model.name} in the models file. {why}"
