"""An evaluation of function selection: what is measured, and by what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from eval.actors.pipeline import PipelineActor
from eval.datasets.questions import KIND, LabelledQuestion
from eval.metrics.base import Metric
from eval.metrics.set_f1 import SetF1
from eval.request import ProductRequest
from eval.setups.product import ProductSetup
from pipelines import PIPELINES


@dataclass(frozen=True)
class FunctionsRequest(ProductRequest[LabelledQuestion]):
    """Measures all pipelines where neither pipelines, nor an experiment, nor actors are chosen."""

    kind: ClassVar[str] = KIND

    def default_metrics(self) -> Sequence[Metric[Any]]:
        return [SetF1()]

    def configurations(self, setup: ProductSetup[LabelledQuestion]) -> Sequence[PipelineActor]:
        if self.experiment is not None:
            configurations = self.experiment.configurations(setup.resolve)
            return [PipelineActor(name, one, setup) for name, one in configurations.items()]
        names = self.pipelines or (() if self.actors else tuple(one.name for one in PIPELINES))
        return [PipelineActor.made(name, setup) for name in names]
