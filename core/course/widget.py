"""Where a course's ask box may stand."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from core.edison import OneOrMore
from core.types import Value

Origin = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?$", max_length=260),
]
"""Scheme, host and port of a site. It goes into a header, so nothing else is allowed."""


class WidgetRules(Value):
    """The ask box that one script tag puts on the course's pages; see docs/doors.md."""

    origins: Annotated[tuple[Origin, ...], OneOrMore] = Field(
        default=(),
        description="Sites whose pages may hold the box, such as https://cs.example.edu; without any there is none.",
    )
