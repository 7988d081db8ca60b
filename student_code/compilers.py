"""What compilers say of C and Java, and the lines that a Java program names when it stops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from student_code.findings import CodeWork, Finding

_DIAGNOSTIC = re.compile(
    r"^[^\s:]+\.\w+:(?P<line>\d+):(?:\d+:)? (?P<level>(?:fatal )?error|warning): (?P<message>.+)$", re.MULTILINE
)
"""gcc, clang and javac write one form; the first two add the column."""
_FRAME = re.compile(r"^\s+at (?:[\w$.]+/)?[\w$.<>]+\((?P<file>\w+)\.java:(?P<line>\d+)\)", re.MULTILINE)
_EXCEPTION = re.compile(r"(?:[\w.]+\.)?(?P<name>[A-Z]\w*(?:Exception|Error))(?:: (?P<message>.*))?$", re.MULTILINE)
_QUOTED = re.compile(r"[‘'`](?P<name>[^’'`]+)[’'`]")
_SYMBOL = re.compile(r"symbol:\s+(?:variable|method|class) (?P<name>\w+)")
_KINDS = (
    ("undefined_name", re.compile(r"undeclared|cannot find symbol|implicit declaration|unknown type name")),
    ("used_before_assignment", re.compile(r"uninitialized|might not have been initialized")),
    ("assignment_in_condition", re.compile(r"assignment used as truth value|-Wparentheses")),
    ("no_return_on_a_way", re.compile(r"missing return statement|reaches end of non-void|-Wreturn-type")),
    ("missing_token", re.compile(r"^expected ‘?'?(?P<token>[^\s‘’']+)|^'(?P<other>[;)}\]])' expected")),
    ("syntax_error", re.compile(r"^expected |reached end of file|illegal start|not a statement|stray ")),
    ("type_error", re.compile(r"incompatible|cannot be converted|bad operand|invalid operands|-Wint-conversion|lossy")),
)
"""What a message says, by the mistake of the catalogue."""
ERROR, WARNING = 0.95, 0.8
INDEX = "IndexOutOfBounds"


def compiled(work: CodeWork) -> Iterator[Finding]:
    """The compiler's messages of which the catalogue has the mistake, each once, and where a Java program stopped."""
    for text in dict.fromkeys((*(test.message or "" for test in work.failing), work.text)):
        yield from _diagnostics(text, work)
        yield from _stopped(text, work)


def _diagnostics(text: str, work: CodeWork) -> Iterator[Finding]:
    for match in _DIAGNOSTIC.finditer(text):
        message, line = match["message"], int(match["line"])
        mistake = next((name for name, words in _KINDS if words.search(message)), None)
        if mistake is None or not 1 <= line <= len(work.lines):
            continue
        symbol = _SYMBOL.search(text, match.end()) if "cannot find symbol" in message else _QUOTED.search(message)
        weight = WARNING if match["level"] == "warning" else ERROR
        words = {"name": symbol["name"] if symbol else "", "message": message, "code": work.lines[line - 1].strip()}
        yield Finding(mistake, line, weight, words | {"error": "error", "token": symbol["name"] if symbol else ""})


def _stopped(text: str, work: CodeWork) -> Iterator[Finding]:
    error = _EXCEPTION.search(text)
    frames = [one for one in _FRAME.finditer(text) if _is_own(one["file"], text)]
    frame = frames[0] if frames else None
    if error is None or frame is None or not 1 <= int(frame["line"]) <= len(work.lines):
        return
    words = {"error": error["name"], "message": error["message"] or "", "name": "", "code": ""}
    yield Finding("index_error" if INDEX in error["name"] else "error_here", int(frame["line"]), 0.85, words)


def _is_own(file: str, text: str) -> bool:
    """Whether a file is the student's: the standard library has a module before its frames, tests say so."""
    in_library = re.search(rf"at [\w.]+/[\w$.<>]+\({file}\.java:", text)
    return not in_library and "test" not in file.lower()
