"""Values derived from a report on function selection, for tables and pages."""

from __future__ import annotations

from collections.abc import Iterable

from core.types import Value
from eval.datasets.questions import RaterAgreement
from eval.functions.report import FunctionsReport
from eval.metrics.set_f1 import SetF1
from eval.statistics import ALPHA


class Difference(Value):
    """A pipeline's set F1 minus that of the baseline, on the same questions."""

    points: float
    wins: int
    losses: int
    p: float

    @property
    def significant(self) -> bool:
        return self.p < ALPHA

    @property
    def text(self) -> str:
        """As in `+.302*`; the asterisk marks significance."""
        sign = "−" if self.points < 0 else "+"
        return f"{sign}{share(abs(self.points))}" + ("*" if self.significant else "")


def differences(report: FunctionsReport) -> dict[str, Difference]:
    """The difference of each pipeline to the baseline, by name."""
    found = {}
    for one in report.comparisons:
        ahead = one.better != report.baseline
        found[one.better if ahead else one.than] = Difference(
            points=one.difference if ahead else -one.difference,
            wins=one.wins if ahead else one.losses,
            losses=one.losses if ahead else one.wins,
            p=one.p,
        )
    return found


def best(report: FunctionsReport) -> str:
    """The actor with the highest set F1; the first of equals."""
    means = {name: figures.means[SetF1.stem].mean or 0.0 for name, figures in report.actors.items()}
    return max(means, key=lambda name: means[name])


def heading(report: FunctionsReport) -> str:
    """Data set, seeds and model, as in `ds101 (test split): 100 questions, 5 seeds, model offline`."""
    return (
        f"{report.dataset} ({report.split} split): {report.n} questions, "
        f"{report.seeds} seed{'s' * (report.seeds != 1)}, model {report.model}"
    )


def raters(agreement: RaterAgreement) -> str | None:
    """One sentence on the agreement of the two raters; None if no question has two."""
    if agreement.same_set is None:
        return None
    kappas = {name: kappa for name, kappa in agreement.kappa.items() if kappa is not None}
    lowest = min(kappas, key=lambda name: kappas[name], default=None)
    worst = f"; lowest kappa {share(kappas[lowest], 2)} ({short(lowest)})" if lowest else ""
    return f"Raters: same set for {share(agreement.same_set, 2)} of {agreement.n} questions{worst}."


def names(functions: Iterable[str]) -> str:
    """A set of functions for people."""
    return " + ".join(map(short, functions)) or "nothing"


def short(function: str) -> str:
    """`textbook` for `textbook_retrieval`."""
    return function.removesuffix("_retrieval")


def share(value: float | None, digits: int = 3) -> str:
    """A share without its leading zero, as in .582."""
    return "–" if value is None else f"{value:.{digits}f}".removeprefix("0")


def usd(cost: float | None) -> str:
    """A cost in a column; `?` if the model's price is not known."""
    if cost is None:
        return "?"
    return "free" if cost == 0 else f"${cost:.4f}"
