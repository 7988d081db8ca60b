"""The plan of `edumod eval answers` on a terminal."""

from __future__ import annotations

from rich.markup import escape

from app.cli.output import errors, output
from core.costs import cost
from eval.answers.planned import AnswersPlan, PlannedWork
from eval.tables import lines_of, plain_table

ROUGH = "Tokens and cost are rough; what was answered before is not asked again."


def show_plan(plan: AnswersPlan) -> None:
    """On stdout: the calls of each actor and judge at most, and about what they cost."""
    output.print(escape(_heading(plan)), highlight=False)
    table = plain_table("", "")
    for name in ("model", "outputs", "calls", "tokens", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in (*plan.actors, *plan.judges):
        table.add_row(lines_of(one.name), one.model, *_numbers(one), _cost(one.cost_usd))
    output.print(table)
    output.print(f"In all at most {plan.model_calls:,} calls, {_cost(plan.cost_usd)}.", highlight=False)
    output.print(ROUGH)


def announce(plan: AnswersPlan) -> None:
    """On stderr, in one line, before anything is asked."""
    calls = (
        f"at most {plan.model_calls:,} model calls, {_cost(plan.cost_usd)}" if plan.model_calls else "no model calls"
    )
    errors.print(f"{_heading(plan)}: {calls}", soft_wrap=True, markup=False, highlight=False)


def _heading(plan: AnswersPlan) -> str:
    counts = ((plan.seeds, "seed"), (len(plan.actors), "configuration"), (len(plan.judges), "judge"))
    return ", ".join([f"{plan.n} messages of {plan.dataset}", *(f"{n} {what}{'s' * (n != 1)}" for n, what in counts)])


def _numbers(work: PlannedWork) -> tuple[str, str, str]:
    tokens = work.prompt_tokens + work.completion_tokens
    return f"{work.outputs:,}", f"{work.model_calls:,}", f"{tokens:,}"


def _cost(usd: float | None) -> str:
    return cost(usd) if usd is None or usd == 0 else f"about {cost(usd)}"
