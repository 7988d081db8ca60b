"""What a check of the installation finds."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from app.doctor.probes import Finding
from core.llm.catalogue import Capability
from core.types import Value


class CheckState(StrEnum):
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Check(Value):
    name: str
    state: CheckState
    finding: str
    remedy: str = ""
    capabilities: dict[Capability, Finding] = Field(
        default_factory=dict, description="Of a model: what it was seen to do."
    )
