"""A real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--in-process-gpu",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser_page() -> Iterator[object]:
    """Chromium. Ends with its module: while it runs, no test of the process can have an event loop."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()
