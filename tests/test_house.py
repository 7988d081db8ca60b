"""The figures of the code itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.house import Module, docstring_words, import_lines, is_participle, modules, variables


def module(text: str) -> Module:
    return Module(Path("module.py"), text.count("\n"), ast.parse(text))


@pytest.mark.parametrize("name", ["shown", "_taken", "indexed", "named_after", "written"])
def test_a_function_named_by_a_participle_is_counted(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["show", "_feed", "seed", "embed", "read", "red"])
def test_a_function_named_by_a_verb_is_not(name: str) -> None:
    assert not is_participle(name)


def test_a_variable_of_a_short_comprehension_is_told_from_others() -> None:
    names = dict(variables(module("for one in rows:\n    pass\nnames = [row.name for row in rows]\n")))
    assert names == {"one": False, "row": True, "names": False}


def test_imports_are_counted_in_lines_and_docstrings_in_words() -> None:
    text = '"""Two words."""\nfrom a import (\n    b,\n)\n\ndef f():\n    """Only these three."""\n'
    assert (import_lines(module(text)), docstring_words(module(text))) == (3, 5)


def test_all_packages_of_the_product_are_read_and_no_tests() -> None:
    packages = {Path(part.path).relative_to(Path(__file__).parents[1]).parts[0] for part in modules()}
    assert {"app", "core", "eval", "pipelines"} <= packages
    assert not packages & {"tests", "benchmarks", "data"}
