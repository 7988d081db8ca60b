"""The models that a scenario's file describes, each at its own endpoint with its own key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from core.errors import SetupError
from core.llm.endpoint import SetBy
from core.llm.models import Models, NamedModel
from core.llm.openai import OpenAILLM
from core.settings import ModelPrice
from eval.scenarios.scenario import ModelSpec, Scenario

DEADLINE_SECONDS = 600.0
"""Of one call, retries included; a reasoning model may think for minutes."""
_VARIABLE = re.compile(r"\$\{(\w+)\}")
