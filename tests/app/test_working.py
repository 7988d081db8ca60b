"""While a model works, in a real browser: the steps as they happen, and a stop; then the answer as Markdown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Out, Task
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import calls
from tests.app.live import live, settings_in
from tests.app.review.browsing import read


class Hanging(ScriptedLLM):
    """A model that chooses a function, and never ends to write."""

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        if isinstance(task, WriteAnswer):
            await asyncio.Event().wait()
        return await super().run(task, sampling)


@pytest.fixture
def hanging(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home), Hanging({ChooseFunctions: [calls("logistics_retrieval")]})) as client:
        yield client


IS_IN_VIEW = "node => { const box = node.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"


def test_steps_are_shown_as_they_happen_and_the_work_can_be_stopped(hanging: httpx.Client, browser_page: Any) -> None:
    page = browser_page.new_page()
    page.goto(f"{hanging.base_url}/")
    page.get_by_label("Course", exact=True).select_option("small")
    page.get_by_label("Question", exact=True).fill("When is homework 3 due?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_text("Searching: logistics retrieval").wait_for()
    assert page.get_by_role("button", name="Stop").evaluate(IS_IN_VIEW)
    page.get_by_text("places with logistics").wait_for()
    assert page.get_by_role("button", name="Ask").is_disabled()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped. Your text is kept.").wait_for()
    assert page.get_by_role("button", name="Ask").is_enabled()
    assert page.get_by_label("Question", exact=True).input_value() == "When is homework 3 due?"
    page.close()


def test_homework_is_worked_on_in_view_and_can_be_stopped(client: httpx.Client, browser_page: Any) -> None:
    page = browser_page.new_page(viewport={"width": 360, "height": 640})
    page.goto(f"{client.base_url}/homework?course=small")
    page.evaluate("addEventListener('submit', event => event.preventDefault())")
    page.get_by_label("Your work", exact=True).fill("1/6")
    page.get_by_role("button", name="Get feedback").click()
    page.get_by_text("Reading your work").wait_for()
    assert page.get_by_role("button", name="Stop").evaluate(IS_IN_VIEW)
    page.get_by_role("button", name="Stop").click()
    page.locator("#working").wait_for(state="hidden")
    assert page.get_by_label("Your work", exact=True).input_value() == "1/6"
    page.close()


def test_an_answer_is_copied_as_markdown_by_one_key(client: httpx.Client, browser_page: Any) -> None:
    question = {"course": "small", "question": {"body": "When is homework 3 due?"}}
    answer = client.post("/answer?pipeline=fc", json=question).json()
    context = browser_page.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{client.base_url}/answers/{answer['draft_id']}")
    read(page)
    page.keyboard.press("m")
    page.get_by_text("Copied", exact=True).wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(answer["answer"].splitlines()[0])
    assert f"[1] {answer['citations'][0]['title']}" in copied
    context.close()
