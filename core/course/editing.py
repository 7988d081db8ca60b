"""Single settings of a course, by keys such as `review.due_hours`: what is changed without the course file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.course.file import Course

EDITABLE: dict[str, tuple[str, ...]] = {
    "Course": ("title", "time_zone", "categories", "consent_required"),
    "Drafts": (
        "posting", "review.threshold", "review.due_hours", "review.remind", "review.undo_seconds",
        "review.claim_minutes", "review.correct_days", "review.close_thanks", "review.weekly", "judge",
    ),
    "How answers are made": ("defaults.pipeline", "defaults.retriever", "defaults.top_k", "abstain_below",
        "when_model_fails", "writing.unsupported", "writing.mark", "writing.second_look_below"),
    "How answers sound": ("style.assignments", "style.concepts", "style.logistics", "style.tone"),
    "What students read instead of an answer": (
        "sentences.abstained", "sentences.needs_clarification", "sentences.blocked", "sentences.consent_required",
        "sentences.waiting", "sentences.discarded",
    ),
    "Homework": ("homework.attempts_a_day", "homework.tell_from"),
    "Quotas": ("quotas.questions_a_day", "quotas.dollars_a_month"),
    "Forum": (
        "forum.staff", "forum.bots", "forum.staff_words", "forum.staff_draft", "forum.learn",
        "forum.consent", "forum.poll_seconds", "forum.settle_seconds", "forum.drafts_a_thread", "forum.posts_a_day",
    ),
}  # fmt: skip
"""The settings by topic. What decides about files, deletion, and where secrets are sent stays in the course file.
So does which course of a forum is read: one token may open several."""


def editable_keys(config: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The settings that a course has: those of a forum only if its file names one."""
    return {
        title: keys for title, keys in EDITABLE.items() if all(_parent(config, key) is not None for key in keys[:1])
    }


def value_at(config: Mapping[str, Any], key: str) -> Any:
    """The value of a setting; None where it is not given."""
    parent, (name, _, part) = _parent(config, key), key.partition(".")
    return None if parent is None else parent.get(part or name)


def with_values(config: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The course file's content with other values, except of settings whose mapping is not given, as of no forum."""
    changed = dict(config)
    for key, value in values.items():
        name, _, part = key.partition(".")
        if not part:
            changed[name] = value
        elif (parent := _parent(changed, key)) is not None:
            changed[name] = {**parent, part: value}
    return changed


def course_with(config: Mapping[str, Any], values: Mapping[str, Any]) -> Course:
    """The validated course with other values. Raises `ValidationError`."""
    changed = with_values(config, values)
    return Course.model_validate(changed, context={"categories": changed.get("categories") or ()})


def _parent(config: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """The mapping that holds the setting; None where the course file says that there is none."""
    name, _, part = key.partition(".")
    if not part:
        return config
    parent: Mapping[str, Any] | None = config.get(name, {})
    return parent
