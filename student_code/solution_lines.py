"""Where C or Java differs from the official solution, line by line and whatever the names are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from student_code.findings import CodeWork, Finding

MIN_ALIKE = 0.6
"""Share of tokens from which two lines are meant to do the same."""
MAX_LINES = 200
_TOKEN = re.compile(r"""//.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\d+\.?\d*|\w+|[-+*/%&|<>=!]=|&&|\|\||\+\+|--|\S""")
_KEPT = re.compile(
    r"\W.*|\d.*|if|else|for|while|return|int|long|double|char|boolean|String|true|false|null|break|continue"
)
_RELATIONS = {"<", "<=", ">", ">="}
_OPERATORS = {"+", "-", "*", "/", "%", "+=", "-=", "*=", "=", "==", "!=", "&&", "||", *_RELATIONS}


@dataclass(frozen=True)
class CodeLine:
    """A line with its tokens, in which every name of the program's own is one and the same."""

    number: int
    text: str
    tokens: tuple[str, ...]


def differing_lines(work: CodeWork) -> Iterator[Finding]:
    """The lines that resemble a line of the solution and are not like any."""
    mine, official = _lines(work.code), _lines(work.solution)
    known = {line.tokens for line in official}
    for line in mine:
        if line.tokens in known:
            continue
        ratio, nearest = max(
            ((SequenceMatcher(None, line.tokens, other.tokens, autojunk=False).ratio(), other) for other in official),
            key=lambda pair: pair[0],
            default=(0.0, line),
        )
        if ratio >= MIN_ALIKE:
            yield _finding(line, nearest, ratio)


def _lines(code: str) -> list[CodeLine]:
    called = frozenset(re.findall(r"\b(\w+)\s*\(", code))
    rows = enumerate(code.splitlines()[:MAX_LINES], 1)
    lines = [CodeLine(number, text.strip(), tuple(_tokens(text, called))) for number, text in rows]
    return [line for line in lines if line.tokens]


def _tokens(text: str, called: frozenset[str]) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token not in ("{", "}") and not token.startswith("//"):
            yield token if token in called or _KEPT.fullmatch(token) else "name"


def _finding(line: CodeLine, nearest: CodeLine, ratio: float) -> Finding:
    matcher = SequenceMatcher(None, line.tokens, nearest.tokens, autojunk=False)
    changes = [(line.tokens[a:b], nearest.tokens[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    mistake, weight = _mistake(changes)
    return Finding(mistake, line.number, weight * ratio, {"code": line.text})


def _mistake(changes: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> tuple[str, float]:
    if len(changes) == 1:
        ((mine, official),) = changes
        if len(mine) == len(official) == 1:
            pair = {mine[0], official[0]}
            if pair in ({"<", "<="}, {">", ">="}):
                return "one_away", 0.8
            if pair <= _OPERATORS:
                return "other_operator", 0.8
            if all(token.isdigit() for token in pair):
                return "other_constant", 0.75
        if {mine, official} & {("+", "1"), ("-", "1")} and not (mine and official):
            return "one_away", 0.8
    return "other_expression", 0.6
