"""Makes the pictures of docs/ with the sample course, in a real browser: `python -m benchmarks.screenshots [NAME ...]`.

Needs chromium (apt-get install chromium). A home of its own, so that no other drafts or nights are shown.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from benchmarks.experiment import write_experiment
from benchmarks.harness import EDUMOD, ROOT, environment, load_sample_course, served
from tests.servers.agents import Endpoint, serving

DOCS, DATA = ROOT / "docs", ROOT / "data"
WIDTH, MAX_HEIGHT = 1000, 1500
"""Of a picture, in pixels; what is below is left out."""
WORKBENCH = (1366, 768)
"""The screen that one draft has to fit on."""
PHONE = (360, 740)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
QUESTION = "When is homework 3 due and can I hand it in late?"
DRAFTS = (
    ("cross entropy", "Why is cross-entropy convex and the squared loss of a sigmoid not?", "Lecture"),
    ("late homework", "When is homework 3 due and can I hand it in late?", "Logistics"),
    ("NaN", "theta = [nan nan nan]. I went from 20 to 100 iterations and it got worse, why?", "Labs"),
    ("slip days", "How many slip days can I use on project 2?", "Logistics"),
    ("scaling", "Does scaling the features change the predictions of linear regression?", "Lecture"),
)
NOTES = r"""# Least squares

## Estimating coefficients

The least-squares estimate of the coefficients is $\hat\beta = (X^\top X)^{-1} X^\top y$, where $X$ has one row per
observation. Its variance is
$$
\operatorname{Var}(\hat\beta \mid X) = \sigma^2 (X^\top X)^{-1}
$$
if the errors are uncorrelated. Compute the least-squares estimate of the coefficients with numpy so:

```python
import numpy as np

def estimate(X, y):
    # The intercept comes first.
    X = np.column_stack([np.ones(len(X)), X])
    return np.linalg.lstsq(X, y, rcond=None)[0]
```

