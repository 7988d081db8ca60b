"""What every answer goes through before anybody sees it, so that texts for staff stay with staff."""

from __future__ import annotations

from safeguards.audience import asker_texts, readable_texts, staff_texts
from safeguards.foreign import quoted, without_foreign
from safeguards.invisible import without_invisible
from safeguards.leaks.course import NO_SECRETS, CourseSecrets, SecretsOfCourses
from safeguards.leaks.guard import WITHHELD, without_leaks, without_leaks_together
from safeguards.leaks.prepared import Prepare, PreparedText, TextCache

__all__ = [
    "NO_SECRETS", "WITHHELD", "CourseSecrets", "Prepare", "PreparedText", "SecretsOfCourses", "TextCache",
    "asker_texts", "quoted", "readable_texts", "staff_texts", "without_foreign", "without_invisible", "without_leaks",
    "without_leaks_together",
]  # fmt: skip
