"""`edumod eval show`."""

from __future__ import annotations

from typing import Any

from app.cli.eval.options import EvaluationId
from app.cli.eval.reports import present
from app.cli.output import AsJson, with_services
from app.wiring import Services
from eval.report import Report
from eval.stored import stored_report


def show(evaluation: EvaluationId, as_json: AsJson = False) -> None:
    """Print the stored report of an evaluation."""

    async def work(services: Services) -> Report[Any]:
        return await stored_report(services.store.evaluations, evaluation)

    present(with_services(work), as_json)