| Estimate | Formula | In Python |
|---|---|---|
| Coefficients by least squares | $(X^\top X)^{-1} X^\top y$ | `np.linalg.lstsq(X, y)[0]` |
| Variance of the errors | $\frac{1}{n-p}\sum_{i=1}^n (y_i - \hat y_i)^2$ | `resid @ resid / (n - p)` |
"""
CODE_QUESTION = "d22"
HOMEWORK = {
    "course.yaml": "id: mechanics\ntitle: Mechanics\nmaterial:\n  assignment: [hw1.md, hw1_sol.md]\n",
    "hw1.md": "# Homework 1\n\n## Problem 1. A car\n\nA car moves at 5 m/s and accelerates at 2 m/s² for 3 s. How "
    "fast is it then, and how far has it come?\n\n## Problem 2. A ball\n\n"
    "A ball falls from 20 m. How long does it fall?\n",
    "hw1_sol.md": "# Homework 1\n\n## Problem 1. A car\n\n**Solution.** $v = 5\\,\\text{m/s} + "
    "2\\,\\text{m/s}^2 \\cdot 3\\,\\text{s} = 11\\,\\text{m/s}$ and $s = 24\\,\\text{m}$\n\n## Problem 2. A ball\n\n"
    "**Solution.** $t = \\sqrt{2 \\cdot 20 / 9.81} = 2.02\\,\\text{s}$\n",
}
SUBMISSION = "v = v_0 + a t\nv = 5 + 2 * 3 = 13 m/s\ns = 5 m/s * 3 s + 1/2 * 2 m/s^2 * (3 s)^2\ns = 24 m/s"
INCOMPLETE = 1
"""Exit code of an evaluation with unscored messages."""
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


def answer(scene: Scene) -> None:
    """An offline answer with mathematics, code and a table, from notes that have all three."""
    folder = scene.home / "notes"
    folder.mkdir()
    (folder / "least-squares.md").write_text(NOTES, encoding="utf-8")
    (folder / "course.yaml").write_text("id: notes\nmaterial:\n  textbook: least-squares.md\n", encoding="utf-8")
    scene.edumod("course", "load", str(folder / "course.yaml"))
    scene.page.goto(scene.address)
    scene.page.locator("[name=course]").select_option("notes")
    question = "How do I compute the least-squares estimate of the coefficients, and what is its variance?"
    scene.page.get_by_label("Question").fill(question)
    scene.page.get_by_role("button", name="Ask").click()
    scene.page.get_by_role("heading", name="Answer").wait_for()


def code(scene: Scene) -> None:
    """An offline answer to a question about code, with the finding at its line."""
    scene.edumod("course", "load", str(DATA / "cs1" / "course.yaml"))
    question = next(
        asked
        for line in (DATA / "cs1" / "questions" / "development" / "questions.jsonl").read_text().splitlines()
        if (asked := json.loads(line))["id"] == CODE_QUESTION
    )
    for _ in range(2):  # The first starts the process that looks at code.
        scene.page.goto(scene.address)
        scene.page.locator("[name=course]").select_option("cs1")
        scene.page.get_by_label("Question").fill(question["question"])
        scene.page.get_by_text("Code and tests").click()
        scene.page.get_by_label("Your code").fill(question["code"])
        scene.page.get_by_role("button", name="Ask", exact=True).click()
        scene.page.get_by_role("heading", name="Answer").wait_for()


def code_experiment(scene: Scene) -> None:
    """Scores of answers to questions about code, their distribution, and quality against time."""
    report = scene.home / "code-experiment.html"
    scene.edumod("course", "load", str(DATA / "cs1" / "course.yaml"))
    experiment = str(DATA / "cs1" / "experiment.yaml")
    # The file of an educator's answers has also those of the other split.
    scene.edumod("eval", "answers", "--experiment", experiment, "--page", str(report))
    scene.page.goto(report.as_uri())
    _hide_before(scene, "Judged")


def feedback(scene: Scene) -> None:
    """Feedback on homework with a slip in a step and a unit that does not fit."""
    folder = scene.home / "mechanics"
    folder.mkdir()
    for name, text in HOMEWORK.items():
        (folder / name).write_text(text, encoding="utf-8")
    scene.edumod("course", "load", str(folder / "course.yaml"))
    scene.page.goto(f"{scene.address}/homework?course=mechanics")
    scene.page.get_by_label("Your work").fill(SUBMISSION)
    scene.page.get_by_role("button", name="Get feedback").click()
    scene.page.get_by_role("heading", name="Answer").wait_for(timeout=60_000)


def description(scene: Scene) -> None:
    """The page at /docs, where nothing but the service can be reached."""
    scene.page.route(
        lambda url: not url.startswith((scene.address, "data:")),
        lambda route: route.abort(),
    )
    scene.page.goto(f"{scene.address}/docs")
    scene.page.get_by_text("/drafts/{draft_id}/retry").first.wait_for()


def course(scene: Scene) -> None:
    """A course's page: what needs a look, works, calendar, staff."""
    scene.page.goto(f"{scene.address}/courses/ds101")


def trace(scene: Scene) -> None:
    """The trace of that answer, its search opened."""
    ask(scene)
    scene.page.locator("a[href^='/traces/']").click()
    scene.page.get_by_role("heading", name="Steps").wait_for()
    scene.page.locator("li.search summary").first.click()


def queue(scene: Scene) -> None:
    """The queue of drafts that wait."""
    ask_some(scene, times=8)
    scene.page.goto(f"{scene.address}/review?course=ds101")


def item(scene: Scene) -> None:
    """One draft with its evidence, a sentence struck."""
    _open_draft(scene)
    boxes = scene.page.locator("#text input[name=strike]")
    if not boxes.first.is_checked():
        boxes.first.focus()
        scene.page.keyboard.press("Space")
    boxes.nth(2).focus()
    scene.page.wait_for_function(
        "() => [...document.images].every(image => !image.checkVisibility() || image.complete && image.naturalWidth)"
    )
    scene.page.locator("#saved[data-state=saved]", has_text="Saved").wait_for()


def conflict(scene: Scene) -> None:
    """Two texts of one draft: somebody else has decided it meanwhile."""
    _open_draft(scene)
    scene.page.locator(".blk .edit summary").first.click()
    scene.page.locator("#block-1").press_sequentially(" Compare the second derivatives of both.")
    scene.page.locator(".blk .body", has_text="of both.").wait_for()
    scene.page.locator("#saved[data-state=saved]", has_text="Saved").wait_for()
    draft = scene.page.request.get(f"{scene.address}/drafts/{_draft_id(scene)}").json()
    decision = {"text": f"{draft['answer']}\n\nSee also the exercise at the end of the chapter."}
    key = _told(scene, "keys", "create", "Priya", "--course", "ds101", "--scope", "drafts:decide", "--json")["key"]
    headers = {"Authorization": f"Bearer {key}"}
    scene.page.request.post(f"{scene.address}/drafts/{draft['id']}/decision", data=decision, headers=headers)
    scene.page.reload()
    scene.page.locator("#conflict").wait_for()


