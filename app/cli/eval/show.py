"""`edumod eval show`."""

from __future__ import annotations

from app.cli.eval.options import EvaluationId, PagePath, check_page
from app.cli.eval.reports import present, write_report_page
from app.cli.output import AsJson, with_store
from core.store.store import Store
from eval.stored import StoredEvaluation, stored_evaluation


def show(evaluation: EvaluationId, page: PagePath = None, as_json: AsJson = False) -> None:
    """Print the stored report of an evaluation, or write its page."""
    check_page(page)

    async def work(store: Store) -> StoredEvaluation:
        return await stored_evaluation(store.evaluations, evaluation)

    stored = with_store(work)
    if page is not None:
        write_report_page(page, stored.report, stored.results)
    present(stored.report, as_json)
