"""Values of the wrong type, values that are thrown away, and names that hide others."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from student_code.findings import Finding
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree, call_name, is_call, shown

IN_PLACE = ("append", "sort", "reverse", "extend", "insert", "remove", "clear", "update", "add")
PURE_METHODS = (
    "upper", "lower", "strip", "lstrip", "rstrip", "replace", "title", "capitalize", "split", "join", "format",
    "count", "index", "find", "isdigit", "isalpha", "copy", "swapcase", "zfill",
)  # fmt: skip
COUNTING_METHODS = ("find", "index", "count")
PURE_FUNCTIONS = (
    "int", "float", "str", "round", "abs", "sorted", "len", "sum", "max", "min", "reversed", "list", "set", "tuple",
    "bool", "range", "radians", "degrees", "sqrt", "floor", "ceil", "sin", "cos",
)  # fmt: skip
_NUMBERS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower())


def in_place_result(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`a = a.append(x)`, `return a.sort()`: the value of a method that changes in place is None."""
    results: list[ast.Assign | ast.Return] = [*tree.all(ast.Assign), *tree.all(ast.Return)]
    for one in results:
        value = one.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in IN_PLACE:
            is_known = isinstance(value.func.value, (ast.Name, ast.Attribute, ast.Subscript, ast.List))
            if (is_known and value.func.attr not in ("add", "update", "remove", "insert", "clear")) or symptoms.fails:
                yield Finding("in_place_result", one.lineno, 0.9, {"code": shown(value), "method": value.func.attr})


