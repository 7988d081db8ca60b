"""What a reviewer types is stored while it is typed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.datastructures import FormData

from app.review.form import number_in
from app.review.schemas import MAX_FINAL_CHARS
from app.review.working_text import WorkingText, fields_of
from app.schemas import Body, Text
from core.concurrency import in_thread
from core.errors import EditChanged
from core.review import EditPurpose
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, EditRow
from core.text.changes import Change, ChangeKind, changes, extent

FIELDS = (
    "was", "block", "strike", "reason", "note", "correct", "helpful", "style", "promote", "evidence", "keep",
    "instruction", "pipeline", "model",
)  # fmt: skip
"""Fields of a draft's page that are stored."""
MAX_VALUES = 1500
MAX_CHARS = 4 * MAX_FINAL_CHARS


class EditIn(Body):
    """What a page's fields hold now."""

    base: Text = Field(max_length=64, description="Digest of the draft's text on the page.")
    revision: int = Field(ge=0, description="The revision that the page has saved or shown; 0 for none.")
    fields: dict[str, list[Text]] = Field(max_length=len(FIELDS))
    block: int | None = Field(default=None, ge=1, le=MAX_VALUES, description="The block to be shown as it is now.")


class EditOut(BaseModel):
    """What was saved, and how it looks."""

    revision: int
    saved_at: str
    added: int
    struck: int
    share: int = Field(description="Of the draft's words that are struck or replaced, in per cent.")
    changes: str = Field(description="What was changed, as HTML.")
    noticed: tuple[str, ...] = Field(default=(), description="What to look at before it is sent.")
    was: str | None = Field(default=None, description="The block's Markdown.")
    html: str | None = Field(default=None, description="The block as HTML.")


def digest_of(text: str) -> str:
    """By which a draft's text is known again."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def form_of(edit: EditRow | None) -> FormData | None:
    """The stored fields as a form that was sent."""
    if edit is None:
        return None
    return FormData([(name, value) for name, values in edit.fields.items() for value in values])


def fields_in(form: Any) -> dict[str, list[str]]:
    """The fields of a form that are stored; none where it has no text."""
    fields = {name: [str(value) for value in form.getlist(name)] for name in FIELDS if name in form}
    if "final" in form and "block" not in fields:
        fields |= fields_of(WorkingText.of(str(form["final"]).replace("\r\n", "\n")))
    return fields if "block" in fields else {}


def are_too_many(fields: Mapping[str, list[str]]) -> bool:
    """True of more than any draft's page can hold."""
    values = [value for texts in fields.values() for value in texts]
    return len(values) > MAX_VALUES or sum(map(len, values)) > MAX_CHARS


async def keep_form(store: Store, draft: DraftRow, person: str, purpose: EditPurpose, form: Any) -> None:
    """Store what a form holds over the revision that its page was loaded with.

    Raises `EditChanged` where another window has saved another text since.
    """
    if not (fields := fields_in(form)) or are_too_many(fields):
        return
    over = await demand_latest(store, draft.id, person, purpose, form)
    await put(store, draft, person, purpose, fields, str(form.get("base", ""))[:64], over)


async def demand_latest(store: Store, draft_id: str, person: str, purpose: EditPurpose, form: Any) -> int:
    """The revision that is stored, 0 for none.

    Raises `EditChanged` for a form whose page has not seen the text that another window has saved.
    """
    edit = await store.edits.of(draft_id, person, purpose)
    if edit is None:
        return 0
    if "revision" in form and number_in(form.get("revision")) != edit.revision:
        sent = WorkingText.of_fields(form) if "block" in form else WorkingText.of(str(form.get("final", "")))
        stored = WorkingText.of_fields(form_of(edit))
        if (await in_thread(extent, stored.final, sent.final)).edit_distance:
            raise EditChanged("You have changed this text in another window since.")
    return edit.revision


async def keep_decision(store: Store, draft: DraftRow, decision: DecisionRow) -> None:
    """Give the text of a decision that was taken back to whoever typed it."""
    if decision.text:
        fields = {**fields_of(WorkingText.of(decision.text)), "reason": list(decision.reasons), "note": [decision.note]}
        await put(store, draft, decision.decided_by, EditPurpose.DECISION, fields, "")


async def put(
    store: Store,
    draft: DraftRow,
    person: str,
    purpose: EditPurpose,
    fields: dict[str, list[str]],
    base: str,
    over: int | None = None,
) -> None:
    """Store the fields over that revision; None over any. Raises `EditChanged`."""
    edit = EditRow(
        draft_id=draft.id, course_id=draft.course_id, person=person, purpose=purpose, base=base, fields=fields
    )
    await store.edits.save(edit, over)


def summary(draft: str, text: str) -> dict[str, Any]:
    """How a text differs from the draft, as fields of `EditOut`."""
    merged = changes(draft, text)
    count = {kind: sum(len(one.text.split()) for one in merged if one.kind is kind) for kind in ChangeKind}
    share = round(100 * extent(draft, text).share_deleted) if draft else 0
    return {
        "added": count[ChangeKind.ADDED],
        "struck": count[ChangeKind.DELETED],
        "share": share,
        "changes": str(Markup("").join(map(_marked, merged))),
    }


_TAGS = {
    ChangeKind.ADDED: Markup("<ins>{}</ins>"),
    ChangeKind.DELETED: Markup("<del>{}</del>"),
    ChangeKind.KEPT: Markup("{}"),
}


def _marked(change: Change) -> Markup:
    return _TAGS[change.kind].format(change.text)
