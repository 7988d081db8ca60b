"""Pagination of lists, newest first."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, literal, select, tuple_

from core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a page's last entry in a list."""

    created_at: datetime
    id: str

    def encode(self) -> str:
        """As an opaque string for a query parameter."""
        return base64.urlsafe_b64encode(f"{self.created_at.isoformat()} {self.id}".encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str, parameter: str) -> Cursor:
        """The cursor of a parameter's value from `encode`. Raises `InvalidInput` for any other value."""
        try:
            padded = text + "=" * (-len(text) % 4)
            moment, _, id_ = base64.urlsafe_b64decode(padded.encode()).decode().partition(" ")
            created_at = datetime.fromisoformat(moment)
            if created_at.tzinfo is None or not id_ or "\0" in id_:
                raise ValueError(moment)
        except (ValueError, OverflowError, binascii.Error) as error:
            raise InvalidInput(
                f"`{parameter}` is not the `next` of an earlier page. Send it unchanged, or leave it out."
            ) from error
        return cls(created_at, id_)


@dataclass(frozen=True, slots=True)
class ListedDraft:
    """A draft without its question and answer."""

    id: str
    state: str
    created_at: datetime
    error: dict[str, Any] | None
    course_id: str
    kind: str | None
    category: str | None
    confidence: float | None
    version: int
    claimed_by: str | None
    claimed_by_name: str | None
    claimed_until: datetime | None


@dataclass(frozen=True, slots=True)
class Page:
    """Entries, and the cursor of the next page; None on the last page."""

    drafts: tuple[ListedDraft, ...]
    next: Cursor | None


def page_of(
    connection: Connection,
    table: Any,
    alternatives: Sequence[Sequence[ColumnElement[bool]]],
    before: Cursor | None,
    limit: int,
    *,
    oldest_first: bool = False,
) -> Page:
    """The next `limit` drafts for which all conditions of an alternative hold, read in the connection's transaction.

    No draft fits several alternatives.
    """
    columns = table.c
    key = tuple_(columns.created_at, columns.id)
    query = select(*(columns[field.name] for field in fields(ListedDraft)))
    if before is not None:
        position = tuple_(literal(before.created_at, columns.created_at.type), before.id)
        query = query.where(key > position if oldest_first else key < position)
    order = [column.asc() if oldest_first else column.desc() for column in (columns.created_at, columns.id)]
    query = query.order_by(*order).limit(limit + 1)
    drafts = [ListedDraft(*row) for conditions in alternatives for row in connection.execute(query.where(*conditions))]
    rows = tuple(sorted(drafts, key=lambda draft: (draft.created_at, draft.id), reverse=not oldest_first))[: limit + 1]
    page = rows[:limit]
    is_last = len(rows) <= limit
    return Page(page, None if is_last else Cursor(page[-1].created_at, page[-1].id))


ORDERS: dict[str, Any] = {"confidence": -1.0, "category": "", "kind": ""}
"""Columns that drafts can be ordered by before their age, and what counts where there is no value."""


def ordered_page(
    connection: Connection,
    table: Any,
    conditions: Sequence[ColumnElement[bool]],
    order: str,
    after: Cursor | None,
    limit: int,
) -> Page:
    """The next `limit` drafts by one of `ORDERS`, lowest and oldest first, read in the connection's transaction."""
    columns = table.c
    first = func.coalesce(columns[order], literal(ORDERS[order], columns[order].type))
    query = select(*(columns[field.name] for field in fields(ListedDraft))).where(*conditions)
    if after is not None:
        value = connection.execute(select(first).where(columns.id == after.id)).scalar()
        here = tuple_(
            literal(ORDERS[order] if value is None else value, columns[order].type),
            literal(after.created_at, columns.created_at.type),
            after.id,
        )
        query = query.where(tuple_(first, columns.created_at, columns.id) > here)
    rows = connection.execute(query.order_by(first, columns.created_at, columns.id).limit(limit + 1)).all()
    page = tuple(ListedDraft(*row) for row in rows[:limit])
    return Page(page, Cursor(page[-1].created_at, page[-1].id) if len(rows) > limit else None)
