"""A run: one question being worked on, with the verbs that pipelines are written in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from core.concurrency import in_thread
from core.course import Course
from core.errors import BadReply, EduModError, ModelError, RunTimeout
from core.llm.base import LLM, Sampling
from core.llm.metered import CallWatch, unwatched
from core.settings import ModelPrice
from core.types import Answer, Audience, FunctionCall, FunctionSpec, Passage, Question, Step, StepKind, Usage
from homework.checker import HomeworkChecker
from homework.task import HomeworkTask
from pipelines.images.reading import ImageReader, OneAtATime, RunImages
from pipelines.running.answer_limits import MAX_REPAIRS, AnswerLimits
from pipelines.running.briefing import brief_for, task_location
from pipelines.running.budget import EXERCISE_SHARE, QUESTION_SHARE, cut, fit_history, fit_question, question_size
from pipelines.running.code import concept_call, inspect, likeliest_issue
from pipelines.running.confidence import rescaled
from pipelines.running.deadline import Deadline
from pipelines.running.excerpts import excerpts, read_terms
from pipelines.running.model import RunModel
from pipelines.running.public_steps import PublicTrace
from pipelines.running.searches import Search, Searches
from pipelines.running.sorted_calls import sort_calls
from pipelines.running.trace import NOTHING, Trace, Watch
from safeguards import NO_SECRETS, CourseSecrets, asker_texts, readable_texts
from safeguards.checks import Checks, checked, is_quick
from safeguards.source_numbers import with_right_numbers
from safeguards.statements import Brief, Examined
from student_code.inspector import CodeInspector, CodeReport
from student_code.told import as_told
from tasks import ChooseFunctions, MendAnswer, WriteAnswer, as_cited, as_read

HURRIED = "Time ran short: the answer uses only the passages found until then."
NO_SECOND_LOOK = "A doubtful draft was not checked again"
log = logging.getLogger("edumod")


class Run:
    """One question, from start to answer.

    `question` gets the texts of its images once they are read. A run for students holds no text for staff. `exercise`
    is what homework or code is for. `notes` are remarks for the reviewer of the draft. `nothing` is the probability
    that no function is needed, if what chose the functions stated one; `code` is the report on the student's code.
    `material` names what can be searched, `today` the date, for a model that chooses functions.
    """

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
        limits: AnswerLimits,
        watch_calls: CallWatch = unwatched,
        images: Sequence[bytes] = (),
        reader: ImageReader | None = None,
        spent: Usage = NOTHING,
        secrets: CourseSecrets = NO_SECRETS,
        homework: HomeworkTask | None = None,
        audience: Audience = Audience.STUDENTS,
        checker: HomeworkChecker | None = None,
        inspector: CodeInspector | None = None,
        material: str = "",
        today: str = "",
    ) -> None:
        self.course = course
        self.question = question
        self.functions = functions
        self.limits = limits
        self.audience = audience
        self.exercise = homework
        self.checker = checker
        self.nothing: float | None = None
        self.code: CodeReport | None = None
        self.notes: list[str] = []
        self.public_trace: PublicTrace | None = None
        self.deadline = Deadline(limits)
        self.trace = Trace(spent)
        self.model = RunModel(llm, prices, sampling, limits, watch_calls)
        self.searches = Searches(search, retrievers, self.model, self.deadline, self.trace)
        self._images = tuple(images)
        self._reader = reader
        self._texts_by_model: set[str] = set()
        self._inspector = inspector
        self._has_concept = False
        self._secrets = secrets
        self._known = {"material": material, "today": today}

    async def read_images(self) -> None:
        """Add the texts of its images to the question. Images that cannot be read are noted."""
        if not self._images:
            return
        reader = self._reader or ImageReader()
        own = replace(reader, permits=OneAtATime(reader.permits))
        reading = RunImages(own, self.course, self.question, self.model, self.deadline, self.trace)
        texts = await reading.read(self._images)
        self._texts_by_model = reading.by_model
        self.question = self.question.model_copy(update={"images": texts})
        for problem in reading.problems:
            self.note(problem)

    async def inspect_code(self) -> None:
        """Look at the student's code, if the question is about code. What exceeds a limit is noted."""
        if not self.question.is_about_code or self._inspector is None:
            return
        solution = (self.exercise.solution if self.exercise else None) or ""
        self.code = await inspect(self._inspector, self.question, solution, self.trace)
        if self.code.problem:
            self.note(self.code.problem)

    async def choose(
        self, *, required: bool = False, guided: bool = False, feedback: str = ""
    ) -> tuple[FunctionCall, ...]:
        """Ask the model which functions to call, given all results so far; returns none if time runs short.

        `guided` lets the student's category guide it; `feedback` is a review of a draft. Calls that cannot be run are
        returned to the model with the reason. Raises a `ModelError` if the model fails and nothing was found before;
        `BadReply` if a call was required and none can be run.
        """
        if self.hurries() or self._is_full():
            return ()
        category = (self.question.category or "") if guided else ""
        task = partial(self._choice_task, category=category, required=required, feedback=feedback)
        try:
            for _ in range(1 + MAX_REPAIRS):
                with self.trace.step(StepKind.CHOOSE) as details:
                    choice = await self.model.do(details, task, self.deadline.to_choose)
                    choice_calls = sort_calls(choice.calls, self.functions, self.limits, self.calls)
                    details["calls"] = choice_calls.calls
                    if choice_calls.note:
                        details["note"] = choice_calls.note
                if choice.nothing is not None:
                    self.nothing = choice.nothing
                if choice_calls.calls or not choice_calls.wrong:
                    break
                self.searches.history.append(choice_calls.wrong[: self.limits.calls_per_turn])
            if required and not choice_calls.calls:
                why = "; ".join(choice_calls.reasons) or "it called none"
                raise BadReply(f"The model had to call a function, and there is no call that can be run: {why}.")
            return choice_calls.calls
        except TimeoutError:
            self.note(HURRIED)
        except ModelError as error:
            if not self.searches.passages:
                raise
            self.note_failure("No further search was made, since choosing one failed", error)
        return ()

    async def search(self, calls: Sequence[FunctionCall]) -> bool:
        """Run the calls concurrently; true if one was new. Repeated calls get their earlier results.

        A failed search is noted, and the model sees its error. Raises the error if nothing was found at all.
        """
        is_new = any(not self.searches.has(call) for call in calls)
        failures = await self.searches.run(calls)
        self.tolerate("A search failed", failures, enough=bool(self.searches.passages))
        if calls and self.deadline.to_search <= 0:
            self.note(HURRIED)
        return is_new

    async def write(self) -> Answer:
        """Write the answer from everything found, and check it; where its confidence is low, look at it a second time.

        Raises `RunTimeout` if the run's time is over, and a `ModelError` if the model fails.
        """
        draft = await self._write_draft(None, "")
        if self._is_doubtful(draft):
            draft = await self._look_again(draft)
        return await self._check_draft(draft)

    async def draft(self, *, earlier: Answer | None = None, feedback: str = "") -> Answer:
        """As `write`, without a second look; with an earlier draft and its review, a better one."""
        return await self._check_draft(await self._write_draft(earlier, feedback))

    def watch(self, watch: Watch) -> None:
        """Call `watch` for each function call and step from now on."""
        self.trace.watch = watch

    def hurries(self) -> bool:
        """True, with a note, if only the time for writing is left."""
        if hurried := self.deadline.to_search <= 0:
            self.note(HURRIED)
        return hurried

    def note(self, note: str) -> None:
        """Add a warning for the reviewer of the answer, once."""
        if note not in self.notes:
            self.notes.append(note)

    def note_failure(self, what: str, error: EduModError) -> None:
        """Note a failure after which the run continues; messages of an endpoint go only to the log."""
        log.warning("%s: %s", what, error)
        self.note(f"{what}: {error.public}")

    def tolerate(self, what: str, results: Iterable[object], *, enough: bool) -> None:
        """Notes errors among the results. Raises an error if there is not `enough` without it, or if it is a bug."""
        for error in results:
            if isinstance(error, TimeoutError):
                self.note(HURRIED)
            elif isinstance(error, EduModError) and enough:
                self.note_failure(what, error)
            elif isinstance(error, BaseException):
                raise error

    def checks(self) -> Checks:
        """What every text of a model passes before anybody sees it, as of now."""
        exercise, solution = (self.exercise.text, self.exercise.solution or "") if self.exercise else ("", "")
        return Checks(self._own_words, self.searches.passages, exercise, solution, self._secrets, self.audience)

    def holds_secrets(self) -> bool:
        """True if the course has staff-only texts, which must not be shown."""
        return self.checks().holds_secrets

    def public(self) -> Callable[[Sequence[str]], list[str]]:
        """A function that makes texts public by all checks.

        It takes all texts that are shown beside each other: a sentence may be spread over them. If the run holds
        secrets, it is slow: call it in a thread.
        """
        checks = self.checks()
        cited = [*asker_texts(checks.question), *readable_texts(checks.found)]
        return lambda texts: checks.texts(texts, cited).texts if texts else []

    def short_question(self, chars: int) -> Question:
        """The question, shortened to its share of a prompt."""
        return fit_question(self.question, int(QUESTION_SHARE * chars))

    @property
    def title(self) -> str:
        """The course's name in prompts."""
        return self.course.title or self.course.id

    @property
    def prompt_solution(self) -> str:
        """The official solution of the exercise as far as a model may read it: in a run for staff."""
        return (self.exercise.solution or "") if self.exercise and self.audience is Audience.STAFF else ""

    @property
    def steps(self) -> list[Step]:
        return self.trace.steps

    @property
    def usage(self) -> Usage:
        """Usage of all model calls, including those of retrievers and failed ones."""
        return self.trace.usage

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The best distinct passages found, as many as the model reads."""
        return self.searches.passages[: self.limits.passages]

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """Every function call that was run, in order."""
        return self.searches.calls

    @property
    def _own_words(self) -> Question:
        """The question without what a model has read in its images, which could be anything."""
        if not self._texts_by_model:
            return self.question
        own = tuple(text for text in self.question.images if text not in self._texts_by_model)
        return self.question.model_copy(update={"images": own})

    def _is_full(self) -> bool:
        """True, with a note, if no further call may be made."""
        if full := len(self.searches) >= self.limits.calls_per_run:
            self.note(f"No further search was made after {self.limits.calls_per_run} calls.")
        return full

    def _choice_task(self, chars: int, *, category: str, required: bool, feedback: str) -> ChooseFunctions:
        question = self.short_question(chars)
        history = fit_history(self.searches.history, chars - question_size(question))
        return ChooseFunctions(
            course=self.title, course_id=self.course.id, **self._known, category=category, question=question,
            functions=self.functions, required=required, history=history, feedback=feedback,
        )  # fmt: skip

    def _excerpts(
        self, passages: Sequence[Passage], brief: Brief, rests_on: Iterable[str], chars: int
    ) -> tuple[Passage, ...]:
        """The passages as a prompt of so many characters has them: most of what a draft rests on, and of the task."""
        whole = {*rests_on, *(task.block_id for task in brief.task)}
        queries = [str(call.arguments.get("query", "")) for call in self.calls]
        return excerpts(passages, self.question, queries, whole, chars - question_size(self.short_question(chars)))

    async def _write_draft(self, earlier: Answer | None, feedback: str) -> Examined:
        await self._look_up_concept()
        # The references of an earlier draft count its citations.
        passages = as_cited(self.searches.passages, earlier)[: self.limits.passages] if earlier else self.passages
        rests_on = [citation.block_id for citation in earlier.citations] if earlier else []
        brief = brief_for(self.question, passages)
        await read_terms(passages)

        def task(chars: int) -> WriteAnswer:
            question = self.short_question(chars)
            return WriteAnswer(
                course=self.title, style=self.course.style.text, question=question, **self._about_code(chars),
                parts=brief.parts, task=task_location(brief, passages), whole=passages,
                passages=self._excerpts(passages, brief, rests_on, chars),
                draft=as_read(earlier) if earlier else "", feedback=feedback,
                course_id=self.course.id, nothing=self.nothing, abstain_below=self.course.abstain_below,
            )  # fmt: skip

        with self.trace.step(StepKind.WRITE) as details:
            try:
                written = await self.model.do(details, task, self.deadline.to_write)
            except TimeoutError:
                raise RunTimeout(
                    f"No answer was written within {self.limits.deadline_seconds:g} seconds. "
                    "Raise EDUMOD_DEADLINE_SECONDS, or choose a faster model or a pipeline with fewer calls."
                ) from None
        return Examined(with_right_numbers(written, passages, self._own_words), passages, self._own_words, brief)

    async def _look_up_concept(self) -> None:
        """Search the textbook for the concept of the likeliest finding in the student's code, once."""
        call = concept_call(self.code, self.functions) if self.code and not self._has_concept else None
        if self.code is None or call is None or self.hurries():
            return
        self._has_concept = True
        self.tolerate("A search failed", await self.searches.run((call,)), enough=True)
        self.code = replace(self.code, concept=self.searches.history[-1][0].passages)

    def _about_code(self, chars: int) -> dict[str, Any]:
        """What the writer gets to know about the student's code and the exercise that it is for."""
        if self.code is None:
            return {}
        room = int(EXERCISE_SHARE * chars)
        return {
            "exercise": cut(self.exercise.text if self.exercise else "", room),
            "solution": cut(self.prompt_solution, room),
            "findings": as_told(self.code),
            "code": self.code,
        }

    def _is_doubtful(self, draft: Examined) -> bool:
        """True of an answer with something to mend, and a confidence below the course's threshold.

        Of drafts in which nothing was found wrong, second looks changed little.
        """
        is_faulty = draft.written.status == "answered" and bool(draft.findings)
        return is_faulty and draft.confidence < self.course.writing.second_look_below

    async def _look_again(self, draft: Examined) -> Examined:
        """The draft after a second look, or as it was if that made it worse or failed."""
        quoted = {source.passage for source in draft.written.citations}
        rests_on = [passage.block_id for number, passage in enumerate(draft.shown, 1) if number in quoted]

        def task(chars: int) -> MendAnswer:
            question = self.short_question(chars)
            return MendAnswer(
                course=self.title, style=self.course.style.text, question=question, parts=draft.brief.parts,
                task=task_location(draft.brief, draft.shown),
                passages=self._excerpts(draft.shown, draft.brief, rests_on, chars),
                draft=draft.written.statements, confidence=draft.confidence, findings=draft.findings,
            )  # fmt: skip

        try:
            with self.trace.step(StepKind.REVIEW) as details:
                written = await self.model.do(details, task, self.deadline.to_write)
                written = with_right_numbers(written, draft.shown, draft.question)
                second = Examined(written, draft.shown, draft.question, draft.brief)
                is_worse = second.faulty > draft.faulty
                details["note"] = _describe_changes(draft, second, is_worse=is_worse)
        except TimeoutError:
            self.note(f"{NO_SECOND_LOOK}: time ran short.")
            return draft
        except ModelError as error:
            self.note_failure(NO_SECOND_LOOK, error)
            return draft
        return draft if is_worse else second

    async def _check_draft(self, draft: Examined) -> Answer:
        """The draft as an answer that passed all checks, with the issue that was found in the student's code."""
        checks = self.checks()
        check = partial(checked, draft, checks, self.course.writing)
        answer = check() if is_quick(draft.written) and not checks.holds_secrets else await in_thread(check)
        answer = rescaled(answer, self.limits.confidence)
        return answer if self.code is None else answer.model_copy(update={"issue": likeliest_issue(self.code)})


def _describe_changes(first: Examined, second: Examined, *, is_worse: bool) -> str:
    """What a second look changed, in words of ours."""
    before, after = ({statement.text for statement in draft.written.statements} for draft in (first, second))
    if is_worse:
        outcome = "what came back had more problems, so the draft was kept"
    elif second.written.status != first.written.status:
        outcome = f"its status is {second.written.status} now"
    else:
        left, new = len(before - after), len(after - before)
        outcome = f"{left} of its {len(before)} statements were changed or left out, {new} are new"
    return f"Second look at a draft of confidence {first.confidence:g} with {len(first.findings)} findings: {outcome}."
