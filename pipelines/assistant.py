"""Puts a run together: a course's functions, a model, and the configuration of one request."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from core.course import Course
from core.llm.base import LLM, Sampling
from core.llm.metered import Metered
from core.settings import ModelPrice
from core.types import Answer, FunctionCall, Passage, Question, Source, Value
from pipelines import pipeline_named
from pipelines.run import Run
from pipelines.tasks import ChooseFunctions, WriteAnswer
from retrievers import retriever_class
from retrievers.embedding import QueryEmbedder
from retrievers.functions import FUNCTIONS
from retrievers.index import Indexes

PROMPTS = (ChooseFunctions, WriteAnswer)


class Configuration(Value):
    """Everything a request can choose, resolved: what it left out has the course's default."""

    pipeline: str
    retriever: str
    model: str
    top_k: int
    temperature: float | None = None
    seed: int | None = None

    @property
    def prompts(self) -> dict[str, str]:
        """Version of each prompt that a run may use."""
        return {task.name(): task.version for task in PROMPTS}

    @property
    def hash(self) -> str:
        """Equal for equal configurations, prompts included."""
        return hashlib.sha256(f"{self.model_dump_json()}{self.prompts}".encode()).hexdigest()[:16]
