"""What the parts of a run share: the question, the model, the time, the results so far, and the notes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.course import Course
from core.errors import EduModError
from core.types import Audience, FunctionSpec, Question
from homework.task import HomeworkTask
from pipelines.running.asking import Asking
from pipelines.running.budget import QUESTION_SHARE, fit_question
from pipelines.running.deadline import Deadline
from pipelines.running.limits import Limits
from pipelines.running.searching import Searches
from pipelines.running.trace import Trace
from student_code.inspector import CodeReport

log = logging.getLogger("edumod")

HURRIED = "Time ran short: the answer uses only the passages found until then."


@dataclass
class RunState:
    """The state of one run. `question` is replaced when its images were read.

    `exercise` is what homework or code is for. `nothing` is the probability that no function is needed, if what chose
    the functions stated one. `code` is what was found in the student's code, if the question is about code.
    """

    course: Course
    question: Question
    functions: tuple[FunctionSpec, ...]
    limits: Limits
    asking: Asking
    deadline: Deadline
    trace: Trace
    searches: Searches
    audience: Audience = Audience.STUDENTS
    exercise: HomeworkTask | None = None
    nothing: float | None = None
    code: CodeReport | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The course's name in prompts."""
        return self.course.title or self.course.id

    @property
    def prompt_solution(self) -> str:
        """The official solution of the exercise as far as a model may read it: in a run for staff."""
        return (self.exercise.solution or "") if self.exercise and self.audience is Audience.STAFF else ""

    def asked(self, chars: int, *, category: bool = False) -> Question:
        """The question, shortened to its share of a prompt; without its category unless `category` is set."""
        asked = fit_question(self.question, int(QUESTION_SHARE * chars))
        return asked if category else asked.model_copy(update={"category": None})

    def hurries(self) -> bool:
        """True, with a note, if only the time for writing is left."""
        if hurried := self.deadline.to_search <= 0:
            self.note(HURRIED)
        return hurried

    def tolerate(self, what: str, results: Iterable[object], *, enough: bool) -> None:
        """Notes errors among the results. Raises an error if there is not `enough` without it, or if it is a bug."""
        for error in results:
            if isinstance(error, TimeoutError):
                self.note(HURRIED)
            elif isinstance(error, EduModError) and enough:
                self.failure(what, error)
            elif isinstance(error, BaseException):
                raise error

    def failure(self, what: str, error: EduModError) -> None:
        """Note a failure after which the run continues; messages of an endpoint go only to the log."""
        log.warning("%s: %s", what, error)
        self.note(f"{what}: {error.public}")

    def note(self, note: str) -> None:
        """Add a warning for the reviewer of the answer, once."""
        if note not in self.notes:
            self.notes.append(note)
