"""Compares a student's code with the official solution, statement by statement, to find the line that differs.

Statements are compared without the names that students choose. What the solution has is never told, only where the
student's code differs and in what kind of thing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

from student_code.findings import Finding
from student_code.tree import CodeTree, is_plus, shown

MAX_STATEMENTS = 60
MIN_ALIKE = 0.45
"""Similarity of two statements from which they are taken for the same step."""
GAP = 0.05
CLOSE = 0.8
"""Share of like statements from which the code is taken for the solution with a slip."""
_BOUNDS = {(ast.Lt, ast.LtE), (ast.LtE, ast.Lt), (ast.Gt, ast.GtE), (ast.GtE, ast.Gt)}
_CONVERSIONS = ("int", "float", "str", "round")
_TRANSPARENT = (ast.Load, ast.Store, ast.Del)


@dataclass(frozen=True)
class Step:
    """A statement without what is nested in it: its kind, its expressions, and how deep it stands."""

    node: ast.stmt
    depth: int
    parts: tuple[ast.expr, ...]
    tokens: tuple[str, ...]

    @property
    def line(self) -> int:
        return self.node.lineno


def differences(student: CodeTree, solution: CodeTree) -> list[Finding]:
    """Where the student's code differs, each with how sure it is that this is the mistake."""
    theirs, ours = _block(student, solution)
    if theirs is None or ours is None:
        return []
    first, second = _steps(theirs, {}), _steps(ours, {})
    if not first or not second or max(len(first), len(second)) > MAX_STATEMENTS:
        return []
    pairs = _aligned(first, second)
    names = _names(pairs, theirs, ours)
    first, second = _steps(theirs, names), _steps(ours, {name: name for name in _local_names(ours)})
    pairs = _aligned(first, second)
    alike = sum(_similarity(one, other) for one, other in pairs) / max(len(first), len(second))
    sure = min(1.0, alike / CLOSE) ** 2
    found = [one for pair in pairs for one in _between(*pair, names)]
    found += _only_in_solution(first, second, pairs)
    return [one.weighted(sure) for one in found]


def _block(student: CodeTree, solution: CodeTree) -> tuple[ast.AST | None, ast.AST | None]:
    """What to compare: the function of the same name, the only ones, or the whole programs."""
    common = [name for name in solution.functions if name in student.functions]
    if student.called in common:
        return student.functions[student.called], solution.functions[student.called]
    if common:
        return student.functions[common[-1]], solution.functions[common[-1]]
    if student.functions and solution.functions:
        return student.tested, solution.tested
    return student.root, solution.root


def _steps(root: ast.AST, names: dict[str, str]) -> list[Step]:
    """The statements of a block, in order, flattened. Names are replaced by those of `names`, others by a blank."""
    local = _local_names(root)
    found: list[Step] = []

    def walk(statements: Sequence[ast.stmt], depth: int) -> None:
        for one in statements:
            if isinstance(one, (ast.Import, ast.ImportFrom, ast.Pass)) or _is_docstring(one):
                continue
            plain = _as_augmented(one)
            parts = tuple(node for node in ast.iter_child_nodes(plain) if isinstance(node, ast.expr))
            tokens = (type(plain).__name__, *(t for part in parts for t in _tokens(part, names, local)))
            if isinstance(plain, ast.AugAssign):
                tokens += (type(plain.op).__name__,)
            if not isinstance(one, ast.FunctionDef):
                found.append(Step(plain, depth, parts, tokens))
            for block in ("body", "orelse", "finalbody"):
                inner = getattr(one, block, None)
                if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                    # An `elif` stands as deep as its `if`.
                    is_elif = block == "orelse" and isinstance(one, ast.If) and isinstance(inner[0], ast.If)
                    walk(inner, depth if is_elif else depth + 1)

    walk(getattr(root, "body", []), 0)
    return found


