"""What an evaluation of answers will take, estimated before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pydantic import Field, computed_field

from core.llm.metered import cost_of, with_free
from core.llm.models import Models, NamedModel
from core.llm.offline import OFFLINE_MODEL
from core.llm.prompt import render
from core.types import Usage, Value
from eval.actors.answers import AnsweringActor
from eval.answers.judging.chosen import ChosenJudge
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.questions import FUNCTIONS
from eval.plan import Plan
from judging.answers import JudgedAnswer
from pipelines import pipeline_named

CHARS_PER_TOKEN = 4
PROMPT_TOKENS = 2400
"""Of a pipeline's calls, as measured on the messages of DS 101 with `edison`, `fc` and `fc_feedback`."""
REPLY_TOKENS = 250


class PlannedWork(Value):
    """Calls of one actor or judge. Retrievers that ask a model, repairs and second looks are not in it."""

    name: str
    model: str
    outputs: int = Field(description="Answers, or verdicts on different answers at most.")
    model_calls: int = Field(description="At most.")
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None = Field(description="None if the price of the model is not known.")


class AnswersPlan(Value):
    """Actors and judges with the calls that they make at most, and about what these cost."""

    dataset: str
    n: int = Field(description="Messages.")
    seeds: int
    actors: tuple[PlannedWork, ...]
    judges: tuple[PlannedWork, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def model_calls(self) -> int:
        return sum(one.model_calls for one in (*self.actors, *self.judges))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cost_usd(self) -> float | None:
        """US dollars; None if a price is not known."""
        costs = [one.cost_usd for one in (*self.actors, *self.judges)]
        return None if None in costs else sum(cost or 0.0 for cost in costs)


def planned(plan: Plan[LabelledAnswer], judges: Sequence[ChosenJudge], models: Models) -> AnswersPlan:
    """Estimates the work. CPU-bound. Raises `UnknownName` for a model that there is not."""
    items = plan.dataset.items
    outputs = len(items) * len(plan.seeds)
    asking = [one for one in plan.actors if isinstance(one, AnsweringActor)]
    judged = sum(item.expects is Expectation.ANSWER for item in items) * len(plan.seeds) * len(plan.actors)
    return AnswersPlan(
        dataset=plan.dataset.name,
        n=len(items),
        seeds=len(plan.seeds),
        actors=tuple(_answering(one, outputs, models) for one in asking),
        judges=tuple(_judging(one, items, judged, models) for one in judges),
    )


def max_calls(actor: AnsweringActor) -> int:
    """Model calls for a message at most: a sum of products of numbers and parameters, as a pipeline states it."""
    known = {**actor.configuration.parameters, "functions": len(FUNCTIONS)}
    terms = pipeline_named(actor.configuration.pipeline).model_calls.split(" + ")
    return sum(prod(int(known.get(factor, factor)) for factor in term.split(" * ")) for term in terms)


def _answering(actor: AnsweringActor, outputs: int, models: Models) -> PlannedWork:
    calls = outputs * max_calls(actor)
    return _work(actor.name, models[actor.configuration.model], outputs, calls, calls * PROMPT_TOKENS, models)


def _judging(chosen: ChosenJudge, items: Sequence[LabelledAnswer], outputs: int, models: Models) -> PlannedWork:
    """Sizes are those of judging the references."""
    judge = chosen.made()
    judged = [
        JudgedAnswer(id=item.id, question=item.question.text, reference=item.reference, answer=item.reference)
        for item in items
        if item.expects is Expectation.ANSWER
    ]
    prompts = [[len(str(render(task))) for task in judge.tasks(one)] for one in judged]
    calls = outputs * chosen.samples * max((len(one) for one in prompts), default=0)
    chars = sum(sum(one) for one in prompts) * outputs * chosen.samples / max(len(judged), 1)
    model = models[chosen.model] if chosen.model else models.default
    return _work(chosen.name, model, outputs, calls, round(chars / CHARS_PER_TOKEN), models)


def _work(name: str, model: NamedModel, outputs: int, calls: int, tokens: int, models: Models) -> PlannedWork:
    """The offline backend is asked nothing."""
    free = model.name == OFFLINE_MODEL
    written = 0 if free else calls * REPLY_TOKENS
    usage = Usage(prompt_tokens=0 if free else tokens, completion_tokens=written)
    return PlannedWork(
        name=name,
        model=model.name,
        outputs=outputs,
        model_calls=0 if free else calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=written,
        cost_usd=cost_of(usage, with_free(models.prices).get(model.name)),
    )
