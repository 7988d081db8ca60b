"""What an instructor decides about a course."""

from __future__ import annotations

from core.course.choices import Choices, Defaults
from core.course.documents import DocumentRule, matches
from core.course.file import (
    Course,
    CourseId,
    Privacy,
    ReviewRules,
    WhenModelFails,
    course_in,
    read_course,
    read_course_yaml,
)
from core.course.forum import STAFF_MATTERS, ForumCategory, ForumKind, ForumRules
from core.course.sentences import SENTENCES
from core.course.writing import Style, Unsupported, Writing

__all__ = [
    "SENTENCES", "STAFF_MATTERS", "Choices", "Course", "CourseId", "Defaults", "DocumentRule", "ForumCategory",
    "ForumKind", "ForumRules", "Privacy", "ReviewRules", "Style", "Unsupported", "WhenModelFails", "Writing",
    "course_in", "matches", "read_course", "read_course_yaml",
]  # fmt: skip
