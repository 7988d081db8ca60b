"""Each route declares who may use it; together the routes are the table of what is allowed (decision 0038).

@router.get("/drafts")
async def drafts(access: Annotated[Access, needs(Permission.DRAFTS_READ)]) -> DraftsOut: ...

@router.get("/healthz", dependencies=[ANYONE])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from app.edge.bodies import FORMS
from app.edge.origins import SAFE_METHODS
from app.edge.requester import STATE
from app.people.current import CSRF_FIELD
from core.access import Access, Permission
from core.errors import Forbidden, SetupError

CSRF_HEADER = "X-CSRF-Token"
"""How scripts send what forms have in a hidden field."""


@dataclass(frozen=True)
class Rule:
    """Who may use a route: anyone with the permission in at least one course, or everybody if it is None.

    The guard enforces it before the body of a request is read. As a dependency it gives the route its `Access`, with
    which the route asks for the course in question.
    """

    permission: Permission | None
    checks_form: bool = True
    """Whether a form must repeat what a page of the same session was given."""

    async def __call__(self, request: Request) -> Access:
        access: Access = getattr(request.state, STATE)
        self.check(access)
        if self.checks_form and access.csrf is not None and request.method not in SAFE_METHODS:
            await _check_form(request, access.csrf)
        return access

    def check(self, access: Access) -> None:
        """Raises `Unauthenticated` and `Forbidden`."""
        if self.permission is not None:
            access.demand(self.permission)


async def _check_form(request: Request, wanted: str) -> None:
    """Raises `Forbidden` unless the request repeats what a page of the same session was given.

    A browser sends its cookie with every request, so the cookie does not show which page a form came from.
    """
    sent = request.headers.get(CSRF_HEADER)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower().encode("latin-1")
    if sent is None and media_type in FORMS:
        sent = str((await request.form()).get(CSRF_FIELD, ""))
    if not compare_digest((sent or "").encode(), wanted.encode()):
        raise Forbidden("This form belongs to an earlier sign-in. Load the page again and repeat what you did.")


def needs(permission: Permission) -> Any:
    """The dependency of a route for those with this permission; its value is their `Access`."""
    return Depends(Rule(permission))


ANYONE = Depends(Rule(None))
"""The dependency of a route for everybody, signed in or not."""
FROM_ELSEWHERE = Depends(Rule(None, checks_form=False))
"""The same for forms that pages of other services send: the route itself checks whose they are."""


def rule_of(route: APIRoute) -> Rule | None:
    """The route's rule; None if it declares none. Raises `SetupError` if it declares several."""
    rules = set(_rules(route.dependant))
    if len(rules) > 1:
        raise SetupError(f"The route {route.path} declares several rules. Leave one of them.")
    return next(iter(rules), None)


def rules_of(routers: Iterable[APIRouter]) -> list[tuple[APIRoute, Rule]]:
    """The table of all routes with their rules. Raises `SetupError` naming the routes without one."""
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    if undeclared := [route.path for route in routes if rule_of(route) is None]:
        raise SetupError(f"Routes without an access rule: {', '.join(undeclared)}. See app/people/rules.py.")
    return [(route, rule) for route in routes if (rule := rule_of(route)) is not None]


def _rules(dependant: Dependant) -> Iterator[Rule]:
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, Rule):
            yield dependency.call
        yield from _rules(dependency)
