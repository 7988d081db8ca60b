"""The ends of ranges, indices and slices."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from student_code.findings import Finding
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree, is_call, is_plus, names_in, shown


def _range_of(loop: ast.For) -> ast.Call | None:
    return loop.iter if isinstance(loop.iter, ast.Call) and is_call(loop.iter, "range") and loop.iter.args else None


def _end(call: ast.Call) -> ast.expr:
    return call.args[0] if len(call.args) == 1 else call.args[1]


def _start(call: ast.Call) -> ast.expr | None:
    return call.args[0] if len(call.args) > 1 else None


def _goes_down(call: ast.Call) -> bool:
    return len(call.args) == 3 and isinstance(call.args[2], ast.UnaryOp)


def _indexed(loop: ast.For) -> list[ast.expr]:
    """The indices in the loop's body that use its variable."""
    names = names_in(loop.target)
    return [
        one.slice
        for statement in loop.body
        for one in ast.walk(statement)
        if isinstance(one, ast.Subscript) and not isinstance(one.slice, ast.Slice) and names & names_in(one.slice)
    ]


def _fails_at_index(symptoms: Symptoms) -> bool:
    return symptoms.fault is not None and symptoms.fault.name == "IndexError"


def index_past_end(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`a[len(a)]`, `range(len(a) + 1)` whose number is an index, and `while i <= len(a)`."""
    sure = 0.95 if _fails_at_index(symptoms) else 0.75
    for one in tree.all(ast.Subscript):
        if is_call(one.slice, "len") and shown(one.slice) == f"len({shown(one.value)})":
            yield Finding("index_past_end", one.lineno, sure, {"code": shown(one)})
    for loop in tree.all(ast.For):
        call = _range_of(loop)
        if call and is_plus(_end(call), 1) and is_call(_end(call).left, "len") and _indexed(loop):  # type: ignore[attr-defined]
            yield Finding("range_past_end", loop.lineno, sure, {"code": shown(call)})
    for node in tree.all(ast.While):
        for compare in (one for one in ast.walk(node.test) if isinstance(one, ast.Compare)):
            right = compare.comparators[-1]
            if isinstance(compare.ops[-1], ast.LtE) and is_call(right, "len"):
                yield Finding("comparison_past_end", node.lineno, sure, {"code": shown(compare)})


def neighbour_past_end(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`a[i + 1]` in a loop over all indices of `a`."""
    for loop in tree.all(ast.For):
        call = _range_of(loop)
        if not call or not is_call(_end(call), "len") or _goes_down(call):
            continue
        ahead = [one for one in _indexed(loop) if is_plus(one, 1)]
        if ahead:
            weight = 0.95 if _fails_at_index(symptoms) else 0.6
            yield Finding("neighbour_past_end", loop.lineno, weight, {"code": shown(call), "index": shown(ahead[0])})


def last_left_out(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A range that ends one early: `range(len(a) - 1)` without a neighbour, `range(1, n)`, `range(n)` for 1 to n."""
    for loop in tree.all(ast.For):
        call = _range_of(loop)
        if not call or _goes_down(call):
            continue
        end, start = _end(call), _start(call)
        if is_plus(end, -1) and is_call(end.left, "len"):  # type: ignore[attr-defined]
            ahead = any(is_plus(one, 1) for one in _indexed(loop))
            if not ahead:
                weight = 0.85 if symptoms.off_by else 0.7
                yield Finding("range_ends_early", loop.lineno, weight, {"code": shown(call)})
        elif start is not None and isinstance(start, ast.Constant) and start.value in (1, 2):
            if isinstance(end, (ast.Name, ast.Constant, ast.Call)) and not is_call(end, "len"):
                yield Finding("range_ends_early", loop.lineno, 0.7 if symptoms.off_by else 0.4, {"code": shown(call)})
        elif len(call.args) == 1 and isinstance(end, ast.Name):
            used = _value_used(loop)
            if used:
                yield Finding("range_ends_early", loop.lineno, 0.5 if symptoms.off_by else 0.25, {"code": shown(call)})
    for node in tree.all(ast.While):
        for compare in (one for one in ast.walk(node.test) if isinstance(one, ast.Compare)):
            if isinstance(compare.ops[-1], (ast.Lt, ast.Gt)) and not is_call(compare.comparators[-1], "len"):
                weight = 0.6 if symptoms.off_by else 0.2
                yield Finding("comparison_ends_early", node.lineno, weight, {"code": shown(compare)})


def _value_used(loop: ast.For) -> bool:
    """Whether the loop's variable counts as a value and not only as an index."""
    names = names_in(loop.target)
    indices = {id(node) for index in _indexed(loop) for node in ast.walk(index)}
    return any(
        isinstance(one, ast.Name) and one.id in names and id(one) not in indices
        for statement in loop.body
        for one in ast.walk(statement)
    )


def first_left_out(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """`range(1, len(a))` in a loop that looks at no earlier neighbour."""
    for loop in tree.all(ast.For):
        call = _range_of(loop)
        if not call or len(call.args) < 2 or not is_call(_end(call), "len"):
            continue
        start = call.args[0]
        back = any(is_plus(one, -1) for one in _indexed(loop))
        if isinstance(start, ast.Constant) and start.value == 1 and not back and _indexed(loop):
            weight = 0.75 if symptoms.off_by else 0.4
            yield Finding("range_starts_late", loop.lineno, weight, {"code": shown(call)})


def slice_past_or_short(tree: CodeTree, symptoms: Symptoms) -> Iterator[Finding]:
    """A slice that leaves out the first or the last item, where the result is one short."""
    if not symptoms.off_by:
        return
    for one in tree.all(ast.Subscript):
        if isinstance(one.slice, ast.Slice):
            ends = one.slice.upper
            short = ends is not None and (
                is_plus(ends, -1) or (isinstance(ends, ast.UnaryOp) and isinstance(ends.op, ast.USub))
            )
            late = isinstance(one.slice.lower, ast.Constant) and one.slice.lower.value == 1
            if short or late:
                yield Finding("slice_short", one.lineno, 0.6, {"code": shown(one)})
