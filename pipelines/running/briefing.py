"""Works out what a post asks of its writer: separate questions, and the task at which the student is stuck."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Passage, Question, Source
from posts.intents import is_about_wording
from posts.parts import parts_in
from posts.query import asked_text
from retrievers.names import read_names
from safeguards.statements import Brief

MAX_PARTS = 8
"""A post with more questions than this is answered as a whole."""


def brief_for(question: Question, passages: Sequence[Passage]) -> Brief:
    """What the post asks, given the passages that its writer is shown, best first."""
    return Brief(parts=parts_in(question, MAX_PARTS, halves=False), task=_task(asked_text(question), passages))


def task_location(brief: Brief, passages: Sequence[Passage]) -> str:
    """The task's location and the number of its passage, as a writer reads them; empty if there is none."""
    numbers = {passage.block_id: number for number, passage in enumerate(passages, 1)}
    return "\n".join(f"{task.location} (passage {numbers[task.block_id]})" for task in brief.task)


def _task(text: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The task that the student works on: the best passage if it is one, or else one whose number the text names.

    Its wording is what a student asks about who wants to know what to hand in; then there is no task to hint at.
    """
    tasks = [one for one in passages if one.source is Source.ASSIGNMENT and one.label]
    if not tasks or is_about_wording(text):
        return ()
    if tasks[0] is passages[0]:
        return (tasks[0],)
    questions = read_names(text).questions
    return tuple(one for one in tasks if one.label in questions)[:1]
