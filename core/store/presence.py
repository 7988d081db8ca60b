"""Who has which draft open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from core.access import Person
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import upsert
from core.store.tables import PresenceRow, table_of

_presence = table_of(PresenceRow)

PRESENT = timedelta(seconds=60)
"""How long somebody counts as present after the last heartbeat."""


class Presence(Topic):
    @transaction
    def note(self, connection: Connection, draft_id: str, person: Person, at: datetime) -> None:
        """Note that a person has the draft open, and forget who has left."""
        connection.execute(_presence.delete().where(_presence.c.seen_at < at - PRESENT))
        row = PresenceRow(draft_id=draft_id, person=person.id, name=person.name, seen_at=at)
        changed = {"name": person.name, "seen_at": at}
        connection.execute(upsert(connection.dialect, _presence, row.model_dump(), changed))

    async def forget(self, draft_id: str, person: Person) -> None:
        """Note that a person has left the draft."""
        mine = (_presence.c.draft_id == draft_id, _presence.c.person == person.id)
        await self._change(_presence.delete().where(*mine))

    async def of_many(self, draft_ids: Sequence[str], at: datetime) -> dict[str, list[Person]]:
        """Who is present, by draft."""
        query = select(_presence).where(_presence.c.draft_id.in_(draft_ids), _presence.c.seen_at >= at - PRESENT)
        people: defaultdict[str, list[Person]] = defaultdict(list)
        for row in await self._rows(query.order_by(_presence.c.name)):
            people[row.draft_id].append(Person(row.person, row.name))
        return dict(people)
