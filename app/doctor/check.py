"""What a check of the installation finds."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from app.doctor.probes import CapabilityFinding
from app.models.measured import ModelMeasurements
from core.llm.catalogue import Capability
from core.types import Value


class CheckState(StrEnum):
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class CheckResult(Value):
    name: str
    state: CheckState
    finding: str
    remedy: str = ""
    capabilities: dict[Capability, CapabilityFinding] = Field(
        default_factory=dict, description="Of a model: what it was seen to do."
    )
    measured: ModelMeasurements | None = Field(default=None, description="Of a model: what is remembered of it.")
