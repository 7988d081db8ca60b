"""What happens to values over the turns of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from student_code.findings import Finding
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree, Loop, is_call, names_in, shown, statements_in, within

_EMPTY = (ast.List, ast.Dict, ast.Set)
_GROWING = ("append", "extend", "add", "insert", "update")


def returns_in_loop(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A loop whose every turn returns: its last statement, or both branches of its `if`."""
    for loop in tree.loops:
        for statement in loop.body:
            if isinstance(statement, ast.Return):
                yield Finding("returns_in_loop", statement.lineno, 0.8, {"code": shown(statement)})
            elif isinstance(statement, ast.If) and statement.orelse:
                first, second = statement.body[-1], _last_else(statement)
                if isinstance(first, ast.Return) and isinstance(second, ast.Return):
                    yield Finding("returns_in_loop", second.lineno, 0.8, {"code": shown(second)})


def _last_else(statement: ast.If) -> ast.stmt | None:
    while len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        statement = statement.orelse[0]
    return statement.orelse[-1] if statement.orelse else None


def initialised_in_loop(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A total or list that is collected over a loop, and begins anew in each turn."""
    for loop in tree.loops:
        for statement in loop.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            name, value = statement.targets[0].id, statement.value
            is_start = (isinstance(value, ast.Constant) and value.value in (0, 1, "", 0.0)) or isinstance(value, _EMPTY)
            # What an inner loop collects for each turn of this one begins in its body rightly.
            inner = [one for one in loop.body if isinstance(one, (ast.For, ast.While))]
            if is_start and _grows(name, loop) and not any(_grows(name, one) for one in inner) and _used_after(
                tree, name, loop
            ):  # fmt: skip
                yield Finding("initialised_in_loop", statement.lineno, 0.85, {"name": name})


def _grows(name: str, loop: Loop) -> bool:
    for node in (one for statement in loop.body for one in ast.walk(statement)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return True
        if isinstance(node, ast.Assign) and names_in(node.targets[0]) == {name} and name in names_in(node.value):
            return True
        is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWING
        if is_method and names_in(node.func.value) == {name}:  # type: ignore[attr-defined]
            return True
    return False


def _used_after(tree: CodeTree, name: str, loop: Loop) -> bool:
    around = tree.function_of(loop) or tree.root
    end = loop.end_lineno or loop.lineno
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) and one.lineno > end
        for one in ast.walk(around)
    )


def overwritten_in_loop(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A name that starts at 0, "" or [] before a loop and gets another value in each turn, without its own."""
    for loop in tree.all(ast.For):
        variable = names_in(loop.target)
        for statement in loop.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            name, value = statement.targets[0].id, statement.value
            if name in names_in(value) or not variable & names_in(value) or not _used_after(tree, name, loop):
                continue
            used_inside = any(
                isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
                for other in loop.body
                for one in ast.walk(other)
            )
            if not used_inside and _starts_empty(tree, name, loop):
                yield Finding("overwritten_in_loop", statement.lineno, 0.8, {"name": name})


def _starts_empty(tree: CodeTree, name: str, loop: Loop) -> bool:
    for one in tree.all(ast.Assign):
        if one.lineno < loop.lineno and names_in(one.targets[0]) == {name}:
            is_empty = isinstance(one.value, ast.Constant) and one.value.value in (0, "", 1)
            return is_empty or isinstance(one.value, _EMPTY)
    return False


def changed_while_looped(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A list from which items are removed while a loop goes over it."""
    for loop in tree.all(ast.For):
        if not isinstance(loop.iter, ast.Name):
            continue
        for node in (one for statement in statements_in(loop) for one in ast.walk(statement)):
            is_removal = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("remove", "pop", "insert")
                and names_in(node.func.value) == {loop.iter.id}
            )
            if is_removal:
                yield Finding("changed_while_looped", node.lineno, 0.85, {"name": loop.iter.id, "code": shown(node)})  # type: ignore[attr-defined]
                break


def alias_of_list(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`copy = items`, after which items of `copy` are changed."""
    for one in tree.all(ast.Assign):
        if not isinstance(one.targets[0], ast.Name) or not isinstance(one.value, ast.Name):
            continue
        name = one.targets[0].id
        for node in tree.all(ast.Subscript):
            is_written = isinstance(node.ctx, ast.Store) and names_in(node.value) == {name}
            if is_written and node.lineno > one.lineno:
                yield Finding("alias_of_list", one.lineno, 0.6, {"name": name})
                break


def parameter_overwritten(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A parameter that gets a fixed value, or one from `input()`, before it is read."""
    for function in tree.all(ast.FunctionDef):
        parameters = {one.arg for one in function.args.args}
        for statement in function.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                break
            name, value = statement.targets[0].id, statement.value
            is_fixed = isinstance(value, (ast.Constant, *_EMPTY)) or any(
                is_call(one, "input") for one in ast.walk(value)
            )
            if name in parameters and is_fixed and name not in names_in(value):
                yield Finding("parameter_overwritten", statement.lineno, 0.85, {"name": name})


def loop_variable_unused(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A loop over the items of a list whose body looks at the whole list and never at the item."""
    for loop in tree.all(ast.For):
        if not isinstance(loop.target, ast.Name) or not isinstance(loop.iter, ast.Name) or loop.target.id == "_":
            continue
        inside = {name for statement in loop.body for name in names_in(statement)}
        if loop.target.id not in inside and loop.iter.id in inside and not within(loop.target, loop.iter):
            yield Finding("loop_variable_unused", loop.lineno, 0.55, {"name": loop.target.id})
