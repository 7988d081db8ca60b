"""Works out what a post asks of its writer: separate questions, and the task at which the student is stuck."""

from __future__ import annotations

from collections.abc import Sequence, Set

from core.types import Passage, Question, Source
from posts.intents import is_about_wording
from posts.parts import parts_in
from posts.query import asked_text
from retrievers.names import read_names
from retrievers.terms import work_term
from safeguards.statements import Brief

MAX_PARTS = 8
"""A post with more questions than this is answered as a whole."""


def brief_for(question: Question, passages: Sequence[Passage]) -> Brief:
    """What the post asks, given the passages that its writer is shown, best first."""
    text = asked_text(question)
    parts = parts_in(question, MAX_PARTS, halves=False)
    return Brief(parts=parts, task=_task(text, passages), asks_for_wording=is_about_wording(text))


def task_location(brief: Brief, passages: Sequence[Passage]) -> str:
    """The task's location and the number of its passage, as a writer reads them; empty if there is none."""
    numbers = {passage.block_id: number for number, passage in enumerate(passages, 1)}
    return "\n".join(f"{task.location} (passage {numbers[task.block_id]})" for task in brief.task)


def _task(text: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The task that the student works on: the best passage if it is one, or else one whose number the text names.

    A task of another work than the text names is none.
    """
    names = read_names(text)
    named = frozenset(map(work_term, names.known_works))
    tasks = [
        passage
        for passage in passages
        if passage.source is Source.ASSIGNMENT and passage.label and not _is_of_other_work(passage, named)
    ]
    if tasks and tasks[0] is passages[0]:
        return (tasks[0],)
    return tuple(task for task in tasks if task.label in names.questions)[:1]


def _is_of_other_work(passage: Passage, named: Set[str]) -> bool:
    works = frozenset(map(work_term, read_names(passage.title).known_works))
    return bool(named and works) and not named & works
