"""Python code in a text: in its fenced blocks, and in paragraphs of a text that has lost its fences."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence

from core.text.fences import code_blocks, markdown_lines

_NAMES_ALONE = (ast.Name, ast.Constant, ast.BinOp, ast.Attribute, ast.Tuple, ast.UnaryOp, ast.Compare, ast.Subscript)
"""What words of prose parse as: "Solution", "run-time", "see 3.4"."""
_HEADER = re.compile(r"(?:if|elif|else|for|while|def|with|try|except|class)\b.*:\s*(?:#.*)?$")


def parsed_python(code: str) -> ast.Module | None:
    """The tree of Python code; None if it cannot be parsed. Nothing of it is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def python_code(text: str) -> list[str]:
    """The pieces of a text that are Python, in order: a text that is nothing else, or blocks and paragraphs of one."""
    if _is_code(text):
        return [textwrap.dedent(text)]
    lines, pieces = markdown_lines(text), list[str]()
    fenced = set[int]()
    for block in code_blocks(text):
        fenced |= set(block.lines)
        pieces.append("\n".join(lines[n] for n in block.lines if n not in block.fences))
    outside = ["" if n in fenced else line for n, line in enumerate(lines)]
    pieces += (piece for paragraph in _paragraphs(outside) if (piece := _code_in(paragraph)))
    return [textwrap.dedent(piece) for piece in pieces if _is_code(piece)]


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines between blank ones; one that begins indented goes on with the paragraph before it."""
    current: list[str] = []
    is_after_blank = False
    for line in lines:
        if not line.strip():
            is_after_blank = True
            continue
        if is_after_blank and current and not line[0].isspace():
            yield current
            current = []
        elif is_after_blank and current:
            current.append("")
        current.append(line)
        is_after_blank = False
    if current:
        yield current


def _code_in(lines: Sequence[str]) -> str:
    """A paragraph without the lines of prose above and below its code."""
    own = [n for n, line in enumerate(lines) if _may_be_code(line)]
    return "\n".join(lines[own[0] : own[-1] + 1]) if own else ""


def _may_be_code(line: str) -> bool:
    """Whether a line is code by itself, or opens, continues or closes what is."""
    stripped = line.strip()
    is_part = line[:1].isspace() or stripped.startswith(("@", "#", ")", "]", "}")) or stripped.endswith(("(", "[", "{"))
    return bool(stripped) and (is_part or bool(_HEADER.match(stripped)) or _is_code(stripped))


def _is_code(text: str) -> bool:
    tree = parsed_python(textwrap.dedent(text))
    return tree is not None and any(map(_does_something, tree.body))


def _does_something(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, _NAMES_ALONE)
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None
    return True
