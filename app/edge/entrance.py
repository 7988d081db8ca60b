"""The inner middleware: which requests reach a route."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext

from starlette.types import ASGIApp, Receive, Scope, Send

from app.edge.admission import Admission, starts_run
from app.edge.bodies import Bodies
from app.edge.head_sizes import check_head_size
from app.edge.hosts import Hosts
from app.edge.origins import check_origin
from app.edge.requester import requester_of

Authorise = Callable[[Scope], Awaitable[None]]
"""Leaves the `Access` in the request's state. Raises typed errors for whoever may not use its route."""


class Entrance:
    """ASGI middleware: refuses requests by their head, sender, number and body, in the order of what that costs.

    Raises `Refused`, and typed errors. A request that starts a run holds a permit until its response, streamed or not,
    is sent.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, authorise: Authorise, admission: Admission, bodies: Bodies) -> None:
        self.app = app
        self.hosts = hosts
        self.authorise = authorise
        self.admission = admission
        self.bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        check_head_size(scope)
        self.hosts.check(scope)
        check_origin(scope)
        needs_permit = starts_run(scope)
        with self.admission.count(scope) if needs_permit else nullcontext():
            await self.authorise(scope)
            requester = requester_of(scope)
            if needs_permit:
                # Before the body is read.
                self.admission.check_room(requester)
            async with (
                self.bodies.read(scope, receive, requester) as body,
                # After the body was read, so that clients that send slowly hold no permits.
                self.admission.permit(requester, body) if needs_permit else nullcontext(body) as rest,
            ):
                await self.app(scope, rest, send)
