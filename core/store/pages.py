"""Pagination of lists, newest first."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a page's last entry in a list."""

    created_at: datetime
    id: str

    def encoded(self) -> str:
        """As an opaque string for a query parameter."""
        return base64.urlsafe_b64encode(f"{self.created_at.isoformat()} {self.id}".encode()).decode().rstrip("=")

    @classmethod
    def decoded(cls, text: str) -> Cursor:
        """The cursor of a string from `encoded`. Raises `InvalidInput` for any other string."""
        try:
            padded = text + "=" * (-len(text) % 4)
            moment, _, id_ = base64.urlsafe_b64decode(padded.encode()).decode().partition(" ")
            created_at = datetime.fromisoformat(moment)
            if created_at.tzinfo is None or not id_ or "\0" in id_:
                raise ValueError(moment)
        except (ValueError, OverflowError, binascii.Error) as error:
            raise InvalidInput(
                "`before` is not the `next` of an earlier page. Send it unchanged, or leave it out."
            ) from error
        return cls(created_at, id_)


@dataclass(frozen=True, slots=True)
class ListedDraft:
    """A draft without its question and answer."""

    id: str
    state: str
    created_at: datetime
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Page:
    """Entries, and the cursor of the next page; None on the last page."""

    drafts: tuple[ListedDraft, ...]
    next: Cursor | None


def page_of(
    connection: Connection, table: Any, conditions: Sequence[ColumnElement[bool]], before: Cursor | None, limit: int
) -> Page:
    """The next `limit` drafts, read in the connection's transaction."""
    columns = table.c
    query = select(columns.id, columns.state, columns.created_at, columns.error).where(*conditions)
    if before is not None:
        same = and_(columns.created_at == before.created_at, columns.id < before.id)
        query = query.where(or_(columns.created_at < before.created_at, same))
    query = query.order_by(columns.created_at.desc(), columns.id.desc()).limit(limit + 1)
    rows = tuple(ListedDraft(*row) for row in connection.execute(query))
    shown = rows[:limit]
    is_last = len(rows) <= limit
    return Page(shown, None if is_last else Cursor(shown[-1].created_at, shown[-1].id))
