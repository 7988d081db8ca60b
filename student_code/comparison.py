"""Compares a student's code with the official solution, statement by statement, to find the line that differs.

Statements are compared without the names that students choose. What the solution has is never told, only where the
student's code differs and in what kind of thing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from student_code.findings import Finding
from student_code.tree import CodeTree, is_call, is_plus, shown

MAX_STATEMENTS = 60
MIN_ALIKE = 0.45
"""Similarity of two statements from which they are taken for the same step."""
GAP = 0.05
CLOSE = 0.8
"""Share of like statements from which the code is taken for the solution with a slip."""
_BOUNDS = ({ast.Lt, ast.LtE}, {ast.Gt, ast.GtE})
_TRANSPARENT = (ast.Load, ast.Store, ast.Del)

Names = Mapping[str, str]
"""The solution's names for the student's."""


@dataclass(frozen=True)
class ComparisonStep:
    """A statement without what is nested in it: its kind and its expressions, also as words."""

    node: ast.stmt
    parts: tuple[ast.expr, ...]
    tokens: tuple[str, ...]


def differences(student: CodeTree, solution: CodeTree) -> list[Finding]:
    """Where the student's code differs, each with how sure it is that this is the mistake."""
    theirs, ours = _block(student, solution)
    if theirs is None or ours is None:
        return []
    first, second = _steps(theirs, {}), _steps(ours, {})
    if not first or not second or max(len(first), len(second)) > MAX_STATEMENTS:
        return []
    names = _names(_aligned(first, second), theirs, ours)
    first, second = _steps(theirs, names), _steps(ours, {name: name for name in _local_names(ours)})
    pairs = _aligned(first, second)
    alike = sum(_similarity(one, other) for one, other in pairs) / max(len(first), len(second))
    sure = min(1.0, alike / CLOSE) ** 2
    return [finding.weighted(sure) for pair in pairs for finding in _between(*pair, names)]


def _block(student: CodeTree, solution: CodeTree) -> tuple[ast.AST | None, ast.AST | None]:
    """What to compare: the function of the same name, the only ones, or the whole programs."""
    common = [name for name in solution.functions if name in student.functions]
    if common:
        name = student.called if student.called in common else common[-1]
        return student.functions[name], solution.functions[name]
    if student.functions and solution.functions:
        return student.tested, solution.tested
    return student.root, solution.root


def _steps(root: ast.AST, names: Names) -> list[ComparisonStep]:
    """The statements of a block, in order, flattened. Names are replaced by those of `names`, others by a blank."""
    local, steps = _local_names(root), []
    left = list(getattr(root, "body", []))
    while left:
        statement = left.pop(0)
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)) or _is_docstring(statement):
            continue
        plain = _as_augmented(statement)
        parts = tuple(node for node in ast.iter_child_nodes(plain) if isinstance(node, ast.expr))
        tokens = [type(plain).__name__, *(token for part in parts for token in _tokens(part, names, local))]
        if isinstance(plain, ast.AugAssign):
            tokens.append(type(plain.op).__name__)
        if not isinstance(statement, ast.FunctionDef):
            steps.append(ComparisonStep(plain, parts, tuple(tokens)))
        inner = (getattr(statement, block, None) or [] for block in ("body", "orelse", "finalbody"))
        left = [*(one for block in inner for one in block if isinstance(one, ast.stmt)), *left]
    return steps


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


def _tokens(node: ast.AST, names: Names, local: set[str]) -> Iterator[str]:
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
    for child in _children(node):
        yield from _tokens(child, names, local)


def _children(node: ast.AST) -> list[ast.AST]:
    """The parts of a node, `range(n)` counting as `range(0, n)`."""
    if is_call(node, "range") and len(node.args) == 1:  # type: ignore[attr-defined]
        return [node.func, ast.Constant(0), *node.args]  # type: ignore[attr-defined]
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, _TRANSPARENT)]


def _similarity(one: ComparisonStep, other: ComparisonStep) -> float:
    alike = Indel.normalized_similarity(one.tokens, other.tokens)
    return float(alike * (1.0 if type(one.node) is type(other.node) else 0.6))


