"""Authenticates requests and refuses those that are not allowed, before a body is read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from fastapi.routing import APIRoute
from starlette.types import Scope

from app.edge.requester import STATE
from app.people.cookies import SESSION, SIGNING, Cookies, cookie
from app.people.current import set_current
from app.people.keys import access_of
from app.people.local import is_local
from app.people.rules import Rule
from core.access import LOCAL_ACCESS, NOBODY, Access
from core.errors import StorageUnavailable, Unauthenticated
from core.quotas import charges_of_request
from core.store.people.keys import is_stale, masked_key
from core.store.store import Store

SCHEME = "Bearer "
log = logging.getLogger("edumod")


class HasStore(Protocol):
    """What the guard needs of the app's services, which exist once the app has started."""

    @property
    def store(self) -> Store: ...


@dataclass
class Guard:
    """Authenticates a request by a key or a browser's session; on this machine it may need neither."""

    is_open_here: bool
    """True if requests from this machine need no key."""
    _cookies: Cookies | None = field(default=None, init=False, repr=False)
    _noting: set[asyncio.Task[None]] = field(default_factory=set, init=False, repr=False)

    async def access(self, scope: Scope, services: HasStore) -> Access:
        """Raises `Unauthenticated` for a key that is malformed, unknown, expired or revoked, and `QuotaExceeded`."""
        if (key := _key_in(scope)) is not None:
            return await self._of_key(key, services.store)
        if (access := await self._of_session(scope, services.store)) is not None:
            return access
        return LOCAL_ACCESS if self.is_open_here and is_local(scope) else NOBODY

    async def enforce(self, scope: Scope, rules: RuleTable) -> None:
        """Leave the `Access` in the request's state, and enforce the rule of its route.

        Raises `Unauthenticated`, `Forbidden` and `QuotaExceeded`.
        """
        if (rule := rules.rule(scope)) is not None:
            access = await self.access(scope, scope["app"].state.services)
            rule.check(access)
            scope.setdefault("state", {})[STATE] = access
            set_current(access)

    async def cookies(self, store: Store) -> Cookies:
        """The cookies of this installation, whose secret is read once."""
        if self._cookies is None:
            self._cookies = Cookies(await store.sessions.secret(SIGNING))
        return self._cookies

    async def _of_session(self, scope: Scope, store: Store) -> Access | None:
        """None without a session that is valid: its browser is asked to sign in again."""
        if cookie(scope, SESSION) is None:
            return None
        cookies = await self.cookies(store)
        if (token := cookies.session(scope)) is None or (member := await store.sessions.member(token)) is None:
            return None
        return replace(member.access, csrf=cookies.csrf(token))

    async def _of_key(self, key: str, store: Store) -> Access:
        row = await store.keys.find(key)
        if row is None:
            raise Unauthenticated("The key is not one of this service. Check that all of it was copied.")
        access = await access_of(row, store)
        if access.key is not None:
            await store.usage.take(charges_of_request(access.key))
        if is_stale(row):
            self._note_use(row.id, store)
        return access

    def _note_use(self, key_id: str, store: Store) -> None:
        """In the background: no request waits for it, and none fails because the database cannot be written."""

        async def note() -> None:
            try:
                await store.keys.note_use(key_id)
            except StorageUnavailable as error:
                log.warning("The last use of the key %s was not noted. %s", masked_key(key_id), error)

        task = asyncio.create_task(note())
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)


class RuleTable:
    """Finds the rule for a request without asking every route."""

    def __init__(self, rules: Iterable[tuple[APIRoute, Rule]]) -> None:
        self._fixed: dict[tuple[str, str], Rule] = {}
        self._patterns: list[tuple[frozenset[str], APIRoute, Rule]] = []
        for route, rule in rules:
            methods = frozenset(route.methods or ())
            if "{" in route.path:
                self._patterns.append((methods, route, rule))
            else:
                self._fixed |= {(method, route.path): rule for method in methods}

    def rule(self, scope: Scope) -> Rule | None:
        """None for an address that no route has: the router answers it with 404 or 405."""
        method, path = scope["method"], scope["path"]
        if (fixed := self._fixed.get((method, path))) is not None:
            return fixed
        for methods, route, rule in self._patterns:
            if method in methods and route.path_regex.match(path):
                return rule
        return None


def _key_in(scope: Scope) -> str | None:
    """The key that the request sends. Raises `Unauthenticated` for another scheme, or for several keys."""
    values: list[str] = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
    if not values:
        return None
    if len(values) > 1 or not values[0].startswith(SCHEME):
        raise Unauthenticated("The header Authorization is not `Bearer KEY`.")
    return values[0].removeprefix(SCHEME).strip()
