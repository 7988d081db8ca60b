"""What a reviewer sent with the form of a draft's page."""

from __future__ import annotations

import re
from typing import Any

from app.review.schemas import DecisionIn
from app.review.working_text import WorkingText
from core.review import Outcome
from core.text.changes import extent
from core.text.strikes import without_struck

SCORES = ("correct", "helpful", "style")
_NUMBER = re.compile(r"[0-9]{1,9}")


def number_in(field: object) -> int | None:
    """The whole number in a form's field that a database can compare, else None."""
    match = _NUMBER.fullmatch(str(field or ""))
    return int(match[0]) if match else None


def decision_in(form: Any, draft: str, *, is_discarded: bool) -> DecisionIn:
    """The decision in a form about a draft's text. Raises pydantic's `ValidationError`."""
    fields: dict[str, Any] = {
        "reasons": form.getlist("reason"),
        "note": form.get("note", ""),
        "scores": {name: form[name] for name in SCORES if form.get(name)},
        "seconds": form.get("seconds") or None,
        "kept": form.getlist("keep") if "evidence" in form else None,
        "promote": "promote" in form,
    }
    if is_discarded:
        fields |= {"outcome": Outcome.DISCARDED, "promote": False}
    else:
        fields["text"] = final_text(form, draft)
    return DecisionIn.model_validate(fields)


def final_text(form: Any, draft: str) -> str:
    """The typed text without struck sentences."""
    if "block" in form:
        working = WorkingText.of_fields(form)
        return draft if working.final and working.is_as(draft) else working.final
    text = str(form.get("final", draft)).replace("\r\n", "\n")
    struck = {number for number in map(number_in, form.getlist("strike")) if number is not None}
    text = without_struck(draft, struck, text) if struck else text.strip()
    # White space alone is no edit.
    return draft if text and extent(draft, text).edit_distance == 0 else text
