"""The interface of judges, and what they have in common: samples and their median, expected scores, panels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, ClassVar, Generic, TypeVar

from core.errors import BadReply, CannotTell, InvalidInput
from core.llm.base import LLM, Sampling
from core.llm.task import LabelTask, PromptedTask
from core.score import ESTIMATE, Score
from core.types import Value
from judging.answers import JudgedAnswer, JudgedAnswers, Scale
from judging.options import MAX_SAMPLES, JudgeOptions
from judging.panel import of_panel, too_few_usable
from judging.rubric import Rubric, shipped_rubric
from safeguards.invisible import without_invisible

ONE_REPLY = JudgeOptions()
V = TypeVar("V", bound=Value)


@dataclass(frozen=True)
class Judge(ABC, Generic[V]):
    """Reads an answer and scores it by a rubric. `V` is the type of the model's reply.

    `spared` are the attacks that do not make an answer worse by this rubric. `has_verdict` is False where a score is
    counted from a reply and cannot be asked for in one word.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    scale: ClassVar[Scale]
    spared: ClassVar[frozenset[str]] = frozenset()
    has_verdict: ClassVar[bool] = True

    options: JudgeOptions = ONE_REPLY

    def __post_init__(self) -> None:
        if self.options.expected and not self.has_verdict:
            raise InvalidInput(
                f"{self.name} counts its score from a whole reply, which has no expected value. Leave out --expected."
            )

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

    def expected_score(self, parts: Sequence[Mapping[str, float]]) -> Score:
        """The score of the expected verdicts on each criterion, for each of `tasks`; by default of the only one."""
        ((value,),) = (one.values() for one in parts)
        return Score(value=value, parts=dict(parts[0]))

    def prepared(self, data: JudgedAnswers) -> JudgedAnswers:
        """The scored answers as this judge is compared with them."""
        return data

    def under_attack(self, item: JudgedAnswer) -> JudgedAnswer:
        """A good answer as it is judged beside what attacks make of it."""
        return item

    def wrong_answers(self, _item: JudgedAnswer, others: tuple[JudgedAnswer, ...]) -> tuple[JudgedAnswer, ...]:
        """Answers that this rubric rejects, to attack with: good ones to other questions."""
        return others

    async def judge(self, item: JudgedAnswer, llm: LLM, seed: int = 0) -> Score:
        """The median of the samples; of a panel the mean of its members' medians.

        Unscored, with the reason, if more than half of the samples or members have no usable reply. Raises the model's
        error if it cannot be reached or refuses all requests.
        """
        plain = item.model_copy(update={"answer": without_invisible(item.answer).strip()})
        if not self.options.panel:
            return await self._sampled(plain, llm, self.options.model, seed)
        return of_panel({model: await self._sampled(plain, llm, model, seed) for model in self.options.panel})

    async def _sampled(self, item: JudgedAnswer, llm: LLM, model: str | None, seed: int) -> Score:
        """The median of one model's samples."""
        samplings = [Sampling(model=model, seed=seed * MAX_SAMPLES + number) for number in range(self.options.samples)]
        found = [await self._sample(item, llm, sampling) for sampling in samplings]
        return too_few_usable(found) or _median([score for score in found if score.value is not None])

    async def _sample(self, item: JudgedAnswer, llm: LLM, sampling: Sampling) -> Score:
        try:
            if self.options.expected:
                return await self._expected(item, llm, sampling)
            replies = [(await llm.run(task, sampling)).value for task in self.tasks(item)]
        except CannotTell as error:
            parts = {ESTIMATE: self.scale.at(error.estimate)}
            return Score(unscored=str(error), explanation=error.details, parts=parts)
        except BadReply as error:
            return Score(unscored=str(error))
        return self.score(item, replies)

    async def _expected(self, item: JudgedAnswer, llm: LLM, sampling: Sampling) -> Score:
        """Each verdict's score, weighted by the probability of the token that it begins with."""
        parts: list[dict[str, float]] = []
        shown: list[str] = []
        for task in self.tasks(item):
            parts.append({})
            for one in self.rubric.criteria:
                asked = LabelTask(task=task, labels=tuple(one.verdicts), closing=one.question)
                likely = (await llm.run(asked, sampling)).value.by_label
                parts[-1][one.name] = sum(one.verdicts[label] * share for label, share in likely.items())
                shown.append(f"{one.name}: " + ", ".join(f"{label} {share:.2f}" for label, share in likely.items()))
        return self.expected_score(parts).model_copy(update={"explanation": "; ".join(shown)})

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


def mean_share(parts: Mapping[str, float], rubric: Rubric, *names: str) -> float:
    """The mean of the named criteria as shares of their ranges."""
    return fmean(one.share(parts[one.name]) for one in rubric.criteria if one.name in names)


AnyJudge = Judge[Any]
