"""What every answer goes through before anybody sees it, so that texts for staff stay with staff."""

from __future__ import annotations

from pipelines.safeguards.foreign import quoted, without_foreign
from pipelines.safeguards.invisible import without_invisible
from pipelines.safeguards.leaks import WITHHELD, open_texts, staff_texts, without_leaks
from pipelines.safeguards.prepared import Prepare, PreparedText, TextCache

__all__ = [
    "WITHHELD", "Prepare", "PreparedText", "TextCache", "open_texts", "quoted", "staff_texts",
    "without_foreign", "without_invisible", "without_leaks",
]  # fmt: skip
