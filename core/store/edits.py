"""What people have typed about drafts and not sent."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select

from core.errors import EditChanged
from core.review import EditPurpose
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import upsert
from core.store.tables import EditRow, table_of

_edits = table_of(EditRow)

FIRST_REVISIONS = 500_000_000
"""A new edit begins at any of these, so that a page of an edit that was deleted does not know its revision."""


class Edits(Topic):
    @transaction
    def save(self, connection: Connection, edit: EditRow, base: int | None) -> EditRow:
        """Store an edit over the revision that was read (0: none); None over any. Raises `EditChanged`."""
        row = connection.execute(select(_edits).where(_is(edit)).with_for_update()).one_or_none()
        current = row.revision if row else 0
        if row is not None and row.fields == edit.fields and row.base == edit.base:
            return EditRow(**{**row._mapping, "purpose": edit.purpose})
        if base is not None and row is not None and base != current:
            raise EditChanged("This text was changed in another window since. Load the page: both texts are there.")
        edit.revision = 1 + (current or secrets.randbelow(FIRST_REVISIONS))
        changed = edit.model_dump(include={"base", "revision", "fields", "saved_at"})
        # Of two first saves at the same time, one finds the other's.
        is_read = None if base is None else _edits.c.revision == current
        if not connection.execute(upsert(connection.dialect, _edits, edit.model_dump(), changed, is_read)).rowcount:
            raise EditChanged("This text was changed in another window since. Load the page: both texts are there.")
        return edit

    async def of(self, draft_id: str, person: str, purpose: EditPurpose) -> EditRow | None:
        """What that person has typed about the draft."""
        rows = await self._rows(select(_edits).where(_mine(draft_id, person, purpose)))
        return EditRow(**{**rows[0]._mapping, "purpose": EditPurpose(rows[0].purpose)}) if rows else None

    async def discard(self, draft_id: str, person: str, purpose: EditPurpose) -> None:
        """Delete what that person has typed; nothing where there is none."""
        await self._change(_edits.delete().where(_mine(draft_id, person, purpose)))

    async def expire(self, before: datetime) -> int:
        """Delete what was last saved before that moment; how many there were."""
        return await self._change(_edits.delete().where(_edits.c.saved_at < before))


def discard_edit(connection: Any, draft_id: str, person: str, purpose: EditPurpose) -> None:
    """The same within a transaction: a text that was sent is typed no more."""
    connection.execute(_edits.delete().where(_mine(draft_id, person, purpose)))


def _is(edit: EditRow) -> ColumnElement[bool]:
    return _mine(edit.draft_id, edit.person, edit.purpose)


def _mine(draft_id: str, person: str, purpose: EditPurpose) -> ColumnElement[bool]:
    return and_(_edits.c.draft_id == draft_id, _edits.c.person == person, _edits.c.purpose == purpose)
