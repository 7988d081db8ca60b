"""Where code cannot be parsed: Python by its own parser, Java, JavaScript and C by tree-sitter."""

from __future__ import annotations

import re
import warnings
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

from student_code.findings import Finding
from student_code.languages import PYTHON

PARSED = {"java": "tree_sitter_java", "javascript": "tree_sitter_javascript", "c": "tree_sitter_c"}
"""The module of each language's grammar."""
SURE = 0.99
_KINDS = (
    ("missing_colon", re.compile(r"expected ':'")),
    ("bracket_not_closed", re.compile(r"was never closed|unmatched|does not match")),
    ("text_not_closed", re.compile(r"unterminated")),
    ("assignment_in_condition", re.compile(r"Maybe you meant '=='|cannot assign to")),
    ("block_not_indented", re.compile(r"expected an indented block")),
    ("indentation", re.compile(r"indent|inconsistent use of tabs")),
    ("print_without_parentheses", re.compile(r"Missing parentheses in call")),
    ("try_without_except", re.compile(r"expected 'except'")),
    ("missing_comma", re.compile(r"forgot a comma")),
    ("return_outside_function", re.compile(r"'(?:return|yield|await|break|continue)'? ?(?:outside|not properly)")),
    ("strange_character", re.compile(r"invalid (?:non-printable )?character")),
)
"""What Python says, by the mistake that it stands for."""


def syntax_error(code: str, language: str) -> Finding | None:
    """The first place where the code is not of its language; None if there is none or the language is not read."""
    if language == PYTHON:
        return _of_python(code)
    return _of_grammar(code, PARSED[language]) if language in PARSED else None


def _of_python(code: str) -> Finding | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # To a code object, which finds a return outside of a function; nothing of it is run.
            compile(code, "code.py", "exec", dont_inherit=True)
    except SyntaxError as error:
        message = error.msg or "invalid syntax"
        count = len(code.splitlines())
        line = min(max(error.lineno or 1, 1), max(count, 1))
        mistake = next((name for name, words in _KINDS if words.search(message)), "syntax_error")
        return Finding(mistake, line, SURE, {"message": message})
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


@cache
def _parser(module: str) -> Parser:
    return Parser(Language(import_module(module).language()))


def _of_grammar(code: str, module: str) -> Finding | None:
    tree = _parser(module).parse(code.encode(errors="replace"))
    node = _first_error(tree.root_node)
    if node is None:
        return None
    if node.is_missing:
        missing = node.type
        line = (node.prev_sibling or node).end_point[0] + 1
        return Finding("missing_token", line, SURE, {"token": missing})
    return Finding("syntax_error", node.start_point[0] + 1, SURE, {"message": "invalid syntax"})


def _first_error(root: Node) -> Node | None:
    """The first node in error, without recursion: code may be nested deeply."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing or (node.is_error and not any(one.has_error or one.is_missing for one in node.children)):
            return node
        if node.has_error:
            stack += reversed([one for one in node.children if one.has_error or one.is_missing or one.is_error])
    return None