def waiting(scene: Scene) -> None:
    """What a student sees of a question before a decision."""
    _ask_as_student(scene)


def decided(scene: Scene) -> None:
    """The same address once a teaching assistant has decided."""
    _ask_as_student(scene)
    operator = scene.page.context.browser.new_page()  # type: ignore[union-attr]
    operator.request.post(
        f"{scene.address}/drafts/{_draft_id(scene)}/decision",
        data={"text": "On Thursday, February 19, 23:59 [1]. You can use at most two slip days on it."},
    )
    scene.page.locator(".answer").wait_for()
    operator.close()


def questions(scene: Scene) -> None:
    """What a course's students asked."""
    ask_some(scene, times=2)
    scene.page.goto(f"{scene.address}/courses/ds101/questions")


def _open_draft(scene: Scene) -> None:
    ask_some(scene)
    scene.page.goto(f"{scene.address}/review?course=ds101&q=cross-entropy")
    scene.page.get_by_role("link", name="cross entropy").first.click()
    scene.page.locator("#text").wait_for()


def _draft_id(scene: Scene) -> str:
    return scene.page.url.partition("?")[0].rpartition("/")[2]


def _told(scene: Scene, *arguments: str) -> dict[str, Any]:
    """What a command says as JSON."""
    told = subprocess.run(
        [str(EDUMOD), *arguments], env=environment(EDUMOD_HOME=str(scene.home)), capture_output=True, check=True
    )
    answer: dict[str, Any] = json.loads(told.stdout)
    return answer


def _ask_as_student(scene: Scene) -> None:
    """Signed in, and through a proxy: who uses the service on its own machine sees everything."""
    student = ("Ada", "--course", "ds101", "--role", "student", "--url", scene.address, "--json")
    scene.page.goto(_told(scene, "people", "invite", *student)["link"])
    scene.page.get_by_role("button", name="Sign in").click()
    scene.page.goto(scene.address)
    scene.page.locator("[name=course]").select_option("ds101")
    scene.page.get_by_label("Question").fill(QUESTION)
    scene.page.get_by_role("button", name="Ask", exact=True).click()
    scene.page.locator("[data-waiting]").wait_for()


def source(scene: Scene) -> None:
    """The source of a citation: the page of a PDF with its box, and the quotation marked."""
    _open_draft(scene)
    scene.page.get_by_role("link", name="open", exact=True).first.click()
    scene.page.wait_for_load_state("networkidle")
    scene.page.evaluate("scrollTo(0, 0)")


def quality(scene: Scene) -> None:
    """How drafts were decided, after some were."""
    ask_some(scene, times=5)
    listed = scene.page.request.get(f"{scene.address}/drafts?course=ds101&state=pending&limit=100").json()
    for n, draft in enumerate(listed["drafts"]):
        decision: dict[str, object] = {}
        if n % 5 == 3:
            decision = {"text": "See the syllabus and ask in section.", "reasons": ["factual_detail"]}
        elif n % 5 == 4:
            decision = {"outcome": "discarded", "reasons": ["irrelevant"]}
        elif n % 5 == 2:
            decision = {"struck": [1], "reasons": ["conciseness"]}
        scene.page.request.post(f"{scene.address}/drafts/{draft['id']}/decision", data=decision)
    scene.page.goto(f"{scene.address}/courses/ds101/quality")


def quiz(scene: Scene) -> None:
    """A quiz of a chapter, some of its questions decided."""
    chapter = "textbook/01-what-data-science-is.md"
    scene.edumod("quiz", "ds101", "--document", chapter)
    quizzes = f"{scene.address}/courses/ds101/quizzes"
    quiz = next(one["id"] for one in scene.page.request.get(quizzes).json() if one["document"] == chapter)
    decisions = ({"state": "kept"}, {"state": "kept", "question": "Which three parts does a useful definition have?"})
    for number, decision in enumerate(decisions, 1):
        scene.page.request.post(f"{quizzes}/{quiz}/questions/{number}", data=decision)
    scene.page.goto(f"{quizzes}/{quiz}")


