"""The syntax tree of Python code, with the questions that patterns ask of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from core.text.python_code import parsed_python

NodeT = TypeVar("NodeT", bound=ast.AST)
Loop = ast.For | ast.While
MAX_SHOWN = 60


@dataclass(frozen=True, eq=False)
class CodeTree:
    """Parsed code; `called` is the function that the tests call, empty if they call none."""

    root: ast.Module
    called: str = ""
    _parents: dict[ast.AST, ast.AST] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for node in ast.walk(self.root):
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node

    @classmethod
    def of(cls, code: str, called: str = "") -> CodeTree | None:
        """The tree; None if the code cannot be parsed."""
        root = parsed_python(code)
        return None if root is None else cls(root, called)

    def all(self, kind: type[NodeT]) -> list[NodeT]:
        """All nodes of a kind, in the order of their lines."""
        found = [node for node in ast.walk(self.root) if isinstance(node, kind)]
        return sorted(found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(node)

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around this one, the nearest first."""
        while (up := self._parents.get(node)) is not None:
            yield up
            node = up

    def function_of(self, node: ast.AST) -> ast.FunctionDef | None:
        return next((one for one in self.above(node) if isinstance(one, ast.FunctionDef)), None)

    @cached_property
    def loops(self) -> list[Loop]:
        return [*self.all(ast.For), *self.all(ast.While)]

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        return {one.name: one for one in self.all(ast.FunctionDef)}

    @cached_property
    def tested(self) -> ast.FunctionDef | None:
        """The function that the tests call; the last one of the code if they name none."""
        if self.called in self.functions:
            return self.functions[self.called]
        return next(reversed(self.functions.values()), None)

    @cached_property
    def defined(self) -> frozenset[str]:
        """All names that the code gives a value."""
        stored = {one.id for one in self.all(ast.Name) if isinstance(one.ctx, ast.Store)}
        arguments = {one.arg for one in self.all(ast.arg)}
        imported = {(one.asname or one.name).split(".")[0] for one in self.all(ast.alias)}
        return frozenset(stored | arguments | imported | self.functions.keys())


def shown(node: ast.AST) -> str:
    """The code of a node on one line, shortened."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def call_name(node: ast.AST | None) -> str:
    """The name of what is called: `range` of `range(3)`, `append` of `a.append(3)`; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def is_call(node: ast.AST | None, *names: str) -> bool:
    """Whether it calls a function (not a method) of one of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def names_in(node: ast.AST) -> set[str]:
    """The names that a part of the code reads or writes."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def is_plus(node: ast.AST, amount: int) -> bool:
    """Whether it is something plus a number (`n + 1`), or minus it for a negative one."""
    operator = ast.Add if amount > 0 else ast.Sub
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, operator)
        and isinstance(node.right, ast.Constant)
        and node.right.value == abs(amount)
    )


def statements_in(loop: ast.AST) -> Iterator[ast.stmt]:
    """All statements inside a loop or function, those of functions in it aside."""
    for child in ast.iter_child_nodes(loop):
        if isinstance(child, ast.FunctionDef):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from statements_in(child)
