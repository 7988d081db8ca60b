"""Values derived from a report on function selection, for tables and pages."""

from __future__ import annotations

from core.types import Value
from eval.datasets.questions import RaterAgreement, short_name
from eval.functions.report import FunctionsReport
from eval.metrics.set_f1 import SetF1
from eval.statistics import ALPHA
from eval.tables import share


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
    worst = f"; lowest kappa {share(kappas[lowest], 2)} ({short_name(lowest)})" if lowest else ""
    return f"Raters: same set for {share(agreement.same_set, 2)} of {agreement.n} questions{worst}."