def ask_some(scene: Scene, times: int = 1) -> None:
    """Drafts that wait."""
    for number, (title, body, category) in enumerate(DRAFTS * times, 165):
        question = {"title": title, "body": body, "category": category}
        request = {"course": "ds101", "question": question, "author": {"pseudonym": f"student-{number}"}}
        scene.page.request.post(f"{scene.address}/answer", data=request)


def course_settings(scene: Scene) -> None:
    """A course's settings, one of them changed."""
    scene.page.goto(f"{scene.address}/courses/ds101/settings")
    hours = scene.page.locator("[name='review.due_hours']")
    hours.fill("12" if hours.input_value() != "12" else "8")
    scene.page.get_by_role("button", name="Save").click()
    scene.page.get_by_text("1 setting is changed.").wait_for()


def course_calendar(scene: Scene) -> None:
    """What a course's dates were read as, one of them corrected."""
    scene.page.goto(f"{scene.address}/courses/ds101/calendar")
    row = scene.page.locator("section.panel").filter(
        has=scene.page.get_by_role("heading", name="Homework 3", exact=True)
    )
    row.get_by_text("Correct").click()
    row.get_by_label("Due").fill("2026-03-06 23:59")
    row.get_by_role("button", name="Save").click()
    scene.page.get_by_text("Saved.").wait_for()


def course_tree(scene: Scene) -> None:
    """What a course has, with counts for students and for staff."""
    scene.page.goto(f"{scene.address}/courses/ds101/tree")


def files(scene: Scene) -> None:
    """Two files that were sent, with for whom each would be."""
    scene.page.goto(f"{scene.address}/courses/ds101/files")
    scene.page.get_by_label("Kind of material").select_option("assignment")
    folder = scene.home / "sent"
    folder.mkdir(exist_ok=True)
    for name in ("hw1.md", "hw1_sol.md"):
        (folder / name).write_text(HOMEWORK[name], encoding="utf-8")
    scene.page.locator("input[type=file]").first.set_input_files([folder / "hw1.md", folder / "hw1_sol.md"])
    scene.page.get_by_role("button", name="Look at them").click()
    scene.page.get_by_role("button", name="Ingest them").wait_for()


def people(scene: Scene) -> None:
    """The people of a course."""
    for name, role in (("Priya Nair", "instructor"), ("Sam Okafor", "ta")):
        scene.edumod("people", "invite", name, "--course", "ds101", "--role", role)
    scene.page.goto(f"{scene.address}/courses/ds101/people")


def evaluations(scene: Scene) -> None:
    """Two runs, and the form that starts another."""
    for names in ("bm25,hybrid", "tree"):
        scene.edumod("eval", "retrieval", "--course", "ds101", "--retriever", names)
    scene.page.goto(f"{scene.address}/evaluations?course=ds101")
    scene.page.get_by_text("Start an evaluation").click()


def functions(scene: Scene) -> None:
    """The report of `edumod eval functions`."""
    report = scene.home / "functions.html"
    command = "eval functions --course ds101 --pipeline all --seeds 5 --concurrency 2 --page"
    scene.edumod(*command.split(), str(report))
    scene.page.goto(report.as_uri())


def experiment(scene: Scene) -> None:
    """The judged part of a report of `edumod eval answers`."""
    _open_experiment(scene)
    _hide_before(scene, "Judged")


def differing(scene: Scene) -> None:
    """Two answers of that report side by side, with a trace."""
    _open_experiment(scene)
    _hide_before(scene, "Messages on which actors differ most")
    scene.page.locator(".pair summary").first.click()


def _hide_before(scene: Scene, heading: str) -> None:
    """Leaves out what stands above a heading of a report."""
    script = "node => { while (node.previousElementSibling) node.previousElementSibling.remove() }"
    scene.page.get_by_role("heading", name=heading, exact=True).evaluate(script)


def _open_experiment(scene: Scene) -> None:
    report = scene.home / "experiment.html"
    if not report.exists():
        file = write_experiment(scene.home / "experiment")
        scene.edumod("course", "load", str(file.with_name("course.yaml")))
        arguments = ("eval", "answers", "--experiment", str(file), "--concurrency", "2", "--page", str(report))
        # The files have no answers to the follow-ups.
        scene.edumod(*arguments, exit_code=INCOMPLETE)
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


