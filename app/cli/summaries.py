"""What each command is for, read from the source of its module: importing all of them takes seconds."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path


def summary_of(command: str) -> str:
    """The docstring of the module's function of that name, or the help of the Typer app `commands` in it.

    Raises `ValueError` for a module with neither.
    """
    spec = find_spec(f"app.cli.{command}")
    if spec is None or spec.origin is None:
        raise ValueError(f"There is no source of the command {command}.")
    for statement in ast.parse(Path(spec.origin).read_bytes()).body:
        match statement:
            case ast.FunctionDef(name=name) if name == command:
                return ast.get_docstring(statement) or ""
            case ast.Assign(targets=[ast.Name(id="commands")], value=ast.Call(keywords=keywords)):
                return next(str(ast.literal_eval(keyword.value)) for keyword in keywords if keyword.arg == "help")
    raise ValueError(f"app.cli.{command} has no function {command} and no app `commands`.")
