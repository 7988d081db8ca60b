"""The interface of judges, and what they have in common: options, samples and their median, unusable replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, ClassVar, Generic, TypeVar

from core.errors import BadReply, InvalidInput
from core.llm.base import LLM, Sampling
from core.llm.task import PromptedTask
from core.types import Value
from eval.datasets.judged import JudgedAnswer, Scale
from eval.judges.rubric import Rubric, shipped_rubric
from eval.metrics.base import Score
from pipelines.safeguards.invisible import without_invisible

V = TypeVar("V", bound=Value)
MAX_SAMPLES = 25


@dataclass(frozen=True)
class JudgeOptions:
    """How a judge asks. `model` is an alias, None for the default; several `samples` give their median.

    A hidden reference is not shown to the model: it then judges by its own knowledge.
    """

    model: str | None = None
    samples: int = 1
    reference: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise InvalidInput(f"--samples {self.samples}: write a number from 1 to {MAX_SAMPLES}.")

    @property
    def spelling(self) -> str:
        """For the identity of an evaluation."""
        return f"model={self.model} samples={self.samples} reference={'shown' if self.reference else 'hidden'}"


@dataclass(frozen=True)
class Judge(ABC, Generic[V]):
    """Reads an answer and scores it by a rubric. `V` is the type of the model's reply.

    `spared` are the attacks that do not make an answer worse by this rubric.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    scale: ClassVar[Scale]
    spared: ClassVar[frozenset[str]] = frozenset()

    options: JudgeOptions = JudgeOptions()

    @property
    def rubric(self) -> Rubric:
        return shipped_rubric(self.name)

    @property
    def version(self) -> str:
        """Changes with the rubric."""
        return self.rubric.given.version

    @abstractmethod
    def tasks(self, item: JudgedAnswer) -> Sequence[PromptedTask[V]]:
        """What is asked for one score; more than one if a verdict needs several views, as in both orders."""

    @abstractmethod
    def score(self, item: JudgedAnswer, replies: Sequence[V]) -> Score:
        """The score of usable replies to `tasks`, in order."""

    def wrong_answers(self, _item: JudgedAnswer, others: tuple[JudgedAnswer, ...]) -> tuple[JudgedAnswer, ...]:
        """Answers that this rubric rejects, to attack with: good ones to other questions."""
        return others

    async def judge(self, item: JudgedAnswer, llm: LLM, seed: int = 0) -> Score:
        """The median of the samples; unscored, with the reason, if more than half of them cannot be used.

        Raises the model's error if it cannot be reached or refuses all requests.
        """
        plain = item.model_copy(update={"answer": without_invisible(item.answer).strip()})
        found = [await self._sample(plain, llm, seed * MAX_SAMPLES + number) for number in range(self.options.samples)]
        usable = [score for score in found if score.value is not None]
        if 2 * len(usable) < len(found) or not usable:
            return next(score for score in found if score.value is None)
        return _median(usable)

    async def _sample(self, item: JudgedAnswer, llm: LLM, seed: int) -> Score:
        sampling = Sampling(model=self.options.model, seed=seed)
        try:
            replies = [(await llm.run(task, sampling)).value for task in self.tasks(item)]
        except BadReply as error:
            return Score(unscored=str(error))
        return self.score(item, replies)

    def shown(self, reference: str) -> str:
        """The reference as the model sees it."""
        return reference if self.options.reference else ""


def _median(scores: Sequence[Score]) -> Score:
    """The median value and parts, with the explanation of the sample nearest to it."""
    if len(scores) == 1:
        return scores[0]
    value = median(score.value or 0.0 for score in scores)
    nearest = min(scores, key=lambda score: abs((score.value or 0.0) - value))
    parts = {name: median(score.parts[name] for score in scores) for name in nearest.parts}
    return nearest.model_copy(update={"value": value, "parts": parts})


def found_quotes(quotes: Iterable[str], *texts: str) -> tuple[str, ...]:
    """The quotes that do stand in one of the texts, whatever their white space and case."""
    wanted = [_plain(text) for text in texts]
    return tuple(quote for quote in quotes if quote.strip() and any(_plain(quote) in text for text in wanted))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def mean_share(parts: dict[str, float], rubric: Rubric, *names: str) -> float:
    """The mean of the named criteria as shares of their ranges."""
    return fmean(one.share(parts[one.name]) for one in rubric.criteria if one.name in names)


AnyJudge = Judge[Any]
