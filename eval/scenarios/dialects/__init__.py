"""The dialects of ELMES's files."""

from __future__ import annotations

from eval.scenarios.dialects.base import DialectRules
from eval.scenarios.dialects.v0_1 import RulesV01
from eval.scenarios.dialects.v1_0 import RulesV10
from eval.scenarios.scenario import Dialect, Scenario

RULES: dict[Dialect, DialectRules] = {Dialect.V0_1: RulesV01(), Dialect.V1_0: RulesV10()}


def rules_of(scenario: Scenario) -> DialectRules:
    """The rules of the dialect in which the scenario's file is written."""
    return RULES[scenario.dialect]
