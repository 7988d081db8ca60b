"""What a function gives back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import pairwise

from student_code.findings import Finding
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree, call_name, is_call, shown, statements_in


def _returns_value(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Return) and one.value is not None for one in statements_in(function)) or any(
        isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(function)
    )


def nothing_returned(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A function whose value is used has no `return` with one, or none on some way through it."""
    function = tree.tested
    if function is None or function.name.startswith("__"):
        return
    if not _returns_value(function):
        prints = [one for one in statements_in(function) if isinstance(one, ast.Expr) and is_call(one.value, "print")]
        bare = [one for one in statements_in(function) if isinstance(one, ast.Return)]
        place = (bare or prints or [function.body[-1]])[-1]
        weight = 0.9 if symptoms.nothing else 0.35 if tree.called else 0.1
        mistake = "prints_not_returns" if prints and place in prints else "nothing_returned"
        yield Finding(mistake, place.lineno, weight, {"name": function.name})
    elif symptoms.nothing:
        last = function.body[-1]
        if not _always_returns(last):
            yield Finding("no_return_on_a_way", _last_line_of(function), 0.55, {"name": function.name})


def _always_returns(last: ast.stmt) -> bool:
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body[-1]) and _always_returns(last.orelse[-1])
    return False


def _last_line_of(function: ast.FunctionDef) -> int:
    last = function.body[-1]
    returns = [one for one in statements_in(function) if isinstance(one, ast.Return)]
    return returns[-1].lineno if returns and isinstance(last, (ast.For, ast.While, ast.If)) else last.lineno


def function_named_otherwise(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """The tests call a function that the code does not define, and it defines one of another name."""
    if not tree.called or tree.called in tree.defined or not tree.functions:
        return
    near = get_close_matches(tree.called, tree.functions, n=1, cutoff=0.5) or list(tree.functions)[:1]
    line = tree.functions[near[0]].lineno
    yield Finding("function_named_otherwise", line, 0.95, {"name": near[0], "wanted": tree.called})


def no_base_case(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A function that calls itself always, or with the same argument."""
    for function in tree.all(ast.FunctionDef):
        calls = [one for one in ast.walk(function) if isinstance(one, ast.Call) and is_call(one, function.name)]
        if not calls:
            continue
        parameters = [one.arg for one in function.args.args]
        deep = symptoms.fault is not None and symptoms.fault.name == "RecursionError"
        if not any(isinstance(one, (ast.If, ast.IfExp, ast.While, ast.BoolOp)) for one in ast.walk(function)):
            yield Finding("no_base_case", calls[0].lineno, 0.9, {"name": function.name})
            continue
        for call in calls:
            same = [isinstance(one, ast.Name) and one.id in parameters for one in call.args]
            if same and all(same):
                yield Finding("recursion_not_smaller", call.lineno, 0.9 if deep else 0.6, {"name": function.name})


def unreachable(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """Statements behind a `return`, `break` or `continue` in the same block."""
    for node in ast.walk(tree.root):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            for statement, following in pairwise(block):
                if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                    yield Finding("unreachable", following.lineno, 0.6, {"code": shown(statement)})
                    break


def never_called(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A function without parameters that prints, in a program whose tests see nothing, is never called."""
    if tree.called or not symptoms.nothing:
        return
    called = {call_name(one) for one in tree.all(ast.Call)}
    for function in tree.all(ast.FunctionDef):
        if function.name not in called and all(isinstance(one, ast.FunctionDef) for one in tree.root.body):
            yield Finding("never_called", function.lineno, 0.8, {"name": function.name})
