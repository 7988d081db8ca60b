"""Takes a forum post apart: what its author says, the code, and the error messages of programs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.fences import code_of, split_at_blocks

_ERROR = r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt)\b"
_TRACE_BEGINS = re.compile(
    rf"^(?:-{{20,}}\s*$|Traceback \(most recent call last\)|Exception in thread\b|{_ERROR}(?::|\s*$|\s+Traceback)"
    r"|Error in \S|\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning):|ERROR\b.*:|thread '.*' panicked)",
    re.MULTILINE,
)
"""First lines of what Python, notebooks, Java, JavaScript, R, compilers and databases print about an error."""
_BARE_TRACE = re.compile(
    rf"^Traceback \(most recent call last\).*\n(?:[ \t]+.*\n|[ \t]*\n(?=[ \t]))*(?:{_ERROR}.*(?:\n|\Z))?", re.MULTILINE
)
"""In the text itself: its frames are indented, and the error ends it."""


@dataclass(frozen=True, slots=True)
class PostParts:
    """The parts of a post; `prose` says in brackets where code and tracebacks stood in it."""

    prose: str
    code: tuple[str, ...] = ()
    tracebacks: tuple[str, ...] = ()


def read_post(body: str, attached: str = "") -> PostParts:
    """Parts of a post in Markdown and of the code that came with it, which counts as the last code."""
    code: list[str] = []
    tracebacks: list[str] = []

    def put(parts: list[str], name: str, text: str) -> str:
        if not text.strip():
            return ""
        parts.append(text.strip("\n"))
        return f"({name} {len(parts)})\n"

    def split(block: str) -> str:
        begins = _TRACE_BEGINS.search(block)
        at = begins.start() if begins else len(block)
        return put(code, "code", block[:at]) + put(tracebacks, "traceback", block[at:])

    prose = "".join(
        split(code_of(text))
        if is_block
        else _BARE_TRACE.sub(lambda match: put(tracebacks, "traceback", match[0]), text)
        for text, is_block in split_at_blocks(body)
    )
    split(attached)
    return PostParts(prose.strip("\n"), tuple(code), tuple(tracebacks))
