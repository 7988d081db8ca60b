"""From the error that ended a program to the line and the mistake behind it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from core.code import LintMessage
from student_code.findings import Finding
from student_code.linting import name_in
from student_code.names import undefined
from student_code.symptoms import RuntimeFault
from student_code.tree import CodeTree, call_name, names_in, shown

SURE, LIKELY = 0.93, 0.7
"""Of a finding whose line the traceback names, and of one whose line was looked for."""
_QUOTED = re.compile(r"['‘`](\w+)['’`]")
_FUNCTION = re.compile(r"'(?:builtin_)?(?:function|method)\w*'")
_NAMED = re.compile(r"(\w+)\(|\.(\w+)|^(\w+) from")
"""What a message names as called: "max() arg is an empty sequence", "list.remove(x): x not in list"."""
_RAISING: tuple[tuple[re.Pattern[str], tuple[type[ast.AST], ...]], ...] = (
    (re.compile("IndexError|KeyError|indices must be|subscriptable|item assignment"), (ast.Subscript,)),
    (re.compile("not iterable"), (ast.For,)),
    (re.compile("concatenate|operand|ZeroDivisionError"), (ast.BinOp, ast.AugAssign)),
    (re.compile("between instances"), (ast.Compare,)),
    (re.compile("unpack"), (ast.Tuple,)),
)
"""The kinds of expressions that raise an error with such a message."""
_TYPES = {"str": str, "list": list, "dict": dict, "int": int, "float": float, "set": set, "tuple": tuple}


def from_fault(fault: RuntimeFault, tree: CodeTree, messages: Sequence[LintMessage]) -> Iterator[Finding]:
    """The finding for an error, on each line where it can have come from if no line is named."""
    words = {"error": fault.name, "message": fault.message, "name": _first_quoted(fault.message)}
    mistake = _mistake(fault)
    if mistake in ("undefined_name", "used_before_assignment"):
        yield from _of_name(fault, mistake, tree, messages)
        return
    if mistake == "not_callable" and (hidden := _hidden_builtins(fault.line, tree)):
        yield Finding("shadowed_builtin", hidden[0].lineno, 1.0, {"name": hidden[0].id})
        return
    if _FUNCTION.search(fault.message) and (named := _uncalled(fault.line, tree)):
        yield Finding("not_called", named[0].lineno, SURE, {"code": shown(named[0])})
        return
    if fault.line:
        yield Finding(mistake, fault.line, LIKELY if mistake == "none_used" else SURE, words)
        return
    places = list(dict.fromkeys(_places(fault, tree)))
    for line in places:
        yield Finding(mistake, line, LIKELY if len(places) < 3 else LIKELY - 0.2, words)


def _hidden_builtins(line: int | None, tree: CodeTree) -> list[ast.Name]:
    """Where a name that is called on the line, and built in, gets another value."""
    called = {name for one in tree.all(ast.Call) if line in (None, one.lineno) for name in names_in(one.func)}
    return [one for one in tree.all(ast.Name)
            if isinstance(one.ctx, ast.Store) and one.id in called and hasattr(builtins, one.id)]  # fmt: skip


def _uncalled(line: int | None, tree: CodeTree) -> list[ast.Attribute | ast.Name]:
    """Methods and functions of the line that are named and not called."""
    called = {id(one.func) for one in tree.all(ast.Call)}
    named: list[ast.Attribute | ast.Name] = [
        *(one for one in tree.all(ast.Attribute) if not isinstance(tree.parent(one), ast.Attribute)),
        *(one for one in tree.all(ast.Name) if one.id in tree.functions or hasattr(builtins, one.id)),
    ]
    return [one for one in named if line in (None, one.lineno) and id(one) not in called
            and isinstance(one.ctx, ast.Load)]  # fmt: skip


def _first_quoted(message: str) -> str:
    found = _QUOTED.search(message)
    return found[1] if found else ""


def _mistake(fault: RuntimeFault) -> str:
    by_class = {
        "NameError": "undefined_name", "UnboundLocalError": "used_before_assignment", "IndexError": "index_error",
        "KeyError": "key_error", "ZeroDivisionError": "division_by_zero", "RecursionError": "recursion_too_deep",
        "ModuleNotFoundError": "module_unknown", "ImportError": "module_unknown", "EOFError": "input_ended",
        "FileNotFoundError": "file_not_found",
    }  # fmt: skip
    if fault.name == "NameError" and "associated with a value" in fault.message:
        return "used_before_assignment"
    if fault.name == "AttributeError":
        return _attribute_mistake(fault.message)
    if fault.name == "ValueError":
        is_conversion = "invalid literal" in fault.message or "could not convert" in fault.message
        return "text_is_no_number" if is_conversion else "value_error"
    if fault.name == "TypeError":
        return _type_mistake(fault.message)
    return by_class.get(fault.name, "error_here")


def _attribute_mistake(message: str) -> str:
    quoted = _QUOTED.findall(message)
    if "NoneType" in message:
        return "none_used"
    if len(quoted) == 2 and quoted[0] in _TYPES:
        return "misspelt_method" if get_close_matches(quoted[1], dir(_TYPES[quoted[0]]), n=1, cutoff=0.7) else (
            "method_of_other_type"
        )  # fmt: skip
    return "misspelt_method" if "module" in message else "method_of_other_type"


def _type_mistake(message: str) -> str:
    for mistake, words in (
        ("none_used", "NoneType"),
        ("not_callable", "not callable"),
        ("number_not_iterable", "not iterable"),
        ("text_not_changeable", "does not support item assignment"),
        ("index_no_number", "indices must be"),
        ("number_of_arguments", "positional argument"),
        ("number_of_arguments", "unexpected keyword"),
        ("number_of_arguments", "missing"),
        ("fraction_as_count", "cannot be interpreted as an integer"),
        ("number_has_no_length", "has no len()"),
        ("number_not_subscriptable", "not subscriptable"),
        ("types_mixed", "unsupported operand"),
        ("types_mixed", "can only concatenate"),
        ("types_mixed", "must be str, not"),
        ("types_compared", "not supported between"),
    ):
        if words in message:
            return mistake
    return "type_error"


def _of_name(fault: RuntimeFault, mistake: str, tree: CodeTree, messages: Sequence[LintMessage]) -> Iterator[Finding]:
    name = _first_quoted(fault.message)
    linted = [one.line for one in messages if one.code in ("F821", "F823") and name_in(one) == name]
    used = [one.lineno for one in tree.all(ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    for line in [fault.line] if fault.line else (linted or used)[:1]:
        if mistake == "undefined_name":
            if name in tree.defined:
                yield Finding("name_of_elsewhere", line, 1.0, {"name": name})
            else:
                yield undefined(name, line, tree, 1.0)
        else:
            found = undefined(name, line, tree, 1.0) if not _is_given(name, tree) else None
            is_slip = found is not None and found.mistake == "misspelt_name"
            yield found if found and is_slip else Finding(mistake, line, 1.0, {"name": name})


def _is_given(name: str, tree: CodeTree) -> bool:
    """Whether a name gets a value of its own, and not only one added to it (`count += 1`)."""
    targets = (target for one in tree.all(ast.Assign) for target in one.targets)
    return any(isinstance(one, ast.Name) and one.id == name for one in targets)


def _places(fault: RuntimeFault, tree: CodeTree) -> Iterator[int]:
    """The lines of what the message names, and else of the kind of expression that raises such an error."""
    named = {name for pair in _NAMED.findall(fault.message) for name in pair if name}
    if fault.name == "AttributeError":
        named.update(_QUOTED.findall(fault.message)[-1:])
    if fault.name == "FileNotFoundError":
        named.add("open")
    if fault.name == "RecursionError":
        named = {name for name, function in tree.functions.items() if name in names_in(function)}
    calls = [one.lineno for one in tree.all(ast.Call) if call_name(one) in named]
    lines = calls or [one.lineno for one in tree.all(ast.Attribute) if one.attr in named]
    yield from lines
    if not lines:
        message = f"{fault.name}: {fault.message}"
        kinds = next((kinds for words, kinds in _RAISING if words.search(message)), ())
        yield from sorted(one.lineno for kind in kinds for one in tree.all(kind))  # type: ignore[attr-defined]
