"""What confidence is fitted to: labelled messages with the evidence for their answers."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.task import Out, Task, YesNoTask
from eval.actors.answers import AnsweringActor
from eval.datasets.answers import Expectation, LabelledAnswer
from eval.datasets.facts import SOLUTION_REQUEST, FactQuestion
from eval.metrics.answers.base import is_labelled
from offline.evidence import Evidence
from offline.extraction import CourseWords, evidence_for, write_answer
from offline.phrases import PHRASES
from posts.parts import read_post
from retrievers.locations import location_of
from safeguards.citations import verified
from student_code.catalogue import ENGLISH
from tasks import WriteAnswer


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled message that one actor has answered, whatever its confidence.

    `evidence` is None if nothing could be quoted. `is_right` says whether the location cited first answers, or whether
    all facts are shown. `is_answerable` is None where an answer and none are both right. `grade` is what a person gave
    this answer, None if nobody graded it as it is now.
    """

    course: str
    message: str
    actor: str
    evidence: Evidence | None
    is_right: bool
    is_answerable: bool | None
    grade: int | None = None

    @property
    def group(self) -> tuple[str, str]:
        """Equal for the answers to one message, which stay together in cross-validation."""
        return self.course, self.message


class _Recorder:
    """Passes tasks on, and keeps the one that writes the answer."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self.task: WriteAnswer | None = None

    @property
    def model(self) -> str:
        return self._llm.model

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        if isinstance(task, WriteAnswer):
            # The offline writer quotes from whole passages.
            self.task = task.model_copy(update={"passages": task.whole or task.passages})
        return await self._llm.run(task, sampling)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        return await self._llm.probability(task, sampling)

    async def aclose(self) -> None:
        await self._llm.aclose()


async def cases_of(
    items: Sequence[LabelledAnswer] | Sequence[FactQuestion],
    offline: LLM,
    words: CourseWords,
    actors: Sequence[AnsweringActor],
    taught: Set[str],
) -> list[Case]:
    """The messages that need a response, each answered offline by every actor.

    The router was trained on the messages `taught`, about which it knows too much: for them it counts as not asked.
    """
    found = []
    for item in items:
        for actor in actors if item.expects is not Expectation.NO_RESPONSE else ():
            recorder = _Recorder(offline)
            await actor.respond(item.question, 0, recorder)
            if recorder.task is not None:
                found.append(await _case(item, actor, recorder.task, words, is_taught=item.id in taught))
    return found


async def _case(
    item: LabelledAnswer | FactQuestion,
    actor: AnsweringActor,
    task: WriteAnswer,
    words: CourseWords,
    *,
    is_taught: bool,
) -> Case:
    post = read_post(task.question)
    rarity = await words.of(task.course_id, post.words | post.asked_words)
    evidence = evidence_for(task, post, rarity)
    if evidence is not None and is_taught:
        evidence = replace(evidence, nothing=None)
    written = write_answer(task.model_copy(update={"abstain_below": 0.0}), post, rarity)
    is_answerable = item.expects is Expectation.ANSWER
    case = Case(task.course_id, item.id, actor.name, evidence, is_right=False, is_answerable=is_answerable)
    answer = verified(written, task.passages).markdown
    if isinstance(item, FactQuestion):
        either = item.kind == SOLUTION_REQUEST
        return replace(case, is_right=item.is_shown_by(answer), is_answerable=None if either else is_answerable)
    first: Any = next((task.passages[one.passage - 1] for one in written.citations), None)
    cited = location_of(first.document, first.heading_path) if first else ""
    return replace(case, is_right=is_labelled(item, cited), grade=_grade(item, answer))


def _grade(item: LabelledAnswer, answer: str) -> int | None:
    if item.graded is None or answer.removeprefix(PHRASES[ENGLISH].preface).strip() != item.graded.answer:
        return None
    return item.graded.grade