def _as_augmented(statement: ast.stmt) -> ast.stmt:
    """`x = x + y` as `x += y`; any other statement as it is."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.BinOp):
        return statement
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not isinstance(value.left, ast.Name) or value.left.id != target.id:
        return statement
    return ast.copy_location(ast.AugAssign(target, value.op, value.right), statement)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _local_names(root: ast.AST) -> set[str]:
    stored = {one.id for one in ast.walk(root) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return stored | {one.arg for one in ast.walk(root) if isinstance(one, ast.arg)}


def _tokens(node: ast.AST, names: dict[str, str], local: set[str]) -> Iterator[str]:
    """The nodes of an expression in order, as words."""
    if isinstance(node, ast.Name):
        yield names.get(node.id, "_") if node.id in local else node.id
        return
    if isinstance(node, ast.Constant):
        yield repr(node.value)
        return
    yield type(node).__name__
    if isinstance(node, ast.Attribute):
        yield node.attr
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _TRANSPARENT):
            yield from _tokens(child, names, local)


def _similarity(one: Step, other: Step) -> float:
    alike = Indel.normalized_similarity(one.tokens, other.tokens)
    same_kind = type(one.node) is type(other.node)
    return float(alike * (1.0 if same_kind else 0.6))


def _aligned(first: Sequence[Step], second: Sequence[Step]) -> list[tuple[Step, Step]]:
    """The pairs of steps of the best alignment (Needleman and Wunsch), in order."""
    rows, columns = len(first), len(second)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    alike = [[_similarity(one, other) for other in second] for one in first]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            match = alike[i][j] - MIN_ALIKE + best[i + 1][j + 1]
            best[i][j] = max(match, best[i + 1][j] - GAP, best[i][j + 1] - GAP)
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if best[i][j] == alike[i][j] - MIN_ALIKE + best[i + 1][j + 1]:
            if alike[i][j] >= MIN_ALIKE:
                pairs.append((first[i], second[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j] - GAP:
            i += 1
        else:
            j += 1
    return pairs


def _names(pairs: Sequence[tuple[Step, Step]], theirs: ast.AST, ours: ast.AST) -> dict[str, str]:
    """The student's names by the solution's: parameters by their place, others by the steps that match."""
    votes: Counter[tuple[str, str]] = Counter()
    chosen, given = _local_names(theirs), _local_names(ours)
    for one, other in pairs:
        for mine, official in zip(_names_in_order(one), _names_in_order(other), strict=False):
            votes[mine, official] += mine in chosen and official in given
    found: dict[str, str] = {}
    if isinstance(theirs, ast.FunctionDef) and isinstance(ours, ast.FunctionDef):
        for parameter, wanted in zip(theirs.args.args, ours.args.args, strict=False):
            found[parameter.arg] = wanted.arg
    for (mine, official), count in votes.most_common():
        if count and mine not in found and official not in found.values():
            found[mine] = official
    return found


def _names_in_order(step: Step) -> list[str]:
    return [one.id for part in step.parts for one in ast.walk(part) if isinstance(one, ast.Name)]


def _between(one: Step, other: Step, names: dict[str, str]) -> Iterator[Finding]:
    """How two matching steps differ."""
    if one.tokens == other.tokens:
        if one.depth != other.depth and isinstance(one.node, (ast.Return, ast.Assign, ast.AugAssign, ast.Expr)):
            weight = 0.85 if isinstance(one.node, ast.Return) else 0.6
            yield Finding("wrong_indentation", one.line, weight, {"code": shown_head(one.node)})
        return
    if type(one.node) is not type(other.node):
        kinds = {type(one.node), type(other.node)}
        if kinds == {ast.Assign, ast.AugAssign}:
            yield Finding("assigned_not_added", one.line, 0.8, {"code": shown_head(one.node)})
        elif kinds == {ast.If, ast.While}:
            yield Finding("if_for_while", one.line, 0.75, {"code": shown_head(one.node)})
        return
    both = isinstance(one.node, ast.AugAssign) and isinstance(other.node, ast.AugAssign)
    if both and type(one.node.op) is not type(other.node.op):  # type: ignore[attr-defined]
        yield Finding("other_operator", one.line, 0.8, {"code": shown_head(one.node)})
    if len(one.parts) == len(other.parts):
        for mine, official in zip(one.parts, other.parts, strict=True):
            yield from _expressions(mine, official, one, names)


def shown_head(node: ast.stmt) -> str:
    """A statement's first line."""
    return shown(node).split(":")[0] if hasattr(node, "body") else shown(node)


