"""Validation errors of pydantic in one line, for messages."""

from __future__ import annotations

from pydantic import ValidationError


def problems_in(error: ValidationError, limit: int | None = None) -> str:
    """Each problem as `location: message`, at most `limit` of them, without the values that were given."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(
        ": ".join(filter(None, [".".join(map(str, problem["loc"])), problem["msg"]])) for problem in problems[:limit]
    )


def messages_in(error: ValidationError) -> str:
    """The distinct messages, for an error whose location is known from elsewhere."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(dict.fromkeys(problem["msg"] for problem in problems))
