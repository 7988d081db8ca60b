"""Who sends the current request, for pages."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from core.access import NOBODY, Access
from core.work.callers import set_caller

if TYPE_CHECKING:
    from markupsafe import Markup

CSRF_FIELD = "csrf"
_access: ContextVar[Access] = ContextVar("access", default=NOBODY)


def set_current(access: Access) -> None:
    """Called by the guard: what is done from now on is done for them.

    Not reset: the server runs each request in its own task and context.
    """
    _access.set(access)
    set_caller(access.person.id if access.person else None)


def current() -> Access:
    """Who sends the request, and what they may do."""
    return _access.get()


def csrf_field() -> Markup | str:
    """The hidden field that every form of a page must have; nothing where no session is used."""
    from markupsafe import Markup

    token = current().csrf
    return Markup('<input type="hidden" name="{}" value="{}">').format(CSRF_FIELD, token) if token else ""