def _expressions(mine: ast.expr, official: ast.expr, step: Step, names: dict[str, str]) -> Iterator[Finding]:
    """The smallest parts in which two expressions differ."""
    if _same(mine, official, names):
        return
    code = {"code": shown(mine)}
    if any(is_plus(one, by) for one in (mine, official) for by in (1, -1)) and _same_but_one(mine, official, names):
        yield Finding("one_away", step.line, 0.9, code)
        return
    if type(mine) is not type(official):
        yield from _of_other_kind(mine, official, step, names)
        return
    if isinstance(mine, ast.Compare) and isinstance(official, ast.Compare):
        yield from _comparisons(mine, official, step, names)
    elif isinstance(mine, ast.BinOp) and isinstance(official, ast.BinOp):
        if type(mine.op) is not type(official.op):
            is_division = {type(mine.op), type(official.op)} == {ast.Div, ast.FloorDiv}
            yield Finding("other_division" if is_division else "other_operator", step.line, 0.8, code)
            return
        yield from _expressions(mine.left, official.left, step, names)
        yield from _expressions(mine.right, official.right, step, names)
    elif isinstance(mine, ast.BoolOp) and isinstance(official, ast.BoolOp):
        if type(mine.op) is not type(official.op):
            yield Finding("and_for_or", step.line, 0.85, code)
        for one, other in zip(mine.values, official.values, strict=False):
            yield from _expressions(one, other, step, names)
    elif isinstance(mine, ast.Constant) and isinstance(official, ast.Constant):
        yield _constants(mine, official, step)
    elif isinstance(mine, ast.Call) and isinstance(official, ast.Call):
        yield from _calls(mine, official, step, names)
    elif isinstance(mine, ast.Name):
        yield Finding("other_name", step.line, 0.55, code)
    else:
        for one, other in zip(_children(mine), _children(official), strict=False):
            yield from _expressions(one, other, step, names)


def _children(node: ast.expr) -> list[ast.expr]:
    return [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]


def _same(mine: ast.AST, official: ast.AST, names: dict[str, str]) -> bool:
    local = set(names) | set(names.values())
    other = {name: name for name in names.values()}
    return tuple(_tokens(mine, names, local)) == tuple(_tokens(official, other, local))


def _same_but_one(mine: ast.expr, official: ast.expr, names: dict[str, str]) -> bool:
    """Whether one is the other plus or minus one."""
    bare = [
        (one.left if is_plus(one, 1) or is_plus(one, -1) else one)  # type: ignore[attr-defined]
        for one in (mine, official)
    ]
    return _same(bare[0], bare[1], names)


def _of_other_kind(mine: ast.expr, official: ast.expr, step: Step, names: dict[str, str]) -> Iterator[Finding]:
    code = {"code": shown(mine)}
    if isinstance(official, ast.Call) and official.args and _same(mine, official.args[0], names):
        is_conversion = isinstance(official.func, ast.Name) and official.func.id in _CONVERSIONS
        yield Finding("not_converted" if is_conversion else "call_missing", step.line, 0.8, code)
    elif isinstance(mine, ast.Call) and mine.args and _same(mine.args[0], official, names):
        is_conversion = isinstance(mine.func, ast.Name) and mine.func.id in _CONVERSIONS
        yield Finding("converted_needlessly" if is_conversion else "call_needless", step.line, 0.7, code)
    elif isinstance(mine, ast.UnaryOp) or isinstance(official, ast.UnaryOp):
        yield Finding("sign_or_not", step.line, 0.7, code)
    elif isinstance(mine, ast.BinOp) and _has_same_part(mine, official, names):
        yield Finding("part_too_much", step.line, 0.6, code)
    elif isinstance(official, ast.BinOp) and _has_same_part(official, mine, {n: n for n in names.values()}):
        yield Finding("part_missing", step.line, 0.6, code)
    else:
        yield Finding("other_expression", step.line, 0.45, code)


