"""Makes the pictures of docs/ with the sample course, in a real browser: `python -m benchmarks.screenshots [NAME ...]`.

Needs chromium (apt-get install chromium). A home of its own, so that no other drafts or nights are shown.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import FloatRect, Page, sync_playwright

from benchmarks.harness import EDUMOD, ROOT, environment, load_sample_course, served

DOCS = ROOT / "docs"
WIDTH, MAX_HEIGHT = 1000, 1500
"""Of a picture, in pixels; what is below is left out."""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
QUESTION = "When is homework 3 due and can I hand it in late?"
LOST = "textbook/08-estimation-and-testing.md"
ALARM = 3
"""Exit code of a nightly report with an alarm."""


@dataclass(frozen=True)
class Scene:
    """A browser page, a home with the sample course, and a server on it."""

    page: Page
    home: Path
    address: str

    def edumod(self, *arguments: str, exit_code: int = 0) -> None:
        ended = subprocess.run(
            [str(EDUMOD), *arguments],
            env=environment(EDUMOD_HOME=str(self.home)),
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if ended.returncode != exit_code:
            raise RuntimeError(f"edumod {' '.join(arguments)} ended with exit code {ended.returncode}.")


def ask(scene: Scene) -> None:
    """The ask page with an answer; the second one, since the first of a process loads libraries."""
    for _ in range(2):
        scene.page.goto(scene.address)
        scene.page.get_by_label("Question").fill(QUESTION)
        scene.page.get_by_role("button", name="Ask").click()
        scene.page.get_by_role("heading", name="Answer").wait_for()


def trace(scene: Scene) -> None:
    """The trace of that answer, its search opened."""
    ask(scene)
    scene.page.locator("a[href^='/traces/']").click()
    scene.page.get_by_role("heading", name="Steps").wait_for()
    scene.page.locator("li.search summary").first.click()


def functions(scene: Scene) -> None:
    """The report of `edumod eval functions`."""
    report = scene.home / "functions.html"
    command = "eval functions --course ds101 --pipeline all --seeds 5 --concurrency 2 --page"
    scene.edumod(*command.split(), str(report))
    scene.page.goto(report.as_uri())


def nightly(scene: Scene) -> None:
    """Two nights, the second without a chapter of the book, and with a threshold that most retrievers do not reach."""
    folder, copy = scene.home / "nights", scene.home / "ds101"
    night = ("report", "nightly", "--course", "ds101", "--retriever", "bm25,vector,hybrid,tree", "--out", str(folder))
    scene.edumod(*night)
    shutil.copytree(ROOT / "data" / "ds101", copy)
    (copy / LOST).unlink()
    scene.edumod("course", "load", str(copy / "course.yaml"), "--prune")
    scene.edumod(*night, "--threshold", "0.97", exit_code=ALARM)
    scene.page.goto((folder / "nightly.html").as_uri())


PICTURES: tuple[Callable[[Scene], None], ...] = (ask, trace, functions, nightly)
"""Each opens a page; its name is that of the picture. The last one changes the course."""


def main() -> None:
    names = sys.argv[1:] or [picture.__name__ for picture in PICTURES]
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        sys.exit("chromium is not installed. Run: apt-get install chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        load_sample_course(home)
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        with served(EDUMOD_HOME=str(home)) as (address, _):
            for picture in PICTURES:
                if picture.__name__ in names:
                    page = browser.new_page(viewport={"width": WIDTH, "height": 700})
                    picture(Scene(page, home, address))
                    height = min(page.evaluate("document.documentElement.scrollHeight"), MAX_HEIGHT)
                    clip: FloatRect = {"x": 0, "y": 0, "width": WIDTH, "height": height}
                    page.screenshot(path=DOCS / f"{picture.__name__}.png", full_page=True, clip=clip)
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
