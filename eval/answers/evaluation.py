"""An evaluation of answers: what is measured, and by what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from eval.actors.answers import AnsweringActor
from eval.datasets.answers import KIND, LabelledAnswer
from eval.metrics.answers import ANSWER_METRICS
from eval.metrics.base import Metric
from eval.request import ProductRequest
from eval.setups.product import ProductSetup


@dataclass(frozen=True)
class AnswersRequest(ProductRequest[LabelledAnswer]):
    """Measures each pipeline with each retriever, or the course's own configuration where nothing is chosen."""

    kind: ClassVar[str] = KIND

    def default_metrics(self) -> Sequence[Metric[Any]]:
        return [metric() for metric in ANSWER_METRICS]

    def configurations(self, setup: ProductSetup[LabelledAnswer]) -> Sequence[AnsweringActor]:
        if self.experiment is not None:
            configurations = self.experiment.configurations(setup.resolve)
            return [AnsweringActor(name, one, setup) for name, one in configurations.items()]
        if self.actors and not self.pipelines and not self.retrievers:
            return []
        named = product(self.pipelines or (None,), self.retrievers or (None,))
        return [AnsweringActor.chosen(pipeline, retriever, setup) for pipeline, retriever in named]
