"""Mistakes of beginners that can be seen in the code itself. One function each, listed in `PATTERNS`.

A pattern yields findings; the symptoms raise or lower how sure it is. A mistake that the official solution has as well
is none, so that patterns need not be right for every exercise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from student_code.findings import Finding
from student_code.patterns.bounds import (
    first_left_out,
    index_past_end,
    last_left_out,
    neighbour_past_end,
    slice_past_or_short,
)
from student_code.patterns.conditions import (
    bare_text_in_or,
    equal_floats,
    identity_of_value,
    while_never_ends,
    while_never_starts,
)
from student_code.patterns.loops import (
    alias_of_list,
    changed_while_looped,
    initialised_in_loop,
    loop_variable_unused,
    overwritten_in_loop,
    parameter_overwritten,
    returns_in_loop,
)
from student_code.patterns.returns import (
    function_named_otherwise,
    never_called,
    no_base_case,
    nothing_returned,
    unreachable,
)
from student_code.patterns.values import (
    in_place_result,
    input_not_converted,
    mutable_default,
    never_equal,
    not_called,
    result_unused,
    shadowed_builtin,
    text_plus_number,
    text_where_number,
)
from student_code.symptoms import Symptoms
from student_code.tree import CodeTree

Pattern = Callable[[CodeTree, Symptoms], Iterable[Finding]]

PATTERNS: tuple[Pattern, ...] = (
    nothing_returned, function_named_otherwise, no_base_case, unreachable, never_called,
    returns_in_loop, initialised_in_loop, overwritten_in_loop, changed_while_looped, parameter_overwritten,
    loop_variable_unused, alias_of_list,
    index_past_end, neighbour_past_end, last_left_out, first_left_out, slice_past_or_short,
    bare_text_in_or, identity_of_value, equal_floats, while_never_ends, while_never_starts,
    in_place_result, input_not_converted, text_plus_number, text_where_number, never_equal, not_called, result_unused,
    shadowed_builtin, mutable_default,
)  # fmt: skip
