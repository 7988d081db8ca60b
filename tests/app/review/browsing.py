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
UNREAD_MS = 400
"""Longer than pages ignore keys after they have appeared."""


@contextmanager
def signed_in_page(
    browser: Any, server: httpx.Client, home: Path, role: Role = Role.TA, **options: Any
) -> Iterator[Any]:
    """A page of a browser in which somebody of that role has signed in."""
    context = browser.new_context(**options)
    page = context.new_page()
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
