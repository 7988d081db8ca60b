"""A question being worked on: the verbs a pipeline is written in."""

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
from core.settings import ModelPrice
from core.types import Answer, FunctionCall, FunctionSpec, Passage, Question, Step, StepKind, Usage
from pipelines.images.reading import ImageReader, Reading
from pipelines.running.asking import Asking
from pipelines.running.budget import QUESTION_SHARE, fit_history, fit_passages, fit_question, question_size
from pipelines.running.choices import sort_out
from pipelines.running.limits import MAX_PASSAGES, MAX_REPAIRS, Clock, Limits, OneAtATime
from pipelines.running.searching import Search, Searches
from pipelines.running.trace import NOTHING, Trace, Watch
from pipelines.safeguards import Prepare, PreparedText, open_texts, staff_texts, without_leaks
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

HURRIED = "Time ran short: the answer rests on what had been found by then."


class Run:
    """One question, from start to answer. `steps` is its trace, `notes` what a reader of the answer should know."""

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
        images: Sequence[bytes] = (),
        reader: ImageReader | None = None,
        spent: Usage = NOTHING,
        prepare: Prepare = PreparedText,
    ) -> None:
        self.course = course
        self.question = question
        self.functions = functions
        self.notes: list[str] = []
        self._limits = limits
        self._prepare = prepare
        self._clock = Clock(limits)
        self._trace = Trace(spent)
        self._asking = Asking(llm, prices, sampling, limits.prompt_chars)
        self._images = tuple(images)
        reader = reader or ImageReader()
        own = replace(reader, places=OneAtATime(reader.places))
        self._reading = Reading(own, course, question, self._asking, self._clock, self._trace)
        self._searches = Searches(search, retrievers, self._asking, self._clock, self._trace)

    def watch(self, watch: Watch) -> None:
        """Tell of each function call and step from now on."""
        self._trace.watch = watch

    async def read_images(self) -> None:
        """Read the question's images into it. What cannot be read is noted; the question is answered all the same."""
        if self._images:
            texts = await self._reading.read(self._images)
            self.question = self.question.model_copy(update={"images": texts})
            for problem in self._reading.problems:
                self._note(problem)

    async def choose(
        self, *, required: bool = False, guided: bool = False, feedback: str = ""
    ) -> tuple[FunctionCall, ...]:
        """Ask the model which functions to call, given all that was found so far; none where time runs short.

        `guided` shows it the student's category, which otherwise stays out of the choice; `feedback` is a review of a
        draft. Calls that cannot be run are handed back with the reason. Raises a `ModelError` where the model fails and
        nothing was found before; `BadReply` where a call was required and none can be run.
        """
        if self.hurries() or self._is_full():
            return ()
        try:
            return await self._choose(required, (self.question.category or "") if guided else "", feedback)
        except TimeoutError:
            self._note(HURRIED)
        except ModelError as error:
            if not self._searches.found:
                raise
            self.failure("No further search was made, since choosing one failed", error)
        return ()

    async def select(self) -> tuple[str, ...]:
        """Ask the model for the names alone of the functions to call. Raises a `ModelError` where it fails."""
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
            self._note(HURRIED)
            return ()
        return tuple(dict.fromkeys(selection.functions))

    async def fill(self, names: Iterable[str]) -> tuple[FunctionCall, ...]:
        """Ask the model for the arguments of each function, all at once; where it fails for one, the others stand.

        Raises its `ModelError` where it fails for all; `BadReply` for names of no function.
        """
        filled = await asyncio.gather(*(self._fill(name) for name in names), return_exceptions=True)
        calls = tuple(call for call in filled if isinstance(call, FunctionCall))
        self._tolerate("A function was not called", filled, enough=bool(calls))
        return calls

    async def search(self, calls: Sequence[FunctionCall]) -> bool:
        """Run the calls concurrently; true if one was new to this run, which answers repeated ones itself.

        A search that fails is noted, and told to the model. Raises its error where nothing was found at all.
        """
        new = any(not self._searches.has(call) for call in calls)
        failures = await self._searches.run(calls)
        self._tolerate("A search failed", failures, enough=bool(self._searches.found))
        if calls and self._clock.to_search <= 0:
            self._note(HURRIED)
        return new

    async def write(self, *, draft: Answer | None = None, feedback: str = "") -> Answer:
        """Write the answer from everything found, and check it; with a draft and its review, improve on that.

        Raises `RunTimeout` where the run's time is over, and a `ModelError` where the model fails.
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
        check = partial(checked, written, shown, self._searches.found, self.question, self._prepare)
        return check() if is_quick(written) and not self.holds_secrets() else await in_thread(check)

    async def review(self, draft: Answer) -> Review | None:
        """A judging model's verdict on a draft; None, with a note, where it failed or no time was left for it."""
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
            self._note("A draft was not reviewed: time ran short.")
            return None
        except ModelError as error:
            self.failure("A draft was not reviewed", error)
            return None
        return review

    def hurries(self) -> bool:
        """True, with a note, where only the time for writing is left."""
        if hurried := self._clock.to_search <= 0:
            self._note(HURRIED)
        return hurried

    def holds_secrets(self) -> bool:
        """True where texts for staff alone were found, which nothing that is shown may repeat."""
        return bool(staff_texts(self._searches.found))

    def public(self) -> Callable[[str], str]:
        """Gives a text without sentences that repeat what was found for staff alone until now.

        Where the run holds secrets it may work for a while, and belongs in a thread.
        """
        passages = self._searches.found
        secret, known = staff_texts(passages), open_texts(self.question, passages)
        return lambda text: without_leaks(text, secret, known, self._prepare)[0]

    @property
    def steps(self) -> list[Step]:
        return self._trace.steps

    @property
    def usage(self) -> Usage:
        """Of every model call, those of retrievers and those that failed included."""
        return self._trace.usage

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The best of what was found, without repetition; as many as a writer is given."""
        return self._searches.found[:MAX_PASSAGES]

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """Every function call that was run, in order."""
        return self._searches.calls

    def _is_full(self) -> bool:
        """True, with a note, where no further call may be made."""
        if full := len(self._searches) >= self._limits.calls_per_run:
            self._note(f"No further search was made after {self._limits.calls_per_run} calls.")
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
            # Every call comes from a reply of its own, so that ids may repeat.
            details["calls"] = (fitting[0].model_copy(update={"id": f"call_{name}"}),)
        return fitting[0].model_copy(update={"id": f"call_{name}"})

    def _tolerate(self, what: str, results: Iterable[object], *, enough: bool) -> None:
        """Notes errors among the results. Raises one where there is not enough without it, or where it is a bug."""
        for error in results:
            if isinstance(error, TimeoutError):
                self._note(HURRIED)
            elif isinstance(error, EduModError) and enough:
                self.failure(what, error)
            elif isinstance(error, BaseException):
                raise error

    def _asked(self, chars: int, *, category: bool = False) -> Question:
        """The question, cut to its share of a prompt; its category stays out of every choice that it does not guide."""
        asked = fit_question(self.question, int(QUESTION_SHARE * chars))
        return asked if category else asked.model_copy(update={"category": None})

    @property
    def _title(self) -> str:
        return self.course.title or self.course.id

    def failure(self, what: str, error: EduModError) -> None:
        """Note a failure that the run goes on without; what an endpoint said of it goes to the log alone."""
        log.warning("%s: %s", what, error)
        self._note(f"{what}: {error.public}")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)