def input_not_converted(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A name from `input()` or from `split()` that is calculated with, without `int` or `float`."""
    texts: dict[str, int] = {}
    for one in tree.all(ast.Assign):
        name = one.targets[0].id if isinstance(one.targets[0], ast.Name) else ""
        if not name:
            continue
        if is_call(one.value, "input") or (call_name(one.value) == "strip" and "input" in shown(one.value)):
            texts.setdefault(name, one.lineno)
        elif is_call(one.value, "int", "float", "eval") or isinstance(one.value, (ast.BinOp, ast.Constant)):
            texts.pop(name, None)
    numbers = _number_names(tree) - texts.keys()
    for name, line in texts.items():
        if _is_number(tree, name, numbers):
            yield Finding("input_not_converted", line, 0.9, {"name": name})


def _number_names(tree: CodeTree) -> set[str]:
    """The names that are given numbers."""
    return {one.targets[0].id for one in tree.all(ast.Assign)
            if isinstance(one.targets[0], ast.Name) and _is_numeric(one.value)}  # fmt: skip


def _is_number(tree: CodeTree, name: str, numbers: set[str]) -> bool:
    """Whether a name is used as a number: calculated or compared with one, or as a range's end."""

    def numeric(node: ast.AST) -> bool:
        return _is_numeric(node) or (isinstance(node, ast.Name) and node.id in numbers)

    for node in ast.walk(tree.root):
        if isinstance(node, ast.BinOp) and isinstance(node.op, _NUMBERS):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                is_used = isinstance(side, ast.Name) and side.id == name
                if is_used and (not isinstance(node.op, (ast.Add, ast.Mod)) or numeric(other)):
                    return True
        elif isinstance(node, ast.Compare) and all(isinstance(op, _ORDERS) for op in node.ops):
            sides = (node.left, *node.comparators)
            if any(isinstance(one, ast.Name) and one.id == name for one in sides) and any(map(numeric, sides)):
                return True
        elif is_call(node, "range", "abs", "round") and any(
            isinstance(one, ast.Name) and one.id == name
            for one in node.args  # type: ignore[attr-defined]
        ):
            return True
    return False


def _is_numeric(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return _is_numeric(node.left) or _is_numeric(node.right)
    return is_call(node, "len", "int", "float", "sum", "abs", "round")


def text_plus_number(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`"total: " + 3`: a text and a number are added."""
    for one in tree.all(ast.BinOp):
        if not isinstance(one.op, ast.Add):
            continue
        sides = (one.left, one.right)
        if any(_is_text(side) for side in sides) and any(_is_numeric(side) for side in sides):
            yield Finding("text_plus_number", one.lineno, 0.9, {"code": shown(one)})


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return True
    return is_call(node, "str", "input") or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and (_is_text(node.left) or _is_text(node.right))
    )


def text_where_number(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """The result is a text where a number is expected, or the reverse, or a fraction where it is whole."""
    if symptoms.types is None or symptoms.fault is not None:
        return
    expected, got = symptoms.types
    for one in _results(tree):
        value = one.value
        if value is None:
            continue
        if got == "str" and (_is_text(value) or expected in ("int", "float")):
            yield Finding("text_for_value", one.lineno, 0.75, {"expected": expected})
        elif got == "float" and expected == "int":
            quotient = [node for node in tree.all(ast.BinOp) if isinstance(node.op, ast.Div)]
            line = quotient[-1].lineno if quotient else one.lineno
            yield Finding("fraction_for_whole", line, 0.75, {})
        elif {got, expected} <= {"list", "tuple", "set", "dict", "str", "int", "float", "bool"}:
            yield Finding("other_type", one.lineno, 0.6, {"expected": expected, "got": got})


def _results(tree: CodeTree) -> list[ast.Return]:
    function = tree.tested
    found = [one for one in tree.all(ast.Return) if function is None or tree.function_of(one) is function]
    return found[-1:]


def never_equal(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`x == "3"` where x is a number, or `input() == 3`."""
    numbers = _number_names(tree)
    for one in tree.all(ast.Compare):
        if not isinstance(one.ops[0], (ast.Eq, ast.NotEq)):
            continue
        for side, other in ((one.left, one.comparators[0]), (one.comparators[0], one.left)):
            is_number = _is_numeric(other) or (isinstance(other, ast.Name) and other.id in numbers)
            if _is_text(side) and (is_number or call_name(other) in COUNTING_METHODS):
                yield Finding("never_equal", one.lineno, 0.85, {"code": shown(one)})
                break


def not_called(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`s.upper` or `total` of a function without the parentheses that call it."""
    for one in tree.all(ast.Attribute):
        up = tree.parent(one)
        is_bare = not (isinstance(up, ast.Call) and up.func is one) and not isinstance(up, ast.Attribute)
        is_method = isinstance(one.ctx, ast.Load) and one.attr in (*PURE_METHODS, *IN_PLACE)
        if is_bare and is_method and not isinstance(up, (ast.keyword, ast.Call)):
            yield Finding("not_called", one.lineno, 0.85, {"code": shown(one)})
    for name in tree.all(ast.Name):
        up = tree.parent(name)
        if isinstance(name.ctx, ast.Load) and name.id in tree.functions and isinstance(up, (ast.BinOp, ast.Compare)):
            yield Finding("not_called", name.lineno, 0.8, {"code": name.id})


def result_unused(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A statement whose value nobody keeps: `s.upper()`, `math.radians(x)`, `total + x`, `x == 3`."""
    for one in tree.all(ast.Expr):
        value = one.value
        if isinstance(value, ast.Compare):
            yield Finding("comparison_unused", one.lineno, 0.85, {"code": shown(value)})
        elif isinstance(value, (ast.BinOp, ast.UnaryOp)) or (
            isinstance(value, ast.Name) and not value.id.startswith("_")
        ):
            yield Finding("result_unused", one.lineno, 0.8, {"code": shown(value)})
        elif isinstance(value, ast.Call):
            is_method = isinstance(value.func, ast.Attribute)
            names = (*PURE_METHODS, *PURE_FUNCTIONS) if is_method else PURE_FUNCTIONS
            if call_name(value) in names:
                yield Finding("result_unused", one.lineno, 0.8, {"code": shown(value)})


def shadowed_builtin(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A variable of a built-in function's name; a mistake for certain if that function is called later."""
    named: dict[str, int] = {}
    for one in tree.all(ast.Name):
        if isinstance(one.ctx, ast.Store) and one.id in _BUILTINS:
            named.setdefault(one.id, one.lineno)
    for function in tree.all(ast.FunctionDef):
        for argument in function.args.args:
            if argument.arg in _BUILTINS:
                named.setdefault(argument.arg, function.lineno)
    for name, line in named.items():
        is_called = any(is_call(one, name) for one in tree.all(ast.Call))
        yield Finding("shadowed_builtin", line, 0.9 if is_called else 0.15, {"name": name})


def mutable_default(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`def add(x, items=[])`: one list for all calls."""
    for function in tree.all(ast.FunctionDef):
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if isinstance(default, (ast.List, ast.Dict, ast.Set)) or is_call(default, "list", "dict", "set"):
                yield Finding("mutable_default", function.lineno, 0.7, {"name": function.name})
                break
