"""Mistakes of beginners that can be seen in the code itself. One function each, listed in `PATTERNS`.

A pattern yields findings; the symptoms raise or lower how sure it is. A mistake that the official solution has as well
is none, so that patterns need not be right for every exercise. What ruff knows is in `student_code.linting`. Only
patterns that found mistakes in programs of other courses are kept (decision 0062).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from student_code.findings import Finding
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree, Loop, call_name, is_call, is_plus, names_in, shown, statements_in

IN_PLACE = ("append", "sort", "reverse", "extend")
GROWING = (*IN_PLACE, "add", "insert", "update")
PURE_METHODS = (
    "upper", "lower", "strip", "lstrip", "rstrip", "replace", "title", "capitalize", "split", "join", "format",
    "count", "index", "find", "isdigit", "isalpha", "copy", "swapcase", "zfill",
)  # fmt: skip
PURE_FUNCTIONS = (
    "int", "float", "str", "round", "abs", "sorted", "len", "sum", "max", "min", "reversed", "list", "set", "tuple",
    "bool", "range", "radians", "degrees", "sqrt", "floor", "ceil", "sin", "cos",
)  # fmt: skip


def nothing_returned(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A function whose value is used has no `return` with one, or none on some way through it."""
    function = tree.tested
    if function is None or function.name.startswith("__"):
        return
    statements = list(statements_in(function))
    returns = [one for one in statements if isinstance(one, ast.Return)]
    yields = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(function))
    if not yields and not any(one.value is not None for one in returns):
        prints = [one for one in statements if isinstance(one, ast.Expr) and is_call(one.value, "print")]
        place: ast.stmt = (returns or prints or function.body)[-1]
        weight = 0.9 if symptoms.nothing else 0.35 if tree.called else 0.1
        yield Finding(
            "prints_not_returns" if place in prints else "nothing_returned",
            place.lineno, weight, {"name": function.name},
        )  # fmt: skip
    elif symptoms.nothing and not _always_returns(last := function.body[-1]):
        line = returns[-1].lineno if returns and isinstance(last, (ast.For, ast.While, ast.If)) else last.lineno
        yield Finding("no_return_on_a_way", line, 0.55, {"name": function.name})


def _always_returns(last: ast.stmt) -> bool:
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body[-1]) and _always_returns(last.orelse[-1])
    return isinstance(last, (ast.Return, ast.Raise))