def _has_same_part(whole: ast.BinOp, part: ast.expr, names: dict[str, str]) -> bool:
    return _same(whole.left, part, names) or _same(whole.right, part, names)


def _comparisons(mine: ast.Compare, official: ast.Compare, step: Step, names: dict[str, str]) -> Iterator[Finding]:
    code = {"code": shown(mine)}
    for one, other in zip(mine.ops, official.ops, strict=False):
        if type(one) is not type(other):
            is_bound = (type(one), type(other)) in _BOUNDS
            yield Finding("bound_in_comparison" if is_bound else "other_comparison", step.line, 0.85, code)
            return
    sides = zip((mine.left, *mine.comparators), (official.left, *official.comparators), strict=False)
    for first, second in sides:
        yield from _expressions(first, second, step, names)


def _constants(mine: ast.Constant, official: ast.Constant, step: Step) -> Finding:
    one, other = mine.value, official.value
    code = {"code": shown(mine)}
    is_number = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    if is_number and abs(one - other) == 1:  # type: ignore[operator]
        return Finding("number_one_away", step.line, 0.75, code)
    if isinstance(one, str) and isinstance(other, str):
        return Finding("other_text", step.line, 0.6, code)
    return Finding("other_constant", step.line, 0.7, code)


def _calls(mine: ast.Call, official: ast.Call, step: Step, names: dict[str, str]) -> Iterator[Finding]:
    code = {"code": shown(mine)}
    if not _same(mine.func, official.func, names):
        is_name = isinstance(mine.func, (ast.Name, ast.Attribute)) and isinstance(official.func, type(mine.func))
        yield Finding("other_function", step.line, 0.7 if is_name else 0.5, code)
        return
    if isinstance(mine.func, ast.Name) and mine.func.id == "range" and len(mine.args) != len(official.args):
        yield from _ranges(mine, official, step, names)
        return
    if len(mine.args) != len(official.args):
        yield Finding("other_arguments", step.line, 0.6, code)
    is_range = isinstance(mine.func, ast.Name) and mine.func.id == "range"
    for one, other in zip(mine.args, official.args, strict=False):
        for found in _expressions(one, other, step, names):
            yield replace(found, words=code) if is_range else found


def _ranges(mine: ast.Call, official: ast.Call, step: Step, names: dict[str, str]) -> Iterator[Finding]:
    """Ranges with another number of arguments: `range(n)` and `range(0, n)` are the same."""
    first, second = (_bounds(one) for one in (mine, official))
    code = {"code": shown(mine)}
    local = {name: name for name in names.values()}
    for one, other in zip(first, second, strict=True):
        if isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
            if one.value != other.value:
                near = isinstance(one.value, int) and isinstance(other.value, int) and abs(one.value - other.value) == 1
                yield Finding("one_away" if near else "other_range", step.line, 0.8, code)
                return
        elif not _same(one, other, {**local, **names}):
            yield Finding("one_away" if _same_but_one(one, other, names) else "other_range", step.line, 0.8, code)
            return


def _bounds(call: ast.Call) -> tuple[ast.expr, ast.expr, ast.expr]:
    args = call.args
    zero, one = ast.Constant(0), ast.Constant(1)
    if len(args) == 1:
        return zero, args[0], one
    return args[0], args[1], args[2] if len(args) > 2 else one


def _only_in_solution(
    first: Sequence[Step], second: Sequence[Step], pairs: Sequence[tuple[Step, Step]]
) -> Iterator[Finding]:
    """Steps that the student left out: said of the line before their place."""
    matched = {id(other): one for one, other in pairs}
    before: Step | None = None
    for step in second:
        if id(step) in matched:
            before = matched[id(step)]
        elif isinstance(step.node, (ast.AugAssign, ast.If, ast.Assign, ast.Return)):
            line = before.line if before else first[0].line
            yield Finding("step_missing", line, 0.35)
