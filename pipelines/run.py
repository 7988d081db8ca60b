"""A run: the operations on one question from which pipelines are built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from core.course import Course
from core.errors import EduModError
from core.llm.base import LLM, Sampling
from core.llm.metered import CallWatch, unwatched
from core.settings import ModelPrice
from core.types import Answer, Audience, FunctionCall, FunctionSpec, Passage, Question, Step, Usage
from homework.checker import HomeworkChecker
from homework.findings import Checked
from homework.task import HomeworkTask
from pipelines.images.reading import ImageReader, RunImages
from pipelines.running.asking import Asking
from pipelines.running.choosing import FunctionChoosing
from pipelines.running.code import CodeReview
from pipelines.running.deadline import Deadline
from pipelines.running.homework import HomeworkReview
from pipelines.running.limits import MAX_PASSAGES, Limits, OneAtATime
from pipelines.running.searching import Search, Searches
from pipelines.running.state import HURRIED, RunState
from pipelines.running.trace import NOTHING, Trace, Watch
from pipelines.running.writing import Drafting
from safeguards import NO_SECRETS, CourseSecrets, asker_texts, readable_texts
from safeguards.checks import Checks
from student_code.inspector import CodeInspector
from tasks import Review


class Run:
    """One question, from start to answer. `steps` is its trace, `notes` are remarks for the reviewer of the draft."""

    def __init__(
        self,
        *,
        course: Course,
        question: Question,
        functions: tuple[FunctionSpec, ...],
        search: Search,
        llm: LLM,
        sampling: Sampling,
        retrievers: Mapping[str, str],
        prices: Mapping[str, ModelPrice],
        limits: Limits,
        watch_calls: CallWatch = unwatched,
        images: Sequence[bytes] = (),
        reader: ImageReader | None = None,
        spent: Usage = NOTHING,
        secrets: CourseSecrets = NO_SECRETS,
        homework: HomeworkTask | None = None,
        audience: Audience = Audience.STUDENTS,
        checker: HomeworkChecker | None = None,
        inspector: CodeInspector | None = None,
    ) -> None:
        deadline, trace = Deadline(limits), Trace(spent)
        asking = Asking(llm, prices, sampling, limits.prompt_chars, watch_calls)
        searches = Searches(search, retrievers, asking, deadline, trace)
        reader = reader or ImageReader()
        own = replace(reader, permits=OneAtATime(reader.permits))
        self._images = tuple(images)
        self._reading = RunImages(own, course, question, asking, deadline, trace)
        self._secrets = secrets
        self._state = RunState(
            course, question, functions, limits, asking, deadline, trace, searches, audience, homework
        )
        self._choosing = FunctionChoosing(self._state)
        self._writing = Drafting(self._state, lambda: self._own_words, self.checks)
        self._homework = HomeworkReview(self._state, checker, self.checks)
        self._code = CodeReview(self._state, inspector)

    def watch(self, watch: Watch) -> None:
        """Call `watch` for each function call and step from now on."""
        self._state.trace.watch = watch

    async def read_images(self) -> None:
        """Add the texts of its images to the question. Images that cannot be read are noted."""
        if self._images:
            texts = await self._reading.read(self._images)
            self._state.question = self.question.model_copy(update={"images": texts})
            for problem in self._reading.problems:
                self.note(problem)

    async def inspect_code(self) -> None:
        """Look at the student's code, if the question is about code. What exceeds a limit is noted."""
        await self._code.inspect()

    async def choose(
        self, *, required: bool = False, guided: bool = False, feedback: str = ""
    ) -> tuple[FunctionCall, ...]:
        """Ask the model which functions to call, given all results so far; returns none if time runs short.

        `guided` gives it the student's category, which is otherwise left out; `feedback` is a review of a draft. Calls
        that cannot be run are returned to the model with the reason. Raises a `ModelError` if the model fails and
        nothing was found before; `BadReply` if a call was required and none can be run.
        """
        return await self._choosing.choose(required=required, guided=guided, feedback=feedback)

    async def select(self) -> tuple[str, ...]:
        """Ask the model only for the names of the functions to call. Raises a `ModelError` if it fails."""
        return await self._choosing.select()

    async def fill(self, names: Iterable[str]) -> tuple[FunctionCall, ...]:
        """Ask the model for the arguments of each function concurrently; functions for which it fails are left out.

        Raises its `ModelError` if it fails for all; `BadReply` for an unknown function.
        """
        return await self._choosing.fill(names)

    async def search(self, calls: Sequence[FunctionCall]) -> bool:
        """Run the calls concurrently; true if one was new. Repeated calls get their earlier results.

        A failed search is noted, and the model sees its error. Raises the error if nothing was found at all.
        """
        searches = self._state.searches
        new = any(not searches.has(call) for call in calls)
        failures = await searches.run(calls)
        self._state.tolerate("A search failed", failures, enough=bool(searches.found))
        if calls and self._state.deadline.to_search <= 0:
            self.note(HURRIED)
        return new

    async def write(self) -> Answer:
        """Write the answer from everything found, and check it; where its confidence is low, look at it a second time.

        Raises `RunTimeout` if the run's time is over, and a `ModelError` if the model fails.
        """
        await self._code.look_up()
        return self._code.finished(await self._writing.write())

    async def draft(self, *, earlier: Answer | None = None, feedback: str = "") -> Answer:
        """As `write`, without a second look; with an earlier draft and its review, a better one."""
        await self._code.look_up()
        return self._code.finished(await self._writing.draft(earlier, feedback))

    async def review(self, draft: Answer) -> Review | None:
        """A judging model's verdict on a draft; None, with a note, if the model failed or no time was left."""
        return await self._writing.review(draft)

    async def check_homework(self) -> Checked:
        """What can be computed of the homework. Raises `InvalidInput` if the run has none."""
        return await self._homework.check()

    async def write_feedback(self, checked: Checked) -> Answer:
        """Feedback on the homework that rests on the checks. Raises as `write`."""
        return await self._homework.write(checked)

    def hurries(self) -> bool:
        """True, with a note, if only the time for writing is left."""
        return self._state.hurries()

    def holds_secrets(self) -> bool:
        """True if the course has staff-only texts, which must not be shown."""
        return self.checks().holds_secrets

    def checks(self) -> Checks:
        """What every text of a model passes before anybody sees it, as of now."""
        exercise = self._state.exercise
        return Checks(
            self._own_words,
            self._state.searches.found,
            exercise.text if exercise else "",
            (exercise.solution or "") if exercise else "",
            self._secrets,
            self._state.audience,
        )

    def public(self) -> Callable[[Sequence[str]], list[str]]:
        """A function that makes texts public by all checks.

        It takes all texts that are shown beside each other: a sentence may be spread over them. If the run holds
        secrets, it is slow: call it in a thread.
        """
        checks = self.checks()
        cited = [*asker_texts(checks.question), *readable_texts(checks.found)]
        return lambda texts: checks.texts(texts, cited).texts

    def failure(self, what: str, error: EduModError) -> None:
        """Note a failure after which the run continues; messages of an endpoint go only to the log."""
        self._state.failure(what, error)

    def note(self, note: str) -> None:
        """Add a warning for the reviewer of the answer, once."""
        self._state.note(note)

    @property
    def audience(self) -> Audience:
        """Whom the run is for. One for students holds no text for staff."""
        return self._state.audience

    @property
    def course(self) -> Course:
        return self._state.course

    @property
    def question(self) -> Question:
        """The question, with the texts of its images once they were read."""
        return self._state.question

    @property
    def functions(self) -> tuple[FunctionSpec, ...]:
        return self._state.functions

    @property
    def notes(self) -> list[str]:
        return self._state.notes

    @property
    def steps(self) -> list[Step]:
        return self._state.trace.steps

    @property
    def usage(self) -> Usage:
        """Usage of all model calls, including those of retrievers and failed ones."""
        return self._state.trace.usage

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The best distinct passages found, at most `MAX_PASSAGES`."""
        return self._state.searches.found[:MAX_PASSAGES]

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """Every function call that was run, in order."""
        return self._state.searches.calls

    @property
    def _own_words(self) -> Question:
        """The question without what a model has read in its images."""
        own = tuple(text for text in self.question.images if text not in self._reading.by_model)
        return self.question.model_copy(update={"images": own})