class Lesson(Endpoint):
    """A teacher who asks, a student who finds the way by and by, and a judge."""

    says = (
        "I would take 18 times 4, since every tree has its 4 metres. That makes 72.",
        "Oh. With 2 trees it is only 4 metres, with 3 it is 8. So there is always one gap less!",
        "Then it is 17 times 4, and that is 68 metres.",
    )
    asks = (
        "Before we calculate: how would you draw the path and the trees for this exercise?",
        "A good start: you looked at the gaps. Try it with 2 trees, and with 3. What do you notice?",
        "You found a rule by yourself. What does it say about 18 trees?",
        "And it fits your small examples, too. How else could you check it?\n<end>",
    )

    tells = "There is one gap less than trees: 17 times 4 is 68 metres. Write that down.\n<end>"

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("tools"):
            return self.judged(body)
        if body["model"] == "student_model" and "You are a patient" in body["messages"][0]["content"]:
            return {"role": "assistant", "content": self.tells}
        role = self.says if "You play a student" in body["messages"][0]["content"] else self.asks
        turn = sum(one["role"] == "assistant" for one in body["messages"])
        return {"role": "assistant", "content": role[min(turn, len(role) - 1)]}

    def judged(self, body: dict[str, Any]) -> dict[str, Any]:
        """Scores that depend on dialogue and field, lower for who tells the solution."""
        reply = super().reply(body)
        call, said = reply["tool_calls"][0]["function"], str(body["messages"])
        best = 3 if "Write that down" in said else 5
        fields = {
            name: max(best - crc32(f"{name} {said}".encode()) % 3, 1) if isinstance(value, int) else value
            for name, value in json.loads(call["arguments"]).items()
        }
        call["arguments"] = json.dumps(fields)
        return reply


def scenarios(scene: Scene) -> None:
    """The report of `edumod elmes run` on two models that a script plays, one dialogue opened."""
    file, report = scene.home / "guided.yaml", scene.home / "scenarios.html"
    text = (ROOT / "data" / "scenarios" / "guided.en.yaml").read_text(encoding="utf-8")
    lesson = Lesson()
    with serving(lesson):
        for name in ("TEACHER_MODEL", "STUDENT_MODEL", "JUDGE_MODEL"):
            text = text.replace(f"${{{name}}}", name.lower())
        text = text.replace("keep_turns: 3", "keep_turns: 9").replace("api_base: null", f'api_base: "{lesson.url}"')
        file.write_text(text, encoding="utf-8")
        scene.edumod("elmes", "run", str(file), "--models", "teacher,student", "--page", str(report))
    scene.page.goto(report.as_uri())
    scene.page.locator("details.dialogue summary").first.click()


PICTURES: tuple[Callable[[Scene], None], ...] = (
    ask, course, answer, code, code_experiment, feedback, description, trace, queue, item, conflict,
    waiting, decided, questions, source, quality, quiz, course_settings, course_tree, people, evaluations, files,
    functions, scenarios, experiment, differing, nightly, course_calendar,
)  # fmt: skip
"""Each opens a page; its name is that of the picture. The last two change the course."""
SCREENS = ("queue", "item", "conflict", "waiting", "decided", "questions", "course_settings")
"""Pictures of one screen, and of a phone's as well."""


def take(browser: Browser, picture: Callable[[Scene], None], home: Path, address: str) -> None:
    """Store the picture, and the one of a phone where there is one."""
    name, has_screen = picture.__name__, picture.__name__ in SCREENS
    sizes = {name: WORKBENCH, f"{name}_phone": PHONE} if has_screen else {name: (WIDTH, 700)}
    for file, (width, height) in sizes.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        picture(Scene(page, home, address))
        if not has_screen:
            height = min(page.evaluate("document.documentElement.scrollHeight"), MAX_HEIGHT)
            # What sticks to the bottom of a window would else stand in the midst of the picture.
            page.set_viewport_size({"width": width, "height": height})
        clip: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
        page.screenshot(path=DOCS / f"{file}.png", full_page=True, clip=clip)
        page.close()


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
                    take(browser, picture, home, address)
        browser.close()


if __name__ == "__main__":
    main()
