"""Names that the code has not given a value."""

from __future__ import annotations

import builtins
from difflib import get_close_matches

from student_code.findings import Finding
from student_code.tree import CodeTree

ALIKE = 0.7


def undefined(name: str, line: int, tree: CodeTree, weight: float) -> Finding:
    """An undefined name: misspelt if another name of the code, or a built-in one, is nearly the same."""
    known = [*sorted(tree.defined - {name}), *dir(builtins)]
    near = get_close_matches(name, known, n=1, cutoff=ALIKE)
    if near:
        return Finding("misspelt_name", line, weight, {"name": name, "near": near[0]})
    return Finding("undefined_name", line, weight, {"name": name})
