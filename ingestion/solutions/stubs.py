"""Recognises places for an answer in notebooks: stubs set by nbgrader or by the author."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise

_WHAT = (
    r"(?:code|answers?|solutions?|responses?|explanations?|work|text|implementation|thoughts|observations|reasoning"
    r"|proof|derivation|function|plot)"
)
_PLACEHOLDER = re.compile(
    r"^[\W_]*(?:"
    r"(?:(?:please|todo|begin|start)\W+)*+"
    r"(?:(?:write|type|enter|put|insert|add|fill in|give|provide|place|start|do)\s+)?"
    rf"(?:(?:in\s+)?(?:your|the|student)\s+)?(?:own\s+)?{_WHAT}(?:\s+and\s+{_WHAT})?\s+(?:goes\s+|should go\s+)?"
    r"(?:here|below|in this cell|in the cell below)"
    rf"|(?:(?:begin|start|write|insert|enter|type)\s+)?your\s+{_WHAT}"
    r"|double[- ]click (?:here |this cell |on this cell )?(?:to|and) (?:edit|write|type|answer)\b[^.:]{0,40}"
    r"|replace this (?:text|line|cell|comment)?[^.:=]{0,40}"
    r"|(?:ihr|dein)\w{0,2} (?:code|antwort|lösung) (?:hier|hierhin)|hier (?:ihr|dein)\w{0,2} (?:code|antwort|lösung)"
    r"|(?:écri\w+ )?votre (?:code|réponse|solution) ici|(?:escrib\w+ )?(?:tu|su) (?:código|respuesta|solución) aquí"
    r"|在此处?(?:输入|填写|编写)(?:您的|你的)?(?:代码|答案)|ここに(?:コード|解答|回答)を?(?:書|記入).{0,8}"
    r")(?:[\W_]*(?:,\s*replac\w+\b[^.:=]{0,40}|\([^()]{0,20}\blines?\b[^()]{0,20}\)))?[\W_]*$"
    r"|^\s*_{3,}\s*$",
    re.IGNORECASE,
)
"""The whole of a line or comment that says where an answer goes; nothing stands behind it."""
_TO_DO = re.compile(
    r"^[\W_]*(?:to-?do|fixme|fill (?:this |me )?in)\b[^=]{0,80}$|^\s*(?:\.{3}|…|\?{2,})\s*$", re.IGNORECASE
)
_BLANK = re.compile(
    # Ellipsis where a value goes: "x = ...", "return ...", "f(...)", "f(x, ...)"; numpy's "x[..., 0]" is none.
    r"^\.{3}$|(?:=|\breturn|[(,])\s*\.{3}\s*(?:[,)]|$)|:\s*\.{3}$"
)
_NOT_IMPLEMENTED = re.compile(r"^(?:raise\s+NotImplemented|(?:stop|error)\(\s*[\"']not implemented)", re.IGNORECASE)
_EMPTY = re.compile(r"^(?:pass|return(?:\s+None)?|\w+\s*=\s*None)$")
_NAME = r"(?!True\b|False\b)[A-Za-z_]\w*"
_GIVEN = re.compile(
    r"^(?:import|from)\s|^(?:async\s+)?(?:def|class)\s.*:$|^@|^[%!]"
    rf"|^(?:plt\.show\(|grader\.check\()|^(?:print\(\s*)?{_NAME}(?:\.head\(\d*\))?\s*\)?$|^[\])}},;]+$"
    rf"|^(?:\"{{3}}|'{{3}})[)\],;]*$|^{_NAME}\s*=\s*(?:\"{{3}}|'{{3}})$"
)
"""Imports, signatures, edges of a string over several lines, and showing what was computed, as stand around the place
for an answer.
"""
_RETURN = re.compile(rf"^return\s+{_NAME}$")
_FUNCTION = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s")
_DOCSTRING = re.compile(r"""^[ \t]*[rRuU]?(\"{3}|'{3})[\s\S]*?\1[ \t]*$""", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(?:\#|//|%\s|--\s|/\*)")
_TRAILING = re.compile(r"\s\#[^\"']*$")
_END = re.compile(r"^[\W_]*(?:end|stop)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,200}>")


def is_placeholder(text: str) -> bool:
    """True for a line like "_Type your answer here, replacing this text._"."""
    return bool(_PLACEHOLDER.match(text.strip()))


def is_text_stub(text: str) -> bool:
    """True for a text without an answer."""
    lines = [line for line in _TAG.sub("", text).split("\n") if line.strip()]
    return not lines or is_placeholder(lines[-1]) or bool(_TO_DO.match(lines[-1]))


class _Code(Enum):
    PLACEHOLDER = "a comment that says where an answer goes"
    END = "a comment that ends the place for an answer"
    BLANK = "a statement in which a value is left out"
    NOT_IMPLEMENTED = "a statement that fails until it is replaced"
    EMPTY = "a statement that does nothing"
    RETURN = "the return of a name"
    GIVEN = "code that is no solution by itself"
    OTHER = "any other code"


def is_code_stub(source: str) -> bool:
    """True for code without a solution. In doubt it is one: staff text must not reach students."""
    functions = [list(_kinds(lines)) for lines in _functions(_DOCSTRING.sub("", source))]
    kinds = [kind for function in functions for kind in function]
    signs = set(kinds) - {_Code.GIVEN, _Code.RETURN, _Code.END}
    if not kinds:
        return not source.strip()
    if _is_filled(kinds):
        return False
    if _Code.OTHER not in signs:
        return bool(signs)
    if signs & {_Code.PLACEHOLDER, _Code.BLANK}:
        return True
    # An abstract method beside code that is written out is part of a solution; what stands above all methods is given.
    return _Code.NOT_IMPLEMENTED in signs and not any(_Code.OTHER in function for function in functions[1:])


def _functions(source: str) -> Iterator[list[str]]:
    lines: list[str] = []
    for line in source.split("\n"):
        if _FUNCTION.match(line):
            yield lines
            lines = []
        if line.strip():
            lines.append(line)
    yield lines


def _kinds(lines: Sequence[str]) -> Iterator[_Code]:
    for line in lines:
        code = _TRAILING.sub("", line).strip()
        if _COMMENT.match(line):
            if _END.match(line):
                yield _Code.END
            elif is_placeholder(line) or _TO_DO.match(line):
                yield _Code.PLACEHOLDER
        elif _BLANK.search(code):
            yield _Code.BLANK
        elif _NOT_IMPLEMENTED.match(code):
            yield _Code.NOT_IMPLEMENTED
        elif _EMPTY.match(code):
            yield _Code.EMPTY
        elif _RETURN.match(code):
            yield _Code.RETURN
        else:
            yield _Code.GIVEN if _GIVEN.match(code) else _Code.OTHER


def _is_filled(kinds: Sequence[_Code]) -> bool:
    """Whether code stands below a comment that asks for it, before any statement that says that it is missing."""
    is_asked = False
    for before, kind in pairwise([None, *kinds]):
        # Of a name that nothing below the comment sets, nobody knows whether it is the answer.
        if is_asked and (kind is _Code.OTHER or (kind is _Code.RETURN and before is _Code.PLACEHOLDER)):
            return True
        if kind not in (_Code.GIVEN, _Code.EMPTY, _Code.RETURN):
            is_asked = kind is _Code.PLACEHOLDER
    return False
