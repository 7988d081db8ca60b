"""A run: the operations on one question from which pipelines are built."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from core.concurrency import in_thread
from core.course import Course
from core.errors import BadReply, EduModError, ModelError, RunTimeout
from core.llm.base import LLM, Sampling
from core.llm.calls import call_problem
from core.llm.metered import CallWatch, unwatched
from core.settings import ModelPrice
from core.types import Answer, FunctionCall, FunctionSpec, Passage, Question, Step, StepKind, Usage
from pipelines.images.reading import ImageReader, Reading
from pipelines.running.asking import Asking
from pipelines.running.budget import QUESTION_SHARE, fit_history, fit_passages, fit_question, question_size
from pipelines.running.choices import sort_out
from pipelines.running.limits import MAX_PASSAGES, MAX_REPAIRS, Clock, Limits, OneAtATime
from pipelines.running.searching import Search, Searches
from pipelines.running.trace import NOTHING, Trace, Watch
from pipelines.safeguards import (
    NO_SECRETS,
    CourseSecrets,
    Prepare,
    PreparedText,
    open_texts,
    staff_texts,
    without_leaks_together,
)
from pipelines.safeguards.checks import checked, is_quick
from pipelines.tasks import (
    ChooseFunctions,
    FillArguments,
    Review,
    ReviewDraft,
    SelectFunctions,
    WriteAnswer,
    as_cited,
    as_read,
)  # fmt: skip

log = logging.getLogger("edumod")

HURRIED = "Time ran short: the answer uses only the passages found until then."


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
        prepare: Prepare = PreparedText,
        secrets: CourseSecrets = NO_SECRETS,
    ) -> None:
        self.course = course
        self.question = question
        self.functions = functions
        self.notes: list[str] = []
        self._limits = limits
        self._prepare = prepare
        self._secrets = secrets
        self._clock = Clock(limits)
        self._trace = Trace(spent)
        self._asking = Asking(llm, prices, sampling, limits.prompt_chars, watch_calls)
        self._images = tuple(images)
        reader = reader or ImageReader()
        own = replace(reader, permits=OneAtATime(reader.permits))
        self._reading = Reading(own, course, question, self._asking, self._clock, self._trace)
        self._searches = Searches(search, retrievers, self._asking, self._clock, self._trace)

    def watch(self, watch: Watch) -> None:
        """Call `watch` for each function call and step from now on."""
        self._trace.watch = watch

    async def read_images(self) -> None:
        """Add the texts of its images to the question. Images that cannot be read are noted."""
        if self._images:
            texts = await self._reading.read(self._images)
            self.question = self.question.model_copy(update={"images": texts})
            for problem in self._reading.problems:
                self.note(problem)

    async def choose(
        self, *, required: bool = False, guided: bool = False, feedback: str = ""
    ) -> tuple[FunctionCall, ...]:
        """Ask the model which functions to call, given all results so far; returns none if time runs short.

        `guided` gives it the student's category, which is otherwise left out; `feedback` is a review of a draft. Calls
        that cannot be run are returned to the model with the reason. Raises a `ModelError` if the model fails and
        nothing was found before; `BadReply` if a call was required and none can be run.
        """
        if self.hurries() or self._is_full():
            return ()
        try:
            return await self._choose(required, (self.question.category or "") if guided else "", feedback)
        except TimeoutError:
            self.note(HURRIED)
        except ModelError as error:
            if not self._searches.found:
                raise
            self.failure("No further search was made, since choosing one failed", error)
        return ()

    async def select(self) -> tuple[str, ...]:
        """Ask the model only for the names of the functions to call. Raises a `ModelError` if it fails."""
        descriptions = tuple(f"{function.name}: {function.description}" for function in self.functions)

        def task(chars: int) -> SelectFunctions:
            return SelectFunctions(
                course=self._title, course_id=self.course.id, question=self._asked(chars), functions=descriptions
            )

        try:
            with self._trace.step(StepKind.CHOOSE) as details:
                selection = await self._asking.ask(details, task, self._clock.to_choose)
                details["note"] = f"Selected: {', '.join(selection.functions) or 'none'}."
        except TimeoutError:
            self.note(HURRIED)
            return ()
        return tuple(dict.fromkeys(selection.functions))

    async def fill(self, names: Iterable[str]) -> tuple[FunctionCall, ...]:
        """Ask the model for the arguments of each function concurrently; functions for which it fails are left out.

        Raises its `ModelError` if it fails for all; `BadReply` for an unknown function.
        """
        filled = await asyncio.gather(*(self._fill(name) for name in names), return_exceptions=True)
        calls = tuple(call for call in filled if isinstance(call, FunctionCall))
        self._tolerate("A function was not called", filled, enough=bool(calls))
        return calls

    async def search(self, calls: Sequence[FunctionCall]) -> bool:
        """Run the calls concurrently; true if one was new. Repeated calls get their earlier results.

        A failed search is noted, and the model sees its error. Raises the error if nothing was found at all.
        """
        new = any(not self._searches.has(call) for call in calls)
        failures = await self._searches.run(calls)
        self._tolerate("A search failed", failures, enough=bool(self._searches.found))
        if calls and self._clock.to_search <= 0:
            self.note(HURRIED)
        return new

    async def write(self, *, draft: Answer | None = None, feedback: str = "") -> Answer:
        """Write the answer from everything found, and check it; with a draft and its review, write a better one.

        Raises `RunTimeout` if the run's time is over, and a `ModelError` if the model fails.
        """
        shown: tuple[Passage, ...] = ()

        def task(chars: int) -> WriteAnswer:
            nonlocal shown
            asked = self._asked(chars, category=True)
            shown = fit_passages(self.passages, chars - question_size(asked))
            return WriteAnswer(
                course=self._title, style=self.course.style.text, question=asked, passages=shown,
                draft=as_read(draft) if draft else "", feedback=feedback,
            )  # fmt: skip

        with self._trace.step(StepKind.WRITE) as details:
            try:
                written = await self._asking.ask(details, task, self._clock.to_write)
            except TimeoutError:
                raise RunTimeout(
                    f"No answer was written within {self._limits.deadline_seconds:g} seconds. "
                    "Raise EDUMOD_DEADLINE_SECONDS, or choose a faster model or a pipeline with fewer calls."
                ) from None
        found = self._searches.found
        check = partial(checked, written, shown, found, self._own_words, self._prepare, self._secrets)
        return check() if is_quick(written) and not self.holds_secrets() else await in_thread(check)

    async def review(self, draft: Answer) -> Review | None:
        """A judging model's verdict on a draft; None, with a note, if the model failed or no time was left."""
        passages = as_cited(self.passages, draft)

        def task(chars: int) -> ReviewDraft:
            asked = self._asked(chars, category=True)
            return ReviewDraft(
                course=self._title, style=self.course.style.text, question=asked,
                passages=fit_passages(passages, chars - question_size(asked)), draft=as_read(draft),
            )  # fmt: skip

        try:
            with self._trace.step(StepKind.REVIEW) as details:
                review = await self._asking.ask(details, task, self._clock.to_search)
                verdict = "Accepted" if review.accepted else "Not accepted"
                details["note"] = f"{verdict}, score {review.score:g}: {review.reasons}"
        except TimeoutError:
            self.note("A draft was not reviewed: time ran short.")
            return None
        except ModelError as error:
            self.failure("A draft was not reviewed", error)
            return None
        return review

    def hurries(self) -> bool:
        """True, with a note, if only the time for writing is left."""
        if hurried := self._clock.to_search <= 0:
            self.note(HURRIED)
        return hurried

    def holds_secrets(self) -> bool:
        """True if the course has staff-only texts, which must not be shown."""
        return bool(self._secrets or staff_texts(self._searches.found))

    def public(self) -> Callable[[Sequence[str]], list[str]]:
        """A function that removes sentences which repeat staff-only texts of the course, or of what was found.

        It takes all texts that are shown beside each other: a sentence may be spread over them. If the run holds
        secrets, it is slow: call it in a thread.
        """
        passages = self._searches.found
        secret, known = staff_texts(passages), open_texts(self._own_words, passages)
        return lambda texts: without_leaks_together(texts, secret, known, self._prepare, self._secrets)

    @property
    def steps(self) -> list[Step]:
        return self._trace.steps

    @property
    def usage(self) -> Usage:
        """Usage of all model calls, including those of retrievers and failed ones."""
        return self._trace.usage

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The best distinct passages found, at most `MAX_PASSAGES`."""
        return self._searches.found[:MAX_PASSAGES]

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """Every function call that was run, in order."""
        return self._searches.calls

    def _is_full(self) -> bool:
        """True, with a note, if no further call may be made."""
        if full := len(self._searches) >= self._limits.calls_per_run:
            self.note(f"No further search was made after {self._limits.calls_per_run} calls.")
        return full

    async def _choose(self, required: bool, category: str, feedback: str) -> tuple[FunctionCall, ...]:
        def task(chars: int) -> ChooseFunctions:
            asked = self._asked(chars)
            history = fit_history(self._searches.history, chars - question_size(asked))
            return ChooseFunctions(
                course=self._title, course_id=self.course.id, category=category, question=asked,
                functions=self.functions, required=required, history=history, feedback=feedback,
            )  # fmt: skip

        for _ in range(1 + MAX_REPAIRS):
            with self._trace.step(StepKind.CHOOSE) as details:
                choice = await self._asking.ask(details, task, self._clock.to_choose)
                chosen = sort_out(choice.calls, self.functions, self._limits, self._searches.calls)
                details["calls"] = chosen.calls
                if chosen.note:
                    details["note"] = chosen.note
            if chosen.calls or not chosen.wrong:
                break
            self._searches.history.append(chosen.wrong[: self._limits.calls_per_turn])
        if required and not chosen.calls:
            why = "; ".join(chosen.reasons) or "it called none"
            raise BadReply(f"The model had to call a function, and there is no call that can be run: {why}.")
        return chosen.calls

    async def _fill(self, name: str) -> FunctionCall:
        specs = tuple(function for function in self.functions if function.name == name)

        def task(chars: int) -> FillArguments:
            return FillArguments(course=self._title, question=self._asked(chars), functions=specs, required=True)

        if not specs:
            raise BadReply(f"The model selected a function that does not exist: {name!r}.")
        with self._trace.step(StepKind.CHOOSE) as details:
            choice = await self._asking.ask(details, task, self._clock.to_choose)
            fitting = [call for call in choice.calls if not call_problem(call.name, call.arguments, specs)]
            if not fitting:
                raise BadReply(f"The model wrote no arguments that fit {name}.")
            # Each call comes from a separate reply, so that ids may repeat.
            details["calls"] = (fitting[0].model_copy(update={"id": f"call_{name}"}),)
        return fitting[0].model_copy(update={"id": f"call_{name}"})

    def _tolerate(self, what: str, results: Iterable[object], *, enough: bool) -> None:
        """Notes errors among the results. Raises an error if there is not `enough` without it, or if it is a bug."""
        for error in results:
            if isinstance(error, TimeoutError):
                self.note(HURRIED)
            elif isinstance(error, EduModError) and enough:
                self.failure(what, error)
            elif isinstance(error, BaseException):
                raise error

    def _asked(self, chars: int, *, category: bool = False) -> Question:
        """The question, shortened to its share of a prompt; without its category unless `category` is set."""
        asked = fit_question(self.question, int(QUESTION_SHARE * chars))
        return asked if category else asked.model_copy(update={"category": None})

    @property
    def _own_words(self) -> Question:
        """The question without what a model has read in its images."""
        own = tuple(text for text in self.question.images if text not in self._reading.by_model)
        return self.question.model_copy(update={"images": own})

    @property
    def _title(self) -> str:
        return self.course.title or self.course.id

    def failure(self, what: str, error: EduModError) -> None:
        """Note a failure after which the run continues; messages of an endpoint go only to the log."""
        log.warning("%s: %s", what, error)
        self.note(f"{what}: {error.public}")

    def note(self, note: str) -> None:
        """Add a warning for the reviewer of the answer, once."""
        if note not in self.notes:
            self.notes.append(note)
