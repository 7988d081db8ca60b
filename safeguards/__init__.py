"""What every text of a model goes through before anybody sees it, so that texts for staff stay with staff."""

from __future__ import annotations

from safeguards.audience import asker_texts, readable_texts, staff_texts
from safeguards.course_secrets import NO_SECRETS, CourseSecrets, SecretsOfCourses
from safeguards.foreign import quoted, without_foreign
from safeguards.invisible import without_invisible
from safeguards.repeats import WITHHELD, without_leaks

__all__ = [
    "NO_SECRETS", "WITHHELD", "CourseSecrets", "SecretsOfCourses", "asker_texts", "quoted", "readable_texts",
    "staff_texts", "without_foreign", "without_invisible", "without_leaks",
]  # fmt: skip
