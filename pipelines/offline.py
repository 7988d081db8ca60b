"""The offline rules for what pipelines ask a model, all but the writing, which `pipelines.extraction` does.

Functions are chosen by the router, queries are the question's own words, and a review counts what can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.errors import MissingCapability
from core.llm.task import Choice
from core.types import FunctionCall, Question
from pipelines.extraction import question_terms
from pipelines.leaks import open_texts, staff_texts, without_leaks
from pipelines.query import search_query
from pipelines.router import CALL_FROM, choose_functions
from pipelines.tasks import ChooseFunctions, FillArguments, ReadImage, Review, ReviewDraft, SelectFunctions, Selection

ACCEPT_FROM = 0.6
"""Score from which a draft is accepted."""
MOST_MISSING = 5
"""Words named at most as missing from a draft."""


def choose(task: ChooseFunctions) -> Choice:
    """The router's functions in the first round. Later ones call nothing, unless a review asks for more: then the best
    function not called yet.
    """
    called = {result.call.name for round_ in task.history for result in round_}
    if called and not task.feedback:
        return Choice()
    left = [function.name for function in task.functions if function.name not in called]
    ranked = _ranked(task.question, left, task.category)
    names = ranked[:1] if called else _chosen(ranked, required=task.required)
    return Choice(calls=_calls(task.question, [name for name, _ in names], len(task.history)))


def select(task: SelectFunctions) -> Selection:
    """The router's functions by name."""
    names = [described.partition(":")[0] for described in task.functions]
    chosen = _chosen(_ranked(task.question, names), required=False)
    return Selection.model_validate({"functions": [name for name, _ in chosen]})


def read_image(task: ReadImage) -> str:
    """Offline nothing sees; OCR reads instead. Raises `MissingCapability`."""
    raise MissingCapability("vision", f"The offline backend does not see, so {task.name()} is left to OCR.")


def fill(task: FillArguments) -> Choice:
    """The question's own words as the query."""
    return Choice(calls=_calls(task.question, [function.name for function in task.functions[:1]], 0))


def review_draft(task: ReviewDraft) -> Review:
    """Judges by what can be counted: the question's words in the draft, its references, and copied secrets."""
    wanted = question_terms(search_query(task.question))
    missing = sorted(wanted - question_terms(task.draft))
    coverage = 1 - len(missing) / len(wanted) if wanted else 1.0
    cited = "[1]" in task.draft
    _, leaks = without_leaks(task.draft, staff_texts(task.passages), open_texts(task.question, task.passages))
    score = 0.0 if leaks else round(0.7 * coverage + 0.3 * cited, 3)
    reasons = (
        f"The draft takes up {coverage:.0%} of the question's words and {'has' if cited else 'lacks'} references"
        f"{'; it repeats texts for staff alone' if leaks else ''}."
    )
    return Review(reasons=reasons, missing=tuple(missing[:MOST_MISSING]), score=score, accepted=score >= ACCEPT_FROM)


def _ranked(question: Question, names: Iterable[str], category: str = "") -> list[tuple[str, float]]:
    scores = choose_functions(question, names, category)
    return sorted(scores.items(), key=lambda scored: -scored[1])


def _chosen(ranked: Sequence[tuple[str, float]], *, required: bool) -> list[tuple[str, float]]:
    """Those worth calling; the best of all where none is but a call is required."""
    worth = [scored for scored in ranked if scored[1] >= CALL_FROM]
    return worth or list(ranked[:1] if required else ())


def _calls(question: Question, names: Iterable[str], round_: int) -> tuple[FunctionCall, ...]:
    query = search_query(question)
    return tuple(
        FunctionCall(id=f"call_{round_ + 1}_{n}", name=name, arguments={"query": query})
        for n, name in enumerate(names, 1)
    )
