"""Conditions of branches and loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from student_code.findings import Finding
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree, is_call, names_in, shown, statements_in


def bare_text_in_or(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`x == "a" or "b"`, which is always true."""
    for one in tree.all(ast.BoolOp):
        compared = any(isinstance(value, ast.Compare) for value in one.values)
        bare = [value for value in one.values if isinstance(value, ast.Constant) and not isinstance(value.value, bool)]
        if compared and bare:
            yield Finding("bare_value_in_or", one.lineno, 0.9, {"code": shown(one)})
    for compare in tree.all(ast.Compare):
        right = compare.comparators[0]
        if isinstance(right, ast.BoolOp) and all(isinstance(value, ast.Constant) for value in right.values):
            yield Finding("bare_value_in_or", compare.lineno, 0.9, {"code": shown(compare)})


def identity_of_value(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`is` with a number or a text."""
    for one in tree.all(ast.Compare):
        constants = [
            value
            for value in (one.left, *one.comparators)
            if isinstance(value, ast.Constant) and type(value.value) in (int, float, str)
        ]
        if constants and any(isinstance(op, (ast.Is, ast.IsNot)) for op in one.ops):
            yield Finding("identity_of_value", one.lineno, 0.6, {"code": shown(one)})


def equal_floats(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`==` with a number that has a fraction, or with a quotient."""
    for one in tree.all(ast.Compare):
        if not any(isinstance(op, (ast.Eq, ast.NotEq)) for op in one.ops):
            continue
        sides = (one.left, *one.comparators)
        fraction = any(
            isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != int(node.value)
            for side in sides
            for node in ast.walk(side)
        )
        if fraction:
            yield Finding("equal_floats", one.lineno, 0.55, {"code": shown(one)})


def while_never_ends(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A `while` none of whose names changes in it, and that nothing leaves."""
    for loop in tree.all(ast.While):
        inside = list(statements_in(loop))
        if any(isinstance(one, (ast.Break, ast.Return, ast.Raise)) for one in inside):
            continue
        watched = names_in(loop.test) - {"len", "int", "str", "abs"}
        changed = {
            name
            for statement in inside
            for node in ast.walk(statement)
            for name in _changed(node)
        }  # fmt: skip
        calls = any(isinstance(one, ast.Call) and not is_call(one, "len") for one in ast.walk(loop.test))
        if not calls and not watched & changed:
            weight = 0.95 if symptoms.endless else 0.8
            yield Finding("while_never_ends", loop.lineno, weight, {"code": shown(loop.test)})


def _changed(node: ast.AST) -> set[str]:
    """The names whose values a node changes."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return {node.func.value.id}
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        return names_in(node.value)
    return set()


def while_never_starts(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`while False`, and a `while` whose name was just set so that it does not run."""
    for loop in tree.all(ast.While):
        if isinstance(loop.test, ast.Constant) and not loop.test.value:
            yield Finding("while_never_starts", loop.lineno, 0.9, {"code": shown(loop.test)})
        elif isinstance(loop.test, ast.Name) and (before := _before(tree, loop)) is not None:
            is_false = (
                isinstance(before, ast.Assign)
                and isinstance(before.value, ast.Constant)
                and before.value.value is False
            )
            if is_false and loop.test.id in {name for target in before.targets for name in names_in(target)}:  # type: ignore[attr-defined]
                yield Finding("while_never_starts", loop.lineno, 0.85, {"code": shown(loop.test)})


def _before(tree: CodeTree, statement: ast.stmt) -> ast.stmt | None:
    block = getattr(tree.parent(statement), "body", [])
    at = next((n for n, one in enumerate(block) if one is statement), 0)
    return block[at - 1] if at else None
