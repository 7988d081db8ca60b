"""Sorts the calls of a model's choice into those that can be run, and those that cannot."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from core.llm.calls import call_problem
from core.llm.task import CallResult
from core.types import FunctionCall, FunctionSpec, Value
from pipelines.running.answer_limits import AnswerLimits
from pipelines.running.searches import call_key


class SortedCalls(Value):
    """The calls to run, those that cannot be run, each with the reason, and a note on dropped calls for the trace."""

    calls: tuple[FunctionCall, ...]
    wrong: tuple[CallResult, ...]
    note: str | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why calls cannot be run, each reason once."""
        return tuple(dict.fromkeys(result.error or "" for result in self.wrong))


def sort_calls(
    calls: Sequence[FunctionCall], functions: Sequence[FunctionSpec], limits: AnswerLimits, ran: Sequence[FunctionCall]
) -> SortedCalls:
    """The distinct calls that can be run within the limits, against which earlier calls (`ran`) count."""
    problems = ((call, call_problem(call.name, call.arguments, functions)) for call in calls)
    wrong = tuple(CallResult(call=call, error=problem) for call, problem in problems if problem)
    bad = {call_key(result.call) for result in wrong}
    distinct: dict[str, FunctionCall] = {}
    for call in calls:
        if call_key(call) not in bad:
            distinct.setdefault(call_key(call), call)
    within = _within(limits, distinct, {call_key(call) for call in ran})
    sorted_calls = SortedCalls(calls=tuple(call for name, call in distinct.items() if name in within), wrong=wrong)
    over = len(distinct) - len(within)
    if not over and not wrong:
        return sorted_calls
    limit = f"{over} over the limit of {limits.calls_per_turn} a turn, {limits.calls_per_run} a run"
    reasons = "; ".join([*([limit] if over else []), *_describe(wrong, functions)])
    note = f"{over + len(wrong)} of {len(calls)} calls were dropped: {reasons}."
    return sorted_calls.model_copy(update={"note": note})


def _describe(wrong: Sequence[CallResult], functions: Sequence[FunctionSpec]) -> Iterator[str]:
    """What is wrong with the calls, without quoting them: invalid names and arguments could be any text."""
    names = {function.name for function in functions}
    unknown = sum(result.call.name not in names for result in wrong)
    if unknown:
        yield f"{unknown} of unknown functions"
    if len(wrong) > unknown:
        yield f"{len(wrong) - unknown} with arguments that do not fit"


def _within(limits: AnswerLimits, names: Collection[str], ran: set[str]) -> set[str]:
    """The keys of a turn's calls that are within the limits.

    Calls that `ran` before are answered without a search, and do not count against the limit of a run.
    """
    again = [name for name in names if name in ran]
    new = [name for name in names if name not in ran]
    room = max(limits.calls_per_run - len(ran), 0)
    return {*again[: limits.calls_per_turn], *new[: min(limits.calls_per_turn, room)]}