def returns_in_loop(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A loop whose every turn returns: its last statement, or both branches of its `if`."""
    for loop in tree.loops:
        for statement in loop.body:
            if isinstance(statement, ast.Return):
                yield Finding("returns_in_loop", statement.lineno, 0.8, {"code": shown(statement)})
            elif isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Return):
                last = _last_else(statement)
                if isinstance(last, ast.Return):
                    yield Finding("returns_in_loop", last.lineno, 0.8, {"code": shown(last)})


def _last_else(statement: ast.If) -> ast.stmt | None:
    while len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        statement = statement.orelse[0]
    return statement.orelse[-1] if statement.orelse else None


def initialised_in_loop(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A total or list that is collected over a loop, and begins anew in each turn."""
    for loop in tree.loops:
        # What an inner loop collects for each turn of this one begins in its body rightly.
        inner = [one for one in loop.body if isinstance(one, (ast.For, ast.While))]
        for statement in loop.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            name, value = statement.targets[0].id, statement.value
            is_start = isinstance(value, ast.Constant) and value.value in (0, 1, "", 0.0)
            is_start = is_start or isinstance(value, (ast.List, ast.Dict, ast.Set))
            grows = _grows(name, loop) and not any(_grows(name, one) for one in inner)
            if is_start and grows and _used_after(tree, name, loop):
                yield Finding("initialised_in_loop", statement.lineno, 0.85, {"name": name})


def _grows(name: str, loop: Loop) -> bool:
    for node in (one for statement in loop.body for one in ast.walk(statement)):
        if isinstance(node, ast.AugAssign) and names_in(node.target) == {name}:
            return True
        if isinstance(node, ast.Assign) and names_in(node.targets[0]) == {name} and name in names_in(node.value):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in GROWING:
            return names_in(node.func.value) == {name}
    return False


def _used_after(tree: CodeTree, name: str, loop: Loop) -> bool:
    around = tree.function_of(loop) or tree.root
    end = loop.end_lineno or loop.lineno
    return any(isinstance(one, ast.Name) and one.id == name and one.lineno > end for one in ast.walk(around))


def _range_of(loop: ast.For) -> tuple[ast.expr | None, ast.expr] | None:
    """Start and end of the range that a loop counts up through; the start may be left out."""
    call = loop.iter
    if not isinstance(call, ast.Call) or not is_call(call, "range") or not call.args:
        return None
    if len(call.args) == 3 and isinstance(call.args[2], ast.UnaryOp):
        return None
    return (None, call.args[0]) if len(call.args) == 1 else (call.args[0], call.args[1])


def _indexed(loop: ast.For) -> list[ast.expr]:
    """The indices in the loop's body that use its variable."""
    names = names_in(loop.target)
    subscripts = (one for statement in loop.body for one in ast.walk(statement) if isinstance(one, ast.Subscript))
    return [one.slice for one in subscripts if not isinstance(one.slice, ast.Slice) and names & names_in(one.slice)]


def last_left_out(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A range or comparison that ends one early: `range(len(a) - 1)` without a neighbour, `range(1, n)`."""
    for loop in tree.all(ast.For):
        if (bounds := _range_of(loop)) is None:
            continue
        start, end = bounds
        code = {"code": shown(loop.iter)}
        if is_plus(end, -1) and is_call(end.left, "len"):  # type: ignore[attr-defined]
            if not any(is_plus(one, 1) for one in _indexed(loop)):
                yield Finding("range_ends_early", loop.lineno, 0.85 if symptoms.off_by else 0.7, code)
        elif isinstance(start, ast.Constant) and start.value in (1, 2) and not is_call(end, "len"):
            yield Finding("range_ends_early", loop.lineno, 0.7 if symptoms.off_by else 0.4, code)
    for node in tree.all(ast.While):
        for compare in (one for one in ast.walk(node.test) if isinstance(one, ast.Compare)):
            if isinstance(compare.ops[-1], (ast.Lt, ast.Gt)) and not is_call(compare.comparators[-1], "len"):
                weight = 0.6 if symptoms.off_by else 0.2
                yield Finding("comparison_ends_early", node.lineno, weight, {"code": shown(compare)})


def first_left_out(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`range(1, len(a))` in a loop that looks at no earlier neighbour."""
    for loop in tree.all(ast.For):
        start, end = _range_of(loop) or (None, None)
        indices = _indexed(loop)
        is_late = isinstance(start, ast.Constant) and start.value == 1 and is_call(end, "len")
        if is_late and indices and not any(is_plus(one, -1) for one in indices):
            weight = 0.75 if symptoms.off_by else 0.4
            yield Finding("range_starts_late", loop.lineno, weight, {"code": shown(loop.iter)})


def in_place_result(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`a = a.append(x)`, `return a.sort()`: the value of a method that changes in place is None."""
    results: list[ast.Assign | ast.Return] = [*tree.all(ast.Assign), *tree.all(ast.Return)]
    for one in results:
        if call_name(one.value) in IN_PLACE and isinstance(one.value, ast.Call) and not is_call(one.value, *IN_PLACE):
            words = {"code": shown(one.value), "method": call_name(one.value)}
            yield Finding("in_place_result", one.lineno, 0.9, words)


def not_called(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`s.upper` or `total` of a function without the parentheses that call it."""
    for one in tree.all(ast.Attribute):
        is_method = isinstance(one.ctx, ast.Load) and one.attr in (*PURE_METHODS, *GROWING)
        if is_method and not isinstance(tree.parent(one), (ast.Attribute, ast.keyword, ast.Call)):
            yield Finding("not_called", one.lineno, 0.85, {"code": shown(one)})
    for name in tree.all(ast.Name):
        is_operand = isinstance(tree.parent(name), (ast.BinOp, ast.Compare))
        if isinstance(name.ctx, ast.Load) and name.id in tree.functions and is_operand:
            yield Finding("not_called", name.lineno, 0.8, {"code": name.id})


def result_unused(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A call whose value nobody keeps: `s.upper()`, `math.radians(x)`. Of other expressions, ruff tells."""
    for one in tree.all(ast.Expr):
        is_method = isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute)
        if call_name(one.value) in ((*PURE_METHODS, *PURE_FUNCTIONS) if is_method else PURE_FUNCTIONS):
            yield Finding("result_unused", one.lineno, 0.8, {"code": shown(one.value)})


Pattern = Callable[[CodeTree, Symptoms], Iterable[Finding]]

PATTERNS: tuple[Pattern, ...] = (
    nothing_returned, returns_in_loop, initialised_in_loop, last_left_out, first_left_out, in_place_result, not_called,
    result_unused,
)  # fmt: skip
