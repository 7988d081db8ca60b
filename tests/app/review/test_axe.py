"""Every page and state without a violation of accessibility rules, by axe-core in a real browser."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import httpx
import pytest

from tests.app.review.conftest import Ask
from tests.app.review.deciding import decide

pytestmark = pytest.mark.slow

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPEN_ALL = "document.querySelectorAll('details:not([name], .menu)').forEach(one => one.open = true)"


def axe() -> str:
    """The program of axe-core; skips where it is not installed."""
    try:
        folder = files("axe_playwright_python")
    except ModuleNotFoundError:
        pytest.skip("axe-playwright-python is not installed (pip install -e '.[dev]')")
    return (folder / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Any, address: str, program: str) -> list[str]:
    page.goto(address)
    page.evaluate(OPEN_ALL)
    # At its end, the bar of decisions stands in its own place; elsewhere it covers what a reader would scroll to.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    # As a function of its own: the policy of the page allows no script to be added.
    page.evaluate(program)
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)["violations"]
    return [f"{address}: {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def in_conflict(client: httpx.Client, draft: dict[str, Any]) -> dict[str, Any]:
    """A draft that was decided while somebody typed another text."""
    edit = {"base": "", "revision": 0, "fields": {"was": [draft["answer"]], "block": ["My own words."]}}
    saved = client.put(f"/review/{draft['id']}/edit", json=edit)
    assert saved.status_code == 200, saved.text
    with_key = {"text": "Theirs."}
    assert client.post(f"/drafts/{draft['id']}/decision", json=with_key).status_code == 200
    return draft


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1366, 360])
def test_pages_have_no_violations(
    reviewing: httpx.Client, ask: Ask, browser_page: Any, width: int, scheme: str
) -> None:
    program = axe()
    open_, decided, strange = ask(), ask("small"), ask("undecided", body="Where is the zoo? `x` | a | b |")
    decide(reviewing, decided, text="Another text.", reasons=["tone"])
    conflict = in_conflict(reviewing, ask())
    final, noticed = ask("quick"), ask()
    decide(reviewing, final, text="Another text.")
    reviewing.put(f"/drafts/{final['id']}/decision", json={"text": "A corrected text."})
    reviewing.post("/courses/small/snippets", data={"name": "Section", "text": "See you in section."})
    reviewing.post("/review/filters?course=small", data={"name": "Small"})
    edit = {"base": "", "revision": 0, "fields": {"was": [""], "block": ["Homework 3 is due on Friday."]}}
    reviewing.put(f"/review/{noticed['id']}/edit", json=edit)
    trace = reviewing.get(f"/answers/{open_['id']}").json()["trace_url"]
    block = open_["citations"][0]["block_id"]
    paths = [
        "/", f"/answers/{open_['id']}", f"{trace}/page", "/review", "/review?view=decided", "/review?q=no+such+words",
        f"/review/{open_['id']}", f"/review/{decided['id']}?undo={decided['id']}", f"/review/{strange['id']}",
        "/courses", "/courses/small?q=slip+days&as=staff",
        f"/courses/small/blocks/{block}?answer={open_['id']}&citation=1", "/courses/small/quality",
        "/courses/shadow/quality", "/courses/small/webhooks", "/review#keys", "/traces/nope/page",
        f"/review/{conflict['id']}", f"/review/{open_['id']}#regen", f"/review/{open_['id']}?whole=1", "/questions",
        "/courses/undecided/questions", "/courses/small/calendar",
        "/homework", "/review/decisions", "/courses/small/snippets",
        f"/review/{open_['id']}#insert", f"/review/{final['id']}?correct=1", f"/answers/{final['id']}",
        f"/review/{noticed['id']}",
    ]  # fmt: skip
    context = browser_page.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    found = [one for path in paths for one in violations(page, f"{reviewing.base_url}{path}", program)]
    context.close()
    assert not found, "\n".join(found)
