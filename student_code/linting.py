"""What ruff says of Python code: undefined names and the like. It reads the code and does not run it."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache

from ruff.__main__ import find_ruff_bin

from core.code import LintMessage

MISTAKES = {
    "F401": ("unused_variable", 0.3), "F811": ("unused_variable", 0.3), "F841": ("unused_variable", 0.3),
    "A001": ("shadowed_builtin", 0.15), "A002": ("shadowed_builtin", 0.15), "B006": ("mutable_default", 0.7),
    "B015": ("comparison_unused", 0.85), "B018": ("result_unused", 0.8), "F632": ("identity_of_value", 0.6),
    "SIM222": ("bare_value_in_or", 0.9),
}  # fmt: skip
"""What a rule of ruff says of beginners' code: the mistake, and how sure it is."""
UNDEFINED, UNBOUND = "F821", "F823"
"""Rules about names, of which the mistake depends on the rest of the code."""
SECONDS = 5.0
SYNTAX = "invalid-syntax"


@cache
def _ruff() -> str:
    return str(find_ruff_bin())


def linted(code: str) -> tuple[LintMessage, ...]:
    """The messages on the code, by line; none if ruff took too long or failed."""
    command = [_ruff(), "check", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json",
               "--select", ",".join((*MISTAKES, UNDEFINED, UNBOUND)), "--stdin-filename", "code.py", "-"]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603  (a fixed command; the code is its input)
            command, input=code.encode(errors="replace"), capture_output=True, timeout=SECONDS, check=True
        )
        read = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return ()
    return tuple(
        LintMessage(line=max(one["location"]["row"], 1), code=one["code"] or SYNTAX, message=one["message"])
        for one in read
    )


_NAME = re.compile(r"[`'](\w+)[`']")


def name_in(message: LintMessage) -> str:
    """The name that a message is about; empty if it names none."""
    found = _NAME.search(message.message)
    return found[1] if found else ""
