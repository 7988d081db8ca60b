"""Withholds code that solves an exercise: parts of the official solution, whatever names their variables have.

Statements are compared as trees. What the student wrote, the exercise shows or the textbook has gives nothing away.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from core.text.fences import code_blocks
from core.text.python_code import parsed_python, python_code

MIN_NODES = 6
"""Nodes of a statement from which it says how to solve something: `total = 0` and `return x` have fewer."""
_INLINE = re.compile(r"`([^`\n]{6,})`")
_HEADER = re.compile(r"^\s*(?:if|elif|else|for|while|def|with|try|except|class)\b.*:\s*$")


def without_solution_code(markdown: str, solution: str, known: Iterable[str]) -> tuple[str, int]:
    """The text without code that has a statement of the solution which is not known, and how much was withheld."""
    secret = _shapes_in(solution)
    if not secret:
        return markdown, 0
    secret -= {shape for text in known for shape in _shapes_in(text)}
    text, blocks = _without_blocks(markdown, secret)
    withheld = 0

    def inline(match: re.Match[str]) -> str:
        nonlocal withheld
        if secret & set(_shapes(match[1])):
            withheld += 1
            return "`…`"
        return match[0]

    return _INLINE.sub(inline, text), blocks + withheld


def discloses(markdown: str, solution: str, known: Iterable[str]) -> bool:
    """Whether an answer has code of the solution."""
    return without_solution_code(markdown, solution, known)[1] > 0


def _without_blocks(markdown: str, secret: set[str]) -> tuple[str, int]:
    lines = markdown.splitlines(keepends=True)
    dropped: set[int] = set()
    count = 0
    for block in code_blocks(markdown):
        inner = "".join(lines[n] for n in block.lines if n not in block.fences)
        if secret & set(_shapes(inner)):
            dropped |= set(block.lines) | set(block.fences)
            count += 1
    return "".join(line for n, line in enumerate(lines) if n not in dropped), count


def _shapes_in(text: str) -> set[str]:
    """Those of the code in a text, fenced or not, inline, or a single line of it."""
    return {shape for piece in (*python_code(text), *_INLINE.findall(text), text) for shape in _shapes(piece)}


def _shapes(code: str) -> Iterator[str]:
    """Each statement as its tree with blanks for the names that it gives values; headers without their block."""
    for statement in _statements(code):
        for part in _parts(statement):
            nodes = sum(not isinstance(node, (ast.expr_context, ast.operator, ast.cmpop)) for node in ast.walk(part))
            if nodes >= MIN_NODES:
                yield ast.dump(_Blank().visit(part))


def _parts(statement: ast.stmt) -> Sequence[ast.AST]:
    """What of a statement solves something: its value or condition."""
    if isinstance(statement, ast.For):
        return (statement.iter,)
    if isinstance(statement, (ast.If, ast.While)):
        return (statement.test,)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)):
        return (statement.value,) if statement.value is not None else ()
    return ()


class _Blank(ast.NodeTransformer):
    """The names of a tree, numbered in their order."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """A blank for every name, so that `len(x)` and `len(y)` are the same."""
        blank = self._seen.setdefault(node.id, f"_{len(self._seen)}")
        return ast.Name(blank, ast.Load())


def _statements(code: str) -> Iterator[ast.stmt]:
    """All statements; of code that cannot be parsed as a whole, those of its lines."""
    plain = textwrap.dedent(code)
    if (tree := parsed_python(plain)) is None:
        for line in plain.splitlines():
            tree = parsed_python(f"{line.strip()} pass" if _HEADER.match(line) else line.strip())
            if tree is not None:
                yield from (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