def _aligned(
    first: Sequence[ComparisonStep], second: Sequence[ComparisonStep]
) -> list[tuple[ComparisonStep, ComparisonStep]]:
    """The pairs of steps of the best alignment (Needleman and Wunsch), in order."""
    rows, columns = len(first), len(second)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    gains = [[_similarity(one, other) - MIN_ALIKE for other in second] for one in first]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = max(gains[i][j] + best[i + 1][j + 1], best[i + 1][j] - GAP, best[i][j + 1] - GAP)
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if best[i][j] == gains[i][j] + best[i + 1][j + 1]:
            if gains[i][j] >= 0:
                pairs.append((first[i], second[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j] - GAP:
            i += 1
        else:
            j += 1
    return pairs


def _names(pairs: Sequence[tuple[ComparisonStep, ComparisonStep]], theirs: ast.AST, ours: ast.AST) -> dict[str, str]:
    """The student's names by the solution's: parameters by their place, others by the steps that match."""
    votes: Counter[tuple[str, str]] = Counter()
    chosen, given = _local_names(theirs), _local_names(ours)
    for one, other in pairs:
        for mine, official in zip(_names_in_order(one), _names_in_order(other), strict=False):
            votes[mine, official] += mine in chosen and official in given
    names: dict[str, str] = {}
    if isinstance(theirs, ast.FunctionDef) and isinstance(ours, ast.FunctionDef):
        parameters = zip(theirs.args.args, ours.args.args, strict=False)
        names = {parameter.arg: wanted.arg for parameter, wanted in parameters}
    for (mine, official), count in votes.most_common():
        if count and mine not in names and official not in names.values():
            names[mine] = official
    return names


def _names_in_order(step: ComparisonStep) -> list[str]:
    return [one.id for part in step.parts for one in ast.walk(part) if isinstance(one, ast.Name)]


def _between(one: ComparisonStep, other: ComparisonStep, names: Names) -> Iterator[Finding]:
    """How two matching steps of one kind differ."""
    if type(one.node) is not type(other.node):
        return
    if isinstance(one.node, ast.AugAssign) and type(one.node.op) is not type(other.node.op):  # type: ignore[attr-defined]
        yield Finding("other_operator", one.node.lineno, 0.8, {"code": shown(one.node)})
    if len(one.parts) == len(other.parts):
        for mine, official in zip(one.parts, other.parts, strict=True):
            for mistake, weight, node in _expressions(mine, official, names):
                yield Finding(mistake, one.node.lineno, weight, {"code": shown(node)})


Difference = tuple[str, float, ast.AST]
"""A mistake, how sure it is, and the student's expression."""


def _expressions(mine: ast.AST, official: ast.AST, names: Names) -> Iterator[Difference]:
    """The smallest parts in which two expressions differ."""
    if _same(mine, official, names):
        return
    if _is_one_away(mine, official, names):
        yield "one_away", 0.9, mine
    elif type(mine) is not type(official):
        yield (*_other_kind(mine, official, names), mine)
    elif kind := _own_difference(mine, official, names):
        yield (*kind, mine)
    else:
        first, second = _children(mine), _children(official)
        if len(first) != len(second):
            yield "other_expression", 0.45, mine
        for one, other in zip(first, second, strict=False):
            for mistake, weight, node in _expressions(one, other, names):
                yield mistake, weight, mine if is_call(mine, "range") else node


def _same(mine: ast.AST, official: ast.AST, names: Names) -> bool:
    local = {*names, *names.values()}
    own = {name: name for name in names.values()}
    return tuple(_tokens(mine, names, local)) == tuple(_tokens(official, own, local))


def _is_one_away(mine: ast.AST, official: ast.AST, names: Names) -> bool:
    """Whether one is the other plus or minus one."""
    bare = [one.left if is_plus(one, 1) or is_plus(one, -1) else one for one in (mine, official)]  # type: ignore[attr-defined]
    return bare != [mine, official] and _same(bare[0], bare[1], names)


def _own_difference(mine: ast.AST, official: ast.AST, names: Names) -> tuple[str, float] | None:
    """How two expressions of one kind differ in themselves, their parts aside."""
    if isinstance(mine, ast.Compare) and isinstance(official, ast.Compare):
        for one, other in zip(mine.ops, official.ops, strict=False):
            if type(one) is not type(other):
                is_bound = {type(one), type(other)} in _BOUNDS
                return "bound_in_comparison" if is_bound else "other_comparison", 0.85
    elif isinstance(mine, (ast.BinOp, ast.BoolOp)) and type(mine.op) is not type(official.op):  # type: ignore[attr-defined]
        return "and_for_or" if isinstance(mine, ast.BoolOp) else "other_operator", 0.8
    elif isinstance(mine, ast.Call) and not _same(mine.func, official.func, names):  # type: ignore[attr-defined]
        return "other_function", 0.7
    elif isinstance(mine, ast.Constant):
        return "other_constant", 0.7
    elif isinstance(mine, ast.Name):
        return "other_name", 0.55
    return None


def _other_kind(mine: ast.AST, official: ast.AST, names: Names) -> tuple[str, float]:
    """How expressions of two kinds differ: one is often a part of the other."""
    for whole, part, is_mine in ((mine, official, True), (official, mine, False)):
        parts = _children(whole)
        for one in parts if isinstance(whole, (ast.Call, ast.BinOp)) else ():
            pair = (one, part) if is_mine else (part, one)
            if _same(*pair, names):
                if isinstance(whole, ast.Call):
                    return ("call_needless", 0.7) if is_mine else ("call_missing", 0.8)
                return ("part_too_much" if is_mine else "part_missing"), 0.6
    return "other_expression", 0.45
