"""Takes links to where no cited passage leads out of an answer, and says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from safeguards.links import Removed, without_links

MAX_HOSTS = 5
"""Hosts that are named in warnings; the others are counted."""
MAX_QUOTED = 200
"""Characters of a model's words in a warning."""


def without_foreign(markdown: str, cited: Sequence[str], is_public: Callable[[str], bool]) -> tuple[str, list[str]]:
    """The text without links and images that no `cited` text backs, and warnings about them.

    `is_public` tells of a host whether a warning may name it: it is a model's word too.
    """
    text, removed = without_links(markdown, cited)
    return (text.strip() if removed else text), _of_links(removed, is_public)


def quoted(text: str) -> str:
    """A model's words, short enough for a warning."""
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 2]} …"


def _of_links(removed: Removed, is_public: Callable[[str], bool]) -> list[str]:
    hosts = list(removed.hosts)
    warnings = [
        f"A link to a host that no cited passage names was removed: {quoted(host)}."
        if is_public(host)
        else "A link to a host that no cited passage names was removed; its name may not be shown."
        for host in hosts[:MAX_HOSTS]
    ]
    if (more := len(hosts) - MAX_HOSTS) > 0:
        warnings.append(f"Links to {more} more host(s) that no cited passage names were removed.")
    if removed.others:
        warnings.append(f"{removed.others} link(s) with a target that stands in no cited passage were removed.")
    if removed.images:
        warnings.append(f"{removed.images} image(s) that no cited passage has were removed.")
    return warnings
