"""A reviewer who has signed in, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from core.types import Role
from tests.app.people.actors import sign_in_path

COURSES = ("small", "quick", "auto", "shadow", "undecided")
TIMEOUT_MS = 20_000
"""How long a page may take before its test fails."""
UNREAD_MS = 400
"""Longer than pages ignore keys after they have appeared."""


@contextmanager
def signed_in_page(
    browser: Any, server: httpx.Client, home: Path, role: Role = Role.TA, **options: Any
) -> Iterator[Any]:
    """A page of a browser in which somebody of that role has signed in."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    sign_in(page, server, home, role)
    yield page
    context.close()


def sign_in(page: Any, server: httpx.Client, home: Path, role: Role = Role.TA) -> None:
    page.goto(f"{server.base_url}{sign_in_path(home, 'Grace', role, COURSES)}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()


def read(page: Any) -> None:
    """Look at the page for as long as it takes before keys act."""
    page.wait_for_load_state()
    page.wait_for_timeout(UNREAD_MS)


def write(page: Any, text: str) -> None:
    """Put a text in place of the draft's."""
    for block in page.locator("textarea[name=block]").all():
        if not block.is_visible():
            block.locator("xpath=ancestor::details").locator("summary").click()
        block.fill(text)
        text = ""


def written(page: Any) -> str:
    """The text in the editors, with struck sentences."""
    return "\n\n".join(filter(None, (block.input_value() for block in page.locator("textarea[name=block]").all())))


def wait_until_saved(page: Any) -> None:
    page.locator("#saved[data-state=saved]", has_text="Saved").wait_for()
